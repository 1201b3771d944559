/** Health of a workflow. */
import { describe, expect, it } from 'vitest';
import { type HealthFacts, judgeHealth } from '../../../../src/bot/insight/health/health.ts';
import { createRandom } from '../../../../src/query-service/sample/random.ts';
import { regularSilence } from '../../../support/insight/silences.ts';

const now = Date.parse('2026-11-21T10:00:00Z');
const hourMs = 3_600_000;
const silence = regularSilence(now - 6 * hourMs, 6 * hourMs, hourMs);

/** Newest first, one hour apart, the newest an hour ago. @param letters S succeeded, F failed, P in progress, E completed with errors */
function executions(letters: string) {
  const words: Record<string, string> = { S: 'SUCCESS', F: 'FAILURE', P: 'IN_PROGRESS', E: 'SUCCESS' };
  return [...letters].map((letter, index) => ({
    status: words[letter] ?? letter,
    detailedStatus: letter === 'E' ? 'COMPLETED_WITH_ERRORS' : null,
    startedAt: new Date(now - (index + 1) * hourMs).toISOString(),
  }));
}

function judge(facts: Partial<HealthFacts>) {
  const counts = { total: 10, success: 8, failure: 2 };
  const usual = {
    deploymentStatus: 'ACTIVE',
    executedAt: now - hourMs,
    counts,
    isPast: false,
    silence: null,
    isSilenceKnown: true,
    neverRan: null,
    streak: null,
    recovery: null,
    intermittent: null,
  };
  return judgeHealth({ ...usual, newestExecutions: executions('SSFSS'), ...facts });
}

describe('a workflow', () => {
  it.each([
    ['FFSSS', 'failing'],
    ['PFFSS', 'failing'],
    ['FSSSS', 'unstable'],
    ['SFFFF', 'unstable'],
  ])('whose newest runs are %s is %s', (letters, state) => {
    expect(judge({ newestExecutions: executions(letters) }).state).toBe(state);
  });

  it('without failures is healthy', () => {
    expect(judge({ counts: { total: 3, success: 3, failure: 0 } }).state).toBe('healthy');
  });

  it('is judged in a past window by that window, and separately as failing now', () => {
    const counts = { total: 10, success: 10, failure: 0 };
    const past = { isPast: true, newestExecutions: executions('FFFSS') };
    expect(judge({ ...past, counts })).toMatchObject({ state: 'healthy', isFailingNow: true });
    expect(judge(past)).toMatchObject({ state: 'unstable', isFailingNow: true });
    const recovered = judge({
      isPast: true,
      counts: { total: 2, success: 0, failure: 2 },
      newestExecutions: executions('SSSSS'),
    });
    expect(recovered).toMatchObject({ state: 'failing', isFailingNow: false });
  });

  it('with only failed runs is failing, also with one run', () => {
    expect(judge({ counts: { total: 1, success: 0, failure: 1 }, newestExecutions: null }).state).toBe('failing');
  });

  it('without runs in the window is idle, or has never run', () => {
    const counts = { total: 0, success: 0, failure: 0 };
    expect(judge({ counts }).state).toBe('idle');
    expect(judge({ counts, executedAt: null, newestExecutions: [] }).state).toBe('never_run');
  });

  it.each(['PAUSED', 'DELETED', 'FAILED'])('whose deployment is %s is not judged by its runs', (deploymentStatus) => {
    expect(judge({ deploymentStatus, newestExecutions: executions('FFFFF') })).toMatchObject({
      verdict: 'inactive',
      state: 'inactive',
      silence: null,
      isFailingNow: false,
    });
  });

  it('that is PENDING or in an unknown state is judged by its runs', () => {
    expect(judge({ deploymentStatus: 'PENDING' }).state).toBe('unstable');
    expect(judge({ deploymentStatus: 'HIBERNATING' }).state).toBe('unstable');
  });

  it('without counts is not called healthy', () => {
    expect(judge({ counts: null }).state).toBe('unknown');
  });
});

describe('silence', () => {
  it('is part of the health of an active workflow only', () => {
    expect(judge({ silence }).silence).toBe(silence);
    expect(judge({ silence, deploymentStatus: 'PAUSED' }).silence).toBeNull();
  });
});

