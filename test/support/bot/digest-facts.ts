/** Facts of a digest for views, computed from made-up failures. */
import { failingWorkflows, judgeCauses } from '../../../src/bot/insight/digest/causes.ts';
import { createTally, type FailureTally } from '../../../src/bot/insight/digest/tally.ts';
import type { DigestFacts } from '../../../src/bot/views/digest/facts.ts';
import { regularSilence } from '../insight/silences.ts';
import { ago, anExecution, minuteMs, now } from '../service/service-data.ts';

export const digestWindow = { from: now - 1440 * minuteMs, to: now };

/** Words that stay in a cause's title, unlike numbers. */
const words = 'amber birch cedar delta ember fjord grove heron iris jade koala lemon maple noble ocean pearl'.split(
  ' ',
);

/** @param index from 0 @returns the name of a cause in one word, another for each of 4,096: a repeated word counts once in a cause */
export function causeWord(index: number): string {
  return [0, 4, 8].map((shift) => words[(index >> shift) % 16]).join('');
}

/** Workflows with two failures each, spread over a number of causes. */
export function tallyOf(workflows: number, causes: number, classifiedStatus = 'USER_ERROR'): FailureTally {
  const tally = createTally({ ...digestWindow, zone: 'UTC' });
  for (let index = 0; index < workflows * 2; index += 1) {
    const workflow = Math.floor(index / 2);
    const error = `call to the ${causeWord(workflow % causes)} service was refused: permission denied`;
    tally.add(
      anExecution({
        uuid: `e-${index}`,
        workflowName: `workflow-${workflow}-with-a-name-of-some-length`,
        classifiedStatus,
        startedAt: ago(100 + (index % 1000)),
        finishedAt: ago(99 + (index % 1000)),
        errors: [{ error, count: 9 }],
      }),
    );
  }
  return tally.result();
}

/** @param tally undefined if nothing failed */
export function digestFacts(tally: FailureTally = tallyOf(0, 1), overrides: Partial<DigestFacts> = {}): DigestFacts {
  const causes = judgeCauses(
    tally,
    createTally({ ...digestWindow, zone: 'UTC' }).result(),
    (_name, _fingerprint, { first }) => ({ recurrence: 'new', since: first }),
  );
  const failing = failingWorkflows(tally, causes, []).map((workflow) => ({ ...workflow, health: null }));
  return {
    window: digestWindow,
    zone: 'Europe/Berlin',
    about: { kind: 'all' },
    dueAt: now,
    isLate: false,
    missed: [],
    failureCount: tally.count,
    onlyCounted: tally.onlyCounted,
    unreadable: 0,
    successCount: 12_000,
    failuresNotRead: 0,
    failuresBefore: 3,
    successesBefore: 12_100,
    history: null,
    daily: null,
    workflowCount: 6000,
    failedWorkflows: { existing: failing.length, deleted: 0, isAtLeast: false },
    goneWorkflows: 0,
    causes,
    shown: causes.slice(0, 8).map((cause) => ({ ...cause, failing: null, rootCause: null })),
    failing,
    successes: new Map(),
    gone: { resolved: [], unseen: [], unproven: [] },
    withErrors: null,
    silent: [],
    neverRan: [],
    deployments: [],
    deploymentsNotLookedAt: 0,
    creditUsed: null,
    lookedBackMs: 2 * 1440 * minuteMs,
    reconciliation: { days: 0, mismatches: [] },
    unchecked: [],
    missing: [],
    ...overrides,
  };
}

export const silent = (name: string, minutes: number) => ({
  ...regularSilence(now - minutes * minuteMs, minutes * minuteMs, 15 * minuteMs),
  name,
});
export const gone = (title: string) => ({ title, errors: [], workflows: ['a', 'b', 'c'], count: 3, first: 1, last: 2 });

export const deployment = { workflowName: 'payments', status: 'ACTIVE', deployedAt: now };
export const rejected = { workflowName: 'staging', status: 'FAILED', deployedAt: now };

const withErrors = {
  withErrors: 1234,
  lookedAt: 98_765,
  isWhole: true,
  workflows: new Map([1, 2, 3, 4].map((index) => [`workflow-${index}-with-a-name-of-some-length`, 5000 - index])),
};

const dayMs = 1440 * minuteMs;
const today = now - (now % dayMs);
/** The last fourteen days, the newest of which ends with the window. */
export const buckets = Array.from({ length: 14 }, (_, index) => {
  const from = today - (13 - index) * dayMs;
  const to = Math.min(from + dayMs, now);
  const times = { from: new Date(from).toISOString(), to: new Date(to).toISOString() };
  return { ...times, successCount: 1, failureCount: index * 1000 };
});
export const daily = { zone: 'UTC', buckets };

export const reconciliation = { days: 3, mismatches: [] };
/** Every other fact that a digest may have. */
export const crowded = {
  silent: [10, 20, 30, 40, 5000].map((minutes) => silent(`silent-workflow-${minutes}`, minutes)),
  gone: { resolved: ['one', 'two', 'three'].map(gone), unseen: [gone('five')], unproven: [gone('four')] },
  deployments: Array.from({ length: 9 }, (_, index) => (index % 3 === 0 ? rejected : deployment)),
  reconciliation: {
    days: 3,
    mismatches: [1, 2, 3].map((day) => ({ day: day * 86_400_000, read: 1, counted: day + 1 })),
  },
  missed: Array.from({ length: 30 }, (_, index) => ({ dueAt: now - index * 86_400_000 })),
  missing: ['the deployments of 3 of 20 workflows'],
  withErrors,
  neverRan: ['a', 'b', 'c'].map((name) => ({ name: `${name}-new-workflow`, since: 0, isActiveSince: true })),
  creditUsed: '12.5',
  isLate: true,
  daily,
};
