/** Health of a workflow. */
import { describe, expect, it } from 'vitest';
import { type HealthFacts, judgeHealth } from '../../../../src/bot/insight/health/health.ts';
import { regularSilence } from '../../../support/silences.ts';

const now = Date.parse('2026-11-21T10:00:00Z');
const hourMs = 3_600_000;

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
  const silence = regularSilence(now - 6 * hourMs, 6 * hourMs, hourMs);

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
    ['with_errors', { counts: fine, newestExecutions: executions('SESSS') }],
    ['healthy', { counts: fine, newestExecutions: executions('SSSSSE') }],
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

  it('is the same from five newest executions and from more', () => {
    for (const letters of ['PPPPPFF', 'SSSSSEE', 'FFFFFFF', 'PFPFPFP']) {
      const [five, more] = [executions(letters.slice(0, 5)), executions(letters)];
      expect(judge({ counts: fine, newestExecutions: more }).verdict).toBe(
        judge({ counts: fine, newestExecutions: five }).verdict,
      );
    }
  });
});
