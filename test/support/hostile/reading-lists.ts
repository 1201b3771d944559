/** Possible lists of the query service, with a piece of a text in each item, for the functions that read such lists. */

import { causeOf, groupByCause, withAges, withCause } from '../../../src/bot/insight/causes/cause.ts';
import { failingWorkflows, goneCauses, judgeCauses } from '../../../src/bot/insight/digest/causes.ts';
import { incidentOf } from '../../../src/bot/insight/digest/incident.ts';
import { countsWithin, reconcile } from '../../../src/bot/insight/digest/reconcile.ts';
import { createTally, type FailureTally } from '../../../src/bot/insight/digest/tally.ts';
import {
  callKey,
  callsByKey,
  compareWithGood,
  createUsualDurations,
  mergeOrder,
} from '../../../src/bot/insight/executions/comparison.ts';
import { consensusOf } from '../../../src/bot/insight/executions/consensus.ts';
import { findFailingCall } from '../../../src/bot/insight/executions/failing-call.ts';
import { clockOffsets, mergeNodeLogs } from '../../../src/bot/insight/executions/merge-node-logs.ts';
import { findRootCause } from '../../../src/bot/insight/executions/root-cause.ts';
import * as spans from '../../../src/bot/insight/executions/timeline.ts';
import { type TimelineEvent, timeFrameOf, timelineOf } from '../../../src/bot/insight/executions/timeline.ts';
import { findBlame } from '../../../src/bot/insight/health/deployment-blame.ts';
import { withStates } from '../../../src/bot/insight/health/deployment-states.ts';
import * as healths from '../../../src/bot/insight/health/health.ts';
import { byUrgency, byVerdict } from '../../../src/bot/insight/health/health.ts';
import { nextQuestion } from '../../../src/bot/insight/health/onset.ts';
import * as schedules from '../../../src/bot/insight/health/schedule.ts';
import * as candidates from '../../../src/bot/insight/health/silence.ts';
import * as silent from '../../../src/bot/insight/health/silence.ts';
import { neverRan } from '../../../src/bot/insight/health/silence.ts';
import { median, sum } from '../../../src/bot/insight/statistics.ts';
import { aJudged } from '../insight/health.ts';
import { finished } from '../runner/finished.ts';
import { itemsOf } from './hard-texts.ts';

export { itemsOf };

const at = '2026-11-20T10:00:00Z';
const startMs = Date.parse(at);
const window = { from: startMs - 1, to: startMs + 1_000_000_000 };
const timeOf = (index: number) => new Date(startMs + index).toISOString();

const execution = { status: 'FAILURE', startedAt: at, finishedAt: timeOf(1000) };
const errorOf = (error: string) => ({ error, count: 1 });
const failureOf = (error: string, index: number) => ({
  uuid: String(index),
  workflowName: `${index} ${error}`.slice(0, 20),
  startedAt: timeOf(index),
  finishedAt: timeOf(index + 1),
  classifiedStatus: 'SYSTEM_ERROR',
  errors: [errorOf(error)],
});
const workflowOf = (name: string, index: number) => ({
  uuid: String(index),
  name: `${index} ${name}`,
  status: 'ACTIVE',
  registeredAt: at,
  executedAt: timeOf(index),
  executionCountByStatus: null,
});
/** All overlap, and all are calls of one method. */
const eventOf = (text: string, index: number): TimelineEvent => ({
  capabilityID: 'http@1.0.0',
  status: 'FAILED',
  method: null,
  startedAt: timeOf(index),
  finishedAt: timeOf(index + 1_000_000),
  errors: index === 0 ? [errorOf(text)] : null,
});