describe('the verdict', () => {
  const silence = regularSilence(now - 6 * hourMs, 6 * hourMs, hourMs);
  const neverRan = { name: 'payments', since: now - 72 * hourMs, isActiveSince: true };
  const fine = { total: 10, success: 10, failure: 0 };
  const none = { total: 0, success: 0, failure: 0 };

  it.each<[string, Partial<HealthFacts>]>([
    ['failing', { newestExecutions: executions('FFSSS'), silence }],
    ['failing', { counts: none, newestExecutions: executions('FF') }],
    ['silent', { silence }],
    ['silent', { counts: none, silence }],
    ['never_ran', { counts: none, executedAt: null, newestExecutions: [], neverRan }],
    ['unstable', { newestExecutions: executions('FSSSS') }],
    ['unstable', { newestExecutions: null }],
    ['with_errors', { counts: fine, newestExecutions: executions('EEEEE') }],
    ['healthy', { counts: fine, newestExecutions: executions('EESEE') }],
    ['healthy', { counts: fine, newestExecutions: executions('EE') }],
    ['quiet', { counts: none }],
    ['quiet', { counts: none, executedAt: null, newestExecutions: [] }],
  ])('is %s', (verdict, facts) => {
    expect(judge(facts).verdict).toBe(verdict);
  });

  it.each<[string, Partial<HealthFacts>]>([
    ['the counts', { counts: null }],
    ['the newest executions', { counts: fine, newestExecutions: null }],
    ['a check for silence that was due', { counts: fine, isSilenceKnown: false }],
  ])('is neither healthy nor quiet without %s', (_, facts) => {
    expect(judge({ newestExecutions: executions('SSSSS'), ...facts }).verdict).toBe('unknown');
  });

  it.each([
    [56, 2_880, 1, 1_560, 'recovered'],
    [7, 360, 1, 202, 'recovered'],
    [7, 360, 1, 150, 'unstable'],
    [1, 24, 1 / 24, 23, 'unstable'],
    [12, 24, 1, 6, 'recovered'],
    [12, 24, 1, 5, 'unstable'],
    // One fault: its failures lie so close together that chance does not explain it.
    [4, 96, 4 / 96, 52, 'recovered'],
    [4, 96, 4 / 96, 2, 'unstable'],
    [4, 96, 8 / 96, 7, 'recovered'],
    [4, 96, 8 / 96, 6, 'unstable'],
    [4, 96, 0.3, 52, 'unstable'],
    [2, 96, 2 / 96, 52, 'unstable'],
  ])(
    'after %i failures in %i runs, within a share of %d of the time, and %i successes since is %s',
    (failure, total, failedShare, good, verdict) => {
      const facts = {
        counts: { total, failure, success: total - failure },
        newestExecutions: executions('SSSSS'),
        recovery: { lastFailedAt: now - hourMs, good, failedShare, usualFailures: null },
      };
      expect(judge(facts).verdict).toBe(verdict);
      expect(judge({ ...facts, isPast: true }).verdict).not.toBe('recovered');
      expect(judge({ ...facts, silence }).verdict).toBe('silent');
      expect(judge({ ...facts, newestExecutions: executions('SEESE') }).verdict).toBe(verdict);
      const flawed = judge({ ...facts, newestExecutions: executions('EEEEE') });
      expect(flawed.verdict).toBe(verdict === 'recovered' ? 'with_errors' : verdict);
    },
  );

  it.each([
    [2, 96, 2 / 96, 52, 0, 'recovered'],
    [2, 96, 2 / 96, 3, 0, 'unstable'],
    [2, 96, 2 / 96, 52, 0.2, 'recovered'],
    // Two runs one after the other are one fault of a workflow that fails once in some days.
    [2, 96, 2 / 96, 52, 0.3, 'recovered'],
    [2, 96, 2 / 96, 52, 0.8, 'recovered'],
    [2, 96, 0.4, 52, 0.3, 'unstable'],
    [2, 96, 2 / 96, 52, 2, 'unstable'],
    [2, 2_880, 0.125, 2_040, 0, 'recovered'],
    [2, 2_880, 0.5, 1_300, 0, 'unstable'],
    [1, 24, 1 / 24, 12, 0, 'recovered'],
    [1, 24, 1 / 24, 12, 1.2, 'unstable'],
    [9, 288, 0.95, 20, 0, 'unstable'],
    [24, 96, 0.95, 10, 0, 'unstable'],
  ])(
    'after %i failures in %i runs, within a share of %d of the time, and %i successes since, with usually %d failures, is %s',
    (failure, total, failedShare, good, usualFailures, verdict) => {
      const counts = { total, failure, success: total - failure };
      const recovery = { lastFailedAt: now - hourMs, good, failedShare, usualFailures };
      expect(judge({ counts, newestExecutions: executions('SSSSS'), recovery }).verdict).toBe(verdict);
    },
  );

  it('of a workflow in which one run in six completes with errors is the same in all but few looks', () => {
    const { between } = createRandom(20_261_201);
    const newest = () => [...'12345'].map(() => (between(1, 6) === 1 ? 'E' : 'S')).join('');
    const verdicts = Array.from({ length: 5_000 }, newest).map((letters) =>
      judge({ counts: fine, newestExecutions: executions(letters) }),
    );
    expect(verdicts.filter(({ verdict }) => verdict !== 'healthy').length).toBeLessThan(5);
  });

  it('of a workflow that fails at a constant rate is “recovered” in few looks', () => {
    const { between } = createRandom(20_261_128);
    const random = () => between(0, 999_999) / 1_000_000;
    for (const rate of [0.0028, 0.005, 0.02, 0.1, 0.3]) {
      let [looks, wrong] = [0, 0];
      for (let day = 0; day < 4_000; day += 1) {
        const runs = Array.from({ length: 288 }, () => random() < rate);
        const failure = runs.filter(Boolean).length;
        if (failure === 0 || runs.at(-1) === true) continue;
        const good = runs.length - 1 - runs.lastIndexOf(true);
        const counts = { total: runs.length, failure, success: runs.length - failure };
        const failedShare = (runs.lastIndexOf(true) - runs.indexOf(true) + 1) / runs.length;
        const recovery = { lastFailedAt: now - hourMs, good, failedShare, usualFailures: rate * runs.length };
        looks += 1;
        wrong += Number(judge({ counts, newestExecutions: executions('SSSSS'), recovery }).verdict === 'recovered');
      }
      expect(wrong / looks, `rate ${rate}`).toBeLessThan(0.04);
    }
  });

  it('“recovered” of a workflow that rarely fails is followed by a failure within a day in few looks', () => {
    const { between } = createRandom(20_261_130);
    const failuresIn = (days: number, rate: number) =>
      Array.from({ length: 96 * days }, (_, at) => at).filter(() => between(0, 999_999) < rate * 1_000_000);
    for (const [failuresADay, share] of [
      [0.05, 0.08],
      [0.25, 0.27],
    ] as const) {
      let [said, again] = [0, 0];
      for (let day = 0; day < 12_000; day += 1) {
        const failed = failuresIn(1, failuresADay / 96);
        const [first = 0, last = 95] = [failed[0], failed.at(-1)];
        if (failed.length === 0 || last === 95) continue;
        const usualFailures = failuresIn(28, failuresADay / 96).length / 28;
        const counts = { total: 96, failure: failed.length, success: 96 - failed.length };
        const recovery = {
          lastFailedAt: now - hourMs,
          good: 95 - last,
          failedShare: (last - first + 1) / 96,
          usualFailures,
        };
        if (judge({ counts, newestExecutions: executions('SSSSS'), recovery }).verdict !== 'recovered') continue;
        said += 1;
        again += Number(failuresIn(1, failuresADay / 96).length > 0);
      }
      expect(said).toBeGreaterThan(100);
      expect(again / said, `${failuresADay} failures a day`).toBeLessThan(share);
    }
  });

  it('does not change when another run begins', () => {
    for (const letters of ['FFFFS', 'SSSSS', 'FSSSS', 'FFFFF']) {
      const [finished, running] = [letters, `PP${letters}`].map((each) =>
        judge({ newestExecutions: executions(each) }),
      );
      expect(running).toEqual(finished);
    }
  });

  it('is the same from five newest finished executions and from more', () => {
    for (const [letters, length] of [
      ['SSSSSEE', 5],
      ['FFFFFFF', 5],
      ['PFPFPSFEPE', 8],
    ] as const) {
      const [five, more] = [executions(letters.slice(0, length)), executions(letters)];
      expect(judge({ counts: fine, newestExecutions: more }).verdict).toBe(
        judge({ counts: fine, newestExecutions: five }).verdict,
      );
    }
  });
});
