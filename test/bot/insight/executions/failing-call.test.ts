/** The failing call: certain only if its error, the last one and not recovered from, explains that of the execution. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { findFailingCall, type Suspect } from '../../../../src/bot/insight/executions/failing-call.ts';
import { finished } from '../../../support/runner/finished.ts';

const gateway = 'http@1: 502 Bad Gateway from the ledger';
const reverted = 'evm@1 write: execution reverted: insufficient allowance';

/** One second after the other: each of these lasts half a second. */
function call(second: number, error: string | null = null, more: Partial<Suspect> = {}): Suspect {
  const errors = error === null ? [] : [{ error }];
  const state = error === null ? 'succeeded' : 'failed';
  const times = { startMs: second * 1_000, endMs: second * 1_000 + 500 };
  return { capability: 'http@1', method: 'Send', state, ...times, errors, ...more };
}

const other = { capability: 'evm@1', method: 'Write' };
const failedSilently = { state: 'failed' };
const open = { state: 'unfinished' };
const judge = (calls: readonly Suspect[], own: string | null) =>
  finished(findFailingCall(calls, own === null ? [] : [{ error: own }]));

describe('the failing step is certain', () => {
  it.each<[string, Suspect[], string, number]>([
    ['if the error of the execution wraps its error', [call(0), call(1, gateway)], `payout run failed: ${gateway}`, 1],
    ['if both errors are the same, however short', [call(0, 'EOF')], 'EOF', 0],
    [
      'if both wrap a third one in their own way',
      [call(0, 'call failed: execution reverted: insufficient allowance')],
      'run failed: engine: execution reverted: insufficient allowance',
      0,
    ],
    [
      'although the platform reports it as completed',
      [call(0, gateway, { state: 'completed_with_errors' })],
      gateway,
      0,
    ],
    ['if every attempt failed alike: the last one', [call(0, gateway), call(1, gateway), call(2, gateway)], gateway, 2],
    ['if a step after it succeeded, but not one of its kind', [call(0, gateway), call(1, null, other)], gateway, 0],
    ['if an error before it was recovered from', [call(0, gateway), call(1), call(2, reverted, other)], reverted, 2],
  ])('%s', (_, calls, own, index) => {
    expect(judge(calls, own)).toEqual({ index, certainty: 'certain', evidence: 'own_error' });
  });
});

describe('the failing step is probable', () => {
  it.each<[string, Suspect[], string | null, number, string]>([
    ['if another error came later', [call(0, gateway), call(1, reverted, other)], gateway, 0, 'shared_error'],
    [
      'if a later step failed without an error',
      [call(0, gateway), call(1, null, { ...other, ...failedSilently })],
      gateway,
      0,
      'shared_error',
    ],
    [
      'if a step that began later never ended',
      [call(0, gateway), call(1, null, { ...other, ...open })],
      gateway,
      0,
      'shared_error',
    ],
    [
      'if two steps have the error of the execution',
      [call(0, gateway), call(1, gateway, other)],
      gateway,
      1,
      'shared_error',
    ],
    [
      'if the execution went on, and the text in common may be a coincidence',
      [call(0, 'context deadline exceeded'), call(1, null, other)],
      'run failed: context deadline exceeded',
      0,
      'shared_error',
    ],
    ['if the text in common is short', [call(0, 'not found')], 'ledger: account not found: 7', 0, 'shared_error'],
    ['if the error names it', [call(0), call(1, null, open), call(2)], 'http@1 Send: gone', 1, 'named'],
    [
      'if it failed last, and the execution has no error text',
      [call(0), call(1, null, failedSilently)],
      null,
      1,
      'last',
    ],
  ])('%s', (_, calls, own, index, evidence) => {
    expect(judge(calls, own)).toEqual({ index, certainty: 'likely', evidence });
  });
});

describe('the failing step', () => {
  it.each<[string, Suspect[], string | null, number, string]>([
    [
      'if a retry succeeded, and still the execution has its error',
      [call(0, gateway), call(1)],
      gateway,
      0,
      'recovered_error',
    ],
    ['if the error names only steps that succeeded: the last one', [call(0), call(1)], 'http@1 Send: gone', 1, 'named'],
    ['if it failed last, and the execution has another error', [call(0), call(1, gateway)], 'run aborted', 1, 'last'],
    [
      'if it failed last with another one, and the execution has no error text',
      [call(0, gateway), call(0, reverted, { ...other, endMs: 700 })],
      null,
      1,
      'last',
    ],
    ['if it never ended, and nothing else is wrong', [call(0), call(1, null, open)], 'out of memory', 1, 'unfinished'],
  ])('is possibly the named one %s', (_, calls, own, index, evidence) => {
    expect(judge(calls, own)).toEqual({ index, certainty: 'possible', evidence });
  });

  it.each<[string, Suspect[], string | null]>([
    [
      'if its retry succeeded and the execution died later of something else',
      [call(0, gateway), call(1), call(2, null, other)],
      'out of gas',
    ],
    ['if its retry succeeded and the execution has no error text', [call(0, gateway), call(1)], null],
    [
      'if the execution went on after it and died of something else',
      [call(0, gateway), call(1, null, other)],
      'out of gas',
    ],
    ['if nothing went wrong in a step', [call(0), call(1)], 'out of memory'],
  ])('is not named %s', (_, calls, own) => {
    expect(judge(calls, own)).toBeNull();
  });

  it('is never certain without an error of the execution that it explains', () => {
    const anyCall = fc.record({
      second: fc.nat(6),
      error: fc.constantFrom(null, gateway, reverted, 'EOF'),
      capability: fc.constantFrom('http@1', 'evm@1'),
      state: fc.constantFrom('succeeded', 'failed', 'completed_with_errors', 'unfinished', 'unknown'),
    });
    const recoveredFault = [
      { second: 7, error: 'EOF', capability: 'evm@1', state: 'failed' },
      { second: 8, error: null, capability: 'evm@1', state: 'succeeded' },
    ];
    const anyCalls = fc
      .tuple(fc.array(anyCall, { maxLength: 8 }), fc.boolean())
      .map(([calls, endsRecovered]) => (endsRecovered ? [...calls, ...recoveredFault] : calls));
    const anyOwn = fc.constantFrom(null, 'out of gas', gateway, `run failed: ${reverted}`);
    let recovered = 0;
    const property = fc.property(anyCalls, anyOwn, (drawn, own) => {
      const calls = drawn
        .map(({ second, error, ...more }) => call(second, error, more))
        .toSorted((one, another) => one.startMs - another.startMs);
      const found = judge(calls, own);
      if (found === null) return;
      const named = calls[found.index];
      expect(found.certainty === 'certain').toBe(found.evidence === 'own_error');
      if (found.certainty !== 'certain' || !named) return;
      expect(named.errors.some(({ error }) => own?.includes(error))).toBe(true);
      const later = calls.filter(({ startMs }) => startMs >= named.endMs);
      const isRecovered = (one: Suspect) =>
        calls.some(
          ({ capability, state, startMs }) =>
            capability === one.capability && state === 'succeeded' && startMs >= one.endMs,
        );
      const faulty = later.filter(({ state, errors }) => state === 'failed' || errors.length > 0);
      expect(faulty.filter((one) => !isRecovered(one))).toEqual([]);
      recovered += faulty.length;
      expect(later.some(({ state }) => state === 'unfinished')).toBe(false);
      expect(later.some(({ capability, state }) => capability === named.capability && state === 'succeeded')).toBe(
        false,
      );
    });
    fc.assert(property, { numRuns: 500 });
    expect(recovered).toBeGreaterThan(0);
  });
});