export const errorsOfOne = (text: string) => causeOf({ classifiedStatus: null, errors: itemsOf(text).map(errorOf) });
/** Few errors, because reading them takes most of the time. */
const someOf = (text: string) => itemsOf(text).filter((_, index) => index % 40 === 0);
const withCauses = (texts: readonly string[]) => texts.map(failureOf).map((failure) => withCause(failure));
export const groups = (text: string) => groupByCause(withCauses(someOf(text)));
const isNew = () => ({ recurrence: 'new', since: 0 }) as const;
export const ages = (text: string) => withAges(groupByCause(withCauses(someOf(text))), isNew);

const suspectOf = (text: string, index: number) => ({
  capability: `${index}${text}`,
  method: null,
  state: 'unfinished',
  startMs: index,
  endMs: index,
  errors: [errorOf(`${index}${text}`)],
});
/** Each nearly contains the other. */
export const failingCallOf = (text: string) => [
  finished(findFailingCall([suspectOf(text, 1)], [errorOf(text)])),
  finished(findFailingCall([{ ...suspectOf(`${text.slice(text.length / 2)}`, 1), errors: [] }], [errorOf(text)])),
];
export const failingCallAmong = (text: string) =>
  finished(findFailingCall(itemsOf(text).map(suspectOf), [errorOf('none of them')]));

const timelineWith = (events: readonly TimelineEvent[], error: string) =>
  finished(timelineOf({ execution: { ...execution, errors: [errorOf(error)] }, events, now: startMs }));
export const timelineOfText = (text: string) =>
  timelineWith([{ ...eventOf(text, 1), capabilityID: text, status: text, method: text, finishedAt: text }], text);
export const deploymentStates = (text: string) => withStates(itemsOf(text).map((status) => ({ status })));
export const neverRanOf = (text: string) => {
  const workflow = { name: 'a', status: 'ACTIVE', registeredAt: '2026-11-20T10:00:00Z', executedAt: null };
  const deployments = itemsOf(text).map((status) => ({ status, deployedAt: status }));
  return neverRan(workflow, deployments, Date.parse('2026-11-27T10:00:00Z'));
};
export const timeFrame = (text: string) =>
  timeFrameOf({
    startedAt: 0,
    endedAt: null,
    times: itemsOf(text).map((_, index) => (index * 7_919) % 100_003),
    now: 1e6,
  });
export const timeline = (text: string) => timelineWith(itemsOf(text).map(eventOf), 'broken');
export const comparisonOfText = (text: string) =>
  finished(compareWithGood(timelineOfText(text), [timelineOfText(`${text}1`), timelineOfText(text)]));
export const comparison = (text: string) => {
  const named = itemsOf(text).map((item, index) => ({ ...eventOf(item, index), capabilityID: `${index}` }));
  const good = timeline(text);
  return [
    finished(compareWithGood(good, [good, good])),
    finished(compareWithGood(timelineWith(named, ''), [good])),
    finished(compareWithGood(timelineWith([], ''), [good])),
  ];
};

const callOf = (_: string, index: number) => ({
  capability: 'a',
  method: null,
  startMs: index,
  endMs: index + 100,
  durationMs: 100,
});
export const callKeyOf = (text: string) => callKey(text, 1);
export const callsByKeyOf = (text: string) => callsByKey(itemsOf(text).map(callOf));
export const mergedOrder = (text: string) => {
  const all = itemsOf(text).map((item, index) => `${index} ${item}`);
  return [
    mergeOrder([], all),
    mergeOrder(all, all),
    mergeOrder(all.slice(0, 1), all),
    mergeOrder(all, all.toReversed()),
  ];
};
export const usualDurations = (text: string) => {
  const placed = callsByKeyOf(text);
  const usualOf = createUsualDurations([placed, placed]);
  return [...placed.values()].map(usualOf);
};

