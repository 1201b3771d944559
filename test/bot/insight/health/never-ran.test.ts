/** An active workflow that never ran is named a day after its activation, not before, and never if it ran or rests. */
import { describe, expect, it } from 'vitest';
import { neverRan } from '../../../../src/bot/insight/health/silence.ts';
import { aDeployment, ago, aWorkflow, now } from '../../../support/service/service-data.ts';

const dayMinutes = 1440;
const dayMs = dayMinutes * 60_000;
const fresh = aWorkflow({
  registeredAt: ago(3 * dayMinutes),
  executedAt: null,
  executionCountByStatus: { success: 0, failure: 0 },
});
const deployments = (
  ...rows: readonly (readonly [status: 'ACTIVE' | 'PAUSED' | 'FAILED' | 'PENDING', days: number])[]
) => rows.map(([status, days]) => aDeployment({ status, deployedAt: ago(days * dayMinutes) }));

describe('an active workflow without a run', () => {
  it('is named with the time for which it has been active', () => {
    expect(neverRan(fresh, deployments(['ACTIVE', 2]), now)).toEqual({
      name: 'payments',
      since: now - 2 * dayMs,
      isActiveSince: true,
    });
  });

  it('is named with its registration if its deployments are not known', () => {
    const since = now - 3 * dayMs;
    expect(neverRan(fresh, null, now)).toEqual({ name: 'payments', since, isActiveSince: false });
    expect(neverRan(fresh, [], now)).toEqual({ name: 'payments', since, isActiveSince: false });
  });

  it.each([
    ['another deployment', deployments(['ACTIVE', 0.1], ['ACTIVE', 2])],
    ['a failed or pending deployment', deployments(['FAILED', 0.1], ['PENDING', 0.2], ['ACTIVE', 2])],
  ])('counts its activity on over %s', (_, rows) => {
    expect(neverRan(fresh, rows, now)?.since).toBe(now - 2 * dayMs);
  });

  it.each([
    ['it is active for less than a day', fresh, deployments(['ACTIVE', 0.99])],
    ['it was paused until less than a day ago', fresh, deployments(['ACTIVE', 0.5], ['PAUSED', 1], ['ACTIVE', 9])],
    ['it was registered less than a day ago', { ...fresh, registeredAt: ago(60) }, null],
    ['its registration cannot be read', { ...fresh, registeredAt: '' }, null],
    ['it is paused', { ...fresh, status: 'PAUSED' as const }, deployments(['ACTIVE', 2])],
    ['it has run', { ...fresh, executedAt: ago(5) }, deployments(['ACTIVE', 2])],
    [
      'the service counts a run',
      { ...fresh, executionCountByStatus: { success: 0, failure: 1 } },
      deployments(['ACTIVE', 2]),
    ],
  ])('is not named if %s', (_, workflow, rows) => {
    expect(neverRan(workflow, rows, now)).toBeNull();
  });
});
