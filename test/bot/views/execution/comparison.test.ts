/** The message that compares an execution with the last good one. */
import { describe, expect, it } from 'vitest';
import type { ComparedCall, Comparison, DifferenceKind } from '../../../../src/bot/insight/executions/comparison.ts';
import { comparisonMessage } from '../../../../src/bot/views/execution/comparison.ts';
import { hostileStrings } from '../../../support/hostile/hostile.ts';
import { expectGoodMessage } from '../../../support/insight/message-rules.ts';
import { now } from '../../../support/service/service-data.ts';

function compared(differences: readonly DifferenceKind[], capability = 'http-actions@1.0.0'): ComparedCall {
  const usual = { minMs: 400, medianMs: 500, maxMs: 600, samples: 5 };
  return {
    capability,
    method: 'SendRequest',
    occurrence: 2,
    occurrences: 2,
    call: null,
    good: null,
    usual,
    differences,
  };
}

function comparison(...kinds: readonly (readonly DifferenceKind[])[]): Comparison {
  const calls = kinds.map((differences) => compared(differences));
  const index = kinds.findIndex(({ length }) => length > 0);
  const [kind] = kinds[index] ?? [];
  const first = kind === undefined ? null : { kind, index, compared: compared([kind]) };
  return { calls, firstDifference: first, goodCount: 5 };
}

const shown = (each: Comparison | null) =>
  comparisonMessage({ comparison: each, goodAt: now, isGoodKnown: true, status: 'FAILURE' });

describe('the comparison', () => {
  it.each([
    ['missing', 'did not run; in the good run it did'],
    ['extra', 'ran; in the good run it did not'],
    ['error', 'reported an error that the good run did not have'],
    ['duration', 'good runs take 400 ms to 600 ms'],
  ] as const)('whose first difference is %s says so', (kind, words) => {
    const { text } = shown(comparison([], [kind]));
    expect(text).toContain('First difference: http-actions@1.0.0 SendRequest (call 2 of 2)');
    expect(text).toContain(words);
    expect(text).not.toContain('no difference');
  });

  it('has the time so far of a step that still runs', () => {
    const call = { state: 'running', durationMs: null, startMs: 1000, endMs: 91_000 } as ComparedCall['call'];
    const one = { ...compared(['duration']), call };
    const { text } = shown({
      calls: [one],
      firstDifference: { kind: 'duration', index: 0, compared: one },
      goodCount: 5,
    });
    expect(text).toContain('(call 2 of 2) has taken 1 min 30 s so far; good runs take 400 ms to 600 ms');
  });

  it('without a difference from any good run claims nothing of a single one', () => {
    expect(shown(comparison([], [])).text).toMatch(
      /^Compared with recent good runs: no unusual step, status or error, and no known unusual duration\./,
    );
    expect(shown({ ...comparison([], []), goodCount: 1 }).text).toMatch(/^Compared with the good run of <!date.*: no/);
  });

  it('numbers steps like the timeline, without a number for steps that did not run', () => {
    const call = { state: 'failed' } as NonNullable<ComparedCall['call']>;
    const calls = [compared([]), { ...compared(['state']), call }];
    const firstDifference = { kind: 'state', index: 1, compared: calls[1] ?? compared([]) } as const;
    const { text } = shown({ calls, firstDifference, goodCount: 5 });
    expect(text).toContain('First difference: step 1, http-actions');
    expect(text).toContain('(call 2 of 2) failed; in the good run it did not run');
  });

  it.each([
    [1, 'Step 1 shows no difference'],
    [3, 'Steps 1 to 3 show no difference'],
  ])('counts as equal only the %i steps that ran, not one that may be missing', (ran, words) => {
    const call = { state: 'failed' } as NonNullable<ComparedCall['call']>;
    const same = Array.from({ length: ran }, () => ({ ...compared([]), call }));
    const calls = [...same, compared([]), { ...compared(['state']), call }];
    const firstDifference = { kind: 'state', index: ran + 1, compared: calls[ran + 1] ?? compared([]) } as const;
    const { text } = shown({ calls, firstDifference, goodCount: 5 });
    expect(text).toContain(`First difference: step ${ran + 1}, `);
    expect(text).toContain(words);
  });

  it.each([
    ['SUCCESS', /: no unusual step.*known unusual duration\.$/],
    ['IN_PROGRESS', /: so far no unusual step.*known unusual duration\.$/],
  ])('of an execution that is %s names no culprit', (status, words) => {
    const { text } = comparisonMessage({ comparison: comparison([], []), goodAt: now, isGoodKnown: true, status });
    expect(text).toMatch(words);
  });

  it('without a good run to compare with says so', () => {
    const none = comparisonMessage({ comparison: null, goodAt: null, isGoodKnown: true, status: 'FAILURE' });
    expect(none.text).toContain('no good run before this one is kept');
    const unread = comparisonMessage({ comparison: null, goodAt: null, isGoodKnown: false, status: 'FAILURE' });
    expect(unread.text).toContain('the bot could not read which run that is');
  });

  it('with a good run without known steps claims no difference', () => {
    expect(shown(null).text).toMatch(/good run of .*: the steps to compare were not kept, or could not be read\.$/);
  });

  it.each([1, 20, 500])('of %i differing steps fits Slack and counts what it leaves out', (length) => {
    const message = shown(comparison(...Array.from({ length }, () => ['missing'] as const)));
    expectGoodMessage(message);
    if (length === 500) expect(message.text).toContain('479 more differences');
  });

  it.each(hostileStrings('text'))('%s as a capability is inert and fits', (_id, string) => {
    const one = compared(['missing'], string);
    expectGoodMessage(
      shown({ calls: [one], firstDifference: { kind: 'missing', index: 0, compared: one }, goodCount: 5 }),
    );
  });
});