const nodesUsual = 12;
const lineOf = (message: string, index: number) => ({
  nodeID: `node-${index % nodesUsual}`,
  message,
  timestamp: timeOf(index),
});
export const consensusOfText = (text: string) => [
  finished(
    consensusOf({ logs: [{ ...lineOf(text, 1), nodeID: text, timestamp: text }], knownNodes: [text, `${text}1`] }),
  ),
  finished(consensusOf({ logs: [lineOf(text, 1), lineOf(`${text}1`, 2), lineOf(`${text}2`, 3)] })),
];
export const consensus = (text: string) => [
  finished(consensusOf({ logs: itemsOf(text).map(lineOf) })),
  finished(consensusOf({ logs: itemsOf(text).map((item, index) => lineOf(`${index} ${item}`, index)) })),
  finished(
    consensusOf({ logs: itemsOf(text).map((item, index) => ({ ...lineOf(item, index), nodeID: `node-${index}` })) }),
  ),
];
const rootCauseIn = (logs: readonly ReturnType<typeof lineOf>[], errors: readonly string[]) =>
  finished(
    findRootCause({
      errors: errors.map((error, index) => ({ error: `${error} node-1 timeout`, count: index + 1 })),
      consensus: finished(consensusOf({ logs })),
      usualMessages: [...errors, ...logs.map(({ message }) => `${message}1`)],
    }),
  );
export const rootCauseOfText = (text: string) => [
  rootCauseIn(
    [lineOf(text, 1), lineOf(`certificate ${text}`, 2), lineOf(`${text}: certificate`, 3)],
    [text, `${text}1`],
  ),
];
export const rootCause = (text: string) => [
  rootCauseIn(itemsOf(text).map(lineOf), itemsOf(text)),
  rootCauseIn(
    itemsOf(text).map((item, index) => lineOf(`${index} certificate ${item}`, index)),
    [],
  ),
];
const saidOf = (message: string, index: number) => ({ node: index % nodesUsual, message, at: index });
export const overlayOfText = (text: string) =>
  finished(mergeNodeLogs([saidOf(text, 0), saidOf(`${text}1`, 1)], nodesUsual));
export const overlaid = (text: string) => [
  finished(mergeNodeLogs(itemsOf(text).map(saidOf), nodesUsual)),
  finished(
    mergeNodeLogs(
      itemsOf(text).map((item, index) => saidOf(`${index} ${item}`, index)),
      nodesUsual,
    ),
  ),
];
export const offsets = (text: string) =>
  clockOffsets(
    itemsOf(text).map((_, index) => ({
      moments: [
        [0, index],
        [index % nodesUsual, index],
      ],
    })),
    nodesUsual,
  );

const runs = (text: string) =>
  itemsOf(text).map((_, index) => ({
    ...{ status: index % 2 ? 'RUNNING' : 'FAILURE', detailedStatus: null, startedAt: timeOf(index) },
  }));
const counts = { total: 9, success: 1, failure: 8 };
export const health = (text: string) =>
  healths.judgeHealth({
    ...{ deploymentStatus: text, executedAt: startMs, counts, newestExecutions: runs(text) },
    ...{
      isPast: false,
      silence: null,
      isSilenceKnown: true,
      neverRan: null,
      streak: null,
      recovery: null,
      intermittent: null,
    },
  });
const judgedOf = (text: string) =>
  itemsOf(text).map((name, index) => aJudged(index % 2 ? 'silent' : 'failing', workflowOf(name, index), startMs));
export const urgent = (text: string) => byUrgency(judgedOf(text));
export const grouped = (text: string) => byVerdict(judgedOf(text));
export const failuresInARow = (text: string) => healths.failuresInARow(runs(text));

