/** The facts about one failed execution. */
import type { ExecutionVerdict } from '../../../src/bot/views/execution/verdict.ts';
import { minuteMs, now } from '../service/service-data.ts';

export const cause = {
  fingerprint: 'f',
  title: 'unknown field … in payouts',
  otherError: null,
  classifiedStatus: 'USER_ERROR',
};

/** Of the newest of 80 failures of one workflow, which goes on. */
export function verdict(overrides: Partial<ExecutionVerdict> = {}): ExecutionVerdict {
  return {
    uuid: 'e0000000-0000-4000-8000-000000000001',
    shortId: '3f2a9c1b',
    workflowName: 'payments',
    workflowUuid: '0b6f6a1e-5b7c-4d1e-9a6f-3c2b1a0d9e8f',
    status: 'FAILURE',
    detailedStatus: null,
    startedAt: now - 2 * minuteMs,
    finishedAt: now - 2 * minuteMs + 4100,
    cause,
    missingCalls: [],
    errors: [{ error: 'payout run failed: 422: unknown field "x"', count: 9 }],
    failing: null,
    rootCause: null,
    nodeCount: 9,
    health: null,
    streak: {
      count: 80,
      hasLater: false,
      isCut: false,
      since: now - 40 * minuteMs,
      sameCauseCount: 80,
      comparedCount: 80,
    },
    rise: null,
    lastGoodAt: now - 41 * minuteMs,
    recovery: null,
    hasNotRecovered: true,
    recurrence: null,
    elsewhere: null,
    disagreeing: [],
    oddNodes: [],
    flawedCalls: [],
    runningCalls: [],
    blame: null,
    provenance: { source: 'live', asOf: now, missing: [] },
    now,
    ...overrides,
  };
}
