/** Matching of typed names with workflows. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { completeName, editDistance, matchName } from '../../../src/bot/insight/name-match.ts';

const names = ['payments', 'payments-eu', 'payments-staging', 'reserve-check', 'Übersicht', 'eu-reports'];
const candidates = names.map((name) => ({ uuid: `id of ${name}`, name, status: 'ACTIVE' }));

function found(text: string) {
  const match = matchName(text, candidates);
  return match.kind === 'one' ? match.candidate.name : match.kind;
}

describe('a name', () => {
  it.each([
    ['payments', 'payments'],
    ['PAYMENTS', 'payments'],
    ['u\u0308bersicht', 'Übersicht'],
    ['res', 'reserve-check'],
    ['check', 'reserve-check'],
    ['staging', 'payments-staging'],
    ['paymnts', 'payments'],
    ['reserve-chekc', 'reserve-check'],
  ])('%s is taken for %s', (text, name) => {
    expect(found(text)).toBe(name);
  });

  it('that begins several names gives a list, the best first', () => {
    const match = matchName('pay', candidates);
    expect(match).toMatchObject({ kind: 'several', candidates: names.slice(0, 3).map((name) => ({ name })) });
  });

  it('that is exact wins over names that it begins, and needs no note', () => {
    expect(matchName('payments', candidates)).toMatchObject({ kind: 'one', isExact: true, isMistyped: false });
    expect(matchName('paymnts', candidates)).toMatchObject({ kind: 'one', isExact: false, isMistyped: true });
  });

  it('without a match gives the three nearest', () => {
    const match = matchName('zzzzzzzzzz', candidates);
    expect(match.kind === 'none' && match.nearest).toHaveLength(3);
  });

  it('of a deleted workflow gives way to an existing one with the same name', () => {
    const twins = [
      { uuid: 'old', name: 'payments', status: 'DELETED' },
      { uuid: 'new', name: 'payments', status: 'ACTIVE' },
    ];
    expect(matchName('payments', twins)).toMatchObject({ kind: 'one', candidate: { uuid: 'new' } });
  });

  it('shared by two existing workflows is never decided for the person', () => {
    const twins = ['a', 'b'].map((uuid) => ({ uuid, name: 'payments', status: 'ACTIVE' }));
    expect(matchName('payments', twins)).toMatchObject({ kind: 'several', candidates: twins });
  });
});

describe('a name that is being typed', () => {
  const complete = (text: string) => completeName(text, candidates).map(({ name }) => name);

  it.each([
    ['', ['eu-reports', 'payments', 'payments-eu', 'payments-staging', 'reserve-check', 'Übersicht']],
    ['PAY', ['payments', 'payments-eu', 'payments-staging']],
    ['payments', ['payments', 'payments-eu', 'payments-staging']],
    ['eu', ['eu-reports', 'payments-eu']],
    ['ment', ['payments', 'payments-eu', 'payments-staging']],
    ['paymnts', ['payments']],
    ['zzz', []],
  ])('%j may mean %j', (text, meant) => {
    expect(complete(text)).toEqual(meant);
  });

  it('puts existing workflows before deleted ones', () => {
    const [first, ...others] = candidates;
    const withDeleted = [...(first ? [{ ...first, status: 'DELETED' }] : []), ...others];
    expect(completeName('pay', withDeleted).map(({ name }) => name)).toEqual([
      'payments-eu',
      'payments-staging',
      'payments',
    ]);
  });

  it('always finds the name whose beginning is typed', () => {
    const name = fc.string({ unit: 'grapheme-ascii', minLength: 1, maxLength: 20 });
    const holds = (whole: string, length: number) => {
      const candidate = { uuid: 'u', name: whole, status: 'ACTIVE' };
      return completeName(whole.slice(0, length), [...candidates, candidate]).includes(candidate);
    };
    fc.assert(fc.property(name, fc.nat(20), holds));
  });
});

describe('the edit distance', () => {
  it('is zero for the same word, symmetric, and no more than the longer word', () => {
    const word = fc.string({ maxLength: 20 });
    const holds = (one: string, other: string) =>
      editDistance(one, one) === 0 &&
      editDistance(one, other) === editDistance(other, one) &&
      editDistance(one, other) <= Math.max(one.length, other.length);
    fc.assert(fc.property(word, word, holds));
  });

  it('counts a swap of neighbours once', () => {
    expect(editDistance('paymetns', 'payments')).toBe(1);
  });
});