const spansOf = (text: string) => itemsOf(text).map((_, index) => ({ startMs: 2 * index, endMs: 2 * index + 1 }));
export const chain = (text: string) => spans.criticalChain(spansOf(text));
export const uncovered = (text: string) => spans.uncovered(spansOf(text), 1_000_000_000);
export const total = (text: string) => sum(itemsOf(text).map((_, index) => index));
export const middle = (text: string) => median(itemsOf(text).map((_, index) => (index * 7919) % 10_007));
export const blame = (text: string) => {
  const starts = itemsOf(text).map((_, index) => ({ at: startMs + index, hasFailed: index % 2 === 0 }));
  const to = startMs + starts.length + 1;
  const points = [startMs - 1_000_000, startMs, to].map((at, index) => ({
    at,
    good: 1000 - index,
    failed: 10 - index,
  }));
  const profile = { anchor: to, points, executions: { from: startMs, to, starts } };
  const deployments = [{ uuid: '1', status: text, deployedAt: startMs }];
  return [
    findBlame({ profile, deployments, isCut: false, hasSucceeded: true }),
    nextQuestion({ ...profile, executions: null }),
  ];
};

const tallyOf = (texts: readonly string[]): FailureTally => {
  const counting = createTally({ ...window, zone: 'UTC' });
  texts.map(failureOf).forEach(counting.add);
  return counting.result();
};
export const tally = (text: string) => tallyOf(someOf(text));
/** Many workflows that failed with one platform cause. */
const shared = (text: string) => {
  const counting = createTally({ ...window, zone: 'UTC' });
  const failure = Object.freeze(failureOf('broken', 0));
  const [cause] = [...tallyOf(['broken']).causes.values()];
  if (cause === undefined) return counting.result();
  const workflows = new Map(
    itemsOf(text).map((_, index) => [
      `w${index}`,
      { count: 1, first: startMs, last: startMs, ended: startMs, slots: 1n },
    ]),
  );
  const whole = { ...cause, workflows, count: workflows.size };
  return { ...counting.result(), count: workflows.size, causes: new Map([[failure.uuid, whole]]), workflows };
};
export const judged = (text: string) => [
  judgeCauses(shared(text), shared(text), isNew),
  judgeCauses(tally(text), tally(text), isNew),
];
export const gone = (text: string) =>
  goneCauses(tallyOf([]), shared(text), { ranAt: new Map(), successes: new Map(), successesBefore: new Map() });
export const incidents = (text: string) => {
  const { causes, slots } = shared(text);
  const looked = { slots, slotsBefore: slots.count, runRates: new Map(), causes: causes.size };
  return [...causes.values()].map((cause) => incidentOf(cause, { ...looked, before: cause }));
};
export const failing = (text: string) => {
  const failures = shared(text);
  return failingWorkflows(failures, judgeCauses(failures, null, isNew), itemsOf(text).map(workflowOf));
};
const startsOf = (text: string) => itemsOf(text).map((_, index) => startMs - index * 1000);
const regular = { kind: 'regular', everyMs: 1000, graceMs: 1000, runs: 60 } as const;
const later = startMs + 1_000_000_000;
const runsOf = (text: string) => ({ starts: startsOf(text), isWhole: true, since: 0, meanGapMs: 1000 });
const period = { shiftMs: 7 * 86_400_000, from: 0, to: later };
export const maybeSilent = (text: string) => candidates.maybeSilent(itemsOf(text).map(workflowOf), later);
export const schedule = (text: string) => schedules.learnSchedule(startsOf(text));
export const overdue = (text: string) =>
  schedules.isOverdue({ ...regular, kind: 'repeating', periodMs: 1000 }, startsOf(text), later);
export const knownRuns = (text: string) => silent.knownRuns(runsOf(text), period);
export const silence = (text: string) => {
  const earlier = [{ ...period, starts: startsOf(text).toReversed(), isCut: false }];
  return silent.silenceOf({ schedule: regular, runs: runsOf(text), earlier, days: startsOf(text) }, later);
};
const daysOf = (text: string) =>
  itemsOf(text).map((item) => ({ from: item, to: at, successCount: 1, failureCount: 1 }));
export const reconciled = (text: string) => reconcile({ ...window, zone: 'UTC' }, new Map(), daysOf(text));
export const counted = (text: string) => countsWithin(window, daysOf(text));
