/** The health of a workflow for views: consistent with its state, and overridable. */
import type {
  Counts,
  Health,
  HealthState,
  JudgedWorkflow,
  Streak,
  Verdict,
} from '../../../src/bot/insight/health/health.ts';
import { regularSilence } from './silences.ts';

const verdictOf: Readonly<Record<HealthState, Verdict>> = {
  failing: 'failing',
  unstable: 'unstable',
  healthy: 'healthy',
  idle: 'quiet',
  never_run: 'quiet',
  inactive: 'inactive',
  unknown: 'unknown',
};

export function aHealth(overrides: Partial<Health> = {}): Health {
  const { state = 'healthy', silence = null, neverRan = null } = overrides;
  const isFailing = state === 'failing';
  return {
    verdict: silence ? 'silent' : neverRan ? 'never_ran' : verdictOf[state],
    state,
    silence,
    neverRan,
    inactiveAs: null,
    isFailingNow: isFailing,
    streak: null,
    recovery: null,
    intermittent: null,
    newest: { lookedAt: 5, failedInARow: isFailing ? 3 : 0, withErrors: 0 },
    ...overrides,
  };
}

/** Of a whole streak, of which neither the deployments nor an error are known. */
export function aStreak(overrides: Partial<Streak> & Pick<Streak, 'failed' | 'since'>): Streak {
  return { isWhole: true, isUsual: false, deployedAt: null, blamed: null, failure: null, ...overrides };
}

const hourMs = 3_600_000;

/** A workflow with this verdict, with evidence that fits. */
export function aJudged<Workflow>(verdict: Verdict, workflow: Workflow, now: number): JudgedWorkflow<Workflow> {
  const ran = (failure: number): Counts => ({ total: 288, success: 288 - failure, failure });
  const none: Counts = { total: 0, success: 0, failure: 0 };
  const of = (health: Partial<Health>, counts: Counts | null) => ({ workflow, health: aHealth(health), counts });
  switch (verdict) {
    case 'failing':
      return of({ state: 'failing', streak: aStreak({ failed: 12, since: now - hourMs }) }, ran(12));
    case 'silent':
      return of({ silence: regularSilence(now - 6 * hourMs, 6 * hourMs, hourMs / 4) }, ran(0));
    case 'never_ran':
      return of({ state: 'never_run', neverRan: { name: '', since: now - 72 * hourMs, isActiveSince: true } }, none);
    case 'unstable':
      return of({ state: 'unstable' }, ran(2));
    case 'with_errors':
      return of({ verdict, newest: { lookedAt: 5, failedInARow: 0, withErrors: 2 } }, ran(0));
    case 'unknown':
      return of({ state: 'unknown' }, null);
    case 'recovered':
      return of(
        {
          verdict,
          state: 'unstable',
          recovery: { lastFailedAt: now - 9 * hourMs, good: 250, failedShare: 1, usualFailures: 0 },
        },
        ran(9),
      );
    case 'healthy':
      return of({}, ran(0));
    case 'quiet':
      return of({ state: 'idle' }, none);
    case 'inactive':
      return of({ state: 'inactive' }, none);
  }
}
