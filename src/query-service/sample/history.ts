/** Executions as records: finished ones, and those that are still in progress at a moment. */
import type { ExecutionRecord } from '../records/record.ts';
import { type Course, type Run, runsOf } from './course.ts';
import { eventsOf, logsOf, type Progress } from './details.ts';
import { dayMs } from './moments.ts';
import { factsOf } from './recipe.ts';

/** So many good runs before each failure keep their events and logs, to compare the failure with. */
const goodRunsKept = 5;
/** Schedules as fast as this say less in their good runs. */
const terseSecondsMax = 30;

type Depth = 'nothing' | 'terse' | 'everything';

/**
 * @param window epoch milliseconds; runs that start after `from` and not after `to`
 * @param asOf epoch milliseconds; what had not ended by then is in progress
 * @returns newest first
 */
export function* executionsOf(
  course: Course,
  window: { readonly from: number; readonly to: number },
  asOf: number,
): Generator<ExecutionRecord> {
  let goodRuns = Number.POSITIVE_INFINITY;
  for (const run of runsOf(course, window)) {
    goodRuns = run.fault === null ? goodRuns + 1 : 0;
    yield executionRecord(course, run, depthOf(course, run, goodRuns), asOf);
  }
}

function depthOf({ workflow, moments }: Course, { startedAt }: Run, goodRuns: number): Depth {
  if (goodRuns <= goodRunsKept) return 'everything';
  if (startedAt < moments.builtAt - dayMs) return 'nothing';
  return workflow.everySeconds !== null && workflow.everySeconds <= terseSecondsMax ? 'terse' : 'everything';
}

function executionRecord(course: Course, run: Run, depth: Depth, asOf: number): ExecutionRecord {
  const { workflow } = course;
  const blemish =
    run.fault === null && workflow.blemish?.hits(run, course.moments, course.seed) ? workflow.blemish : null;
  const head = {
    organizationId: course.organizationId,
    uuid: run.uuid,
    id: run.id,
    workflowUuid: course.workflowUuid,
    startedAt: run.startedAt,
    executedInTee: workflow.isInTee,
  };
  if (depth === 'nothing') {
    return { ...head, ...outcome(course, run, asOf, blemish !== null), errors: null, logs: null, events: null };
  }
  const release = course.releases.find(({ at }) => at <= run.startedAt)?.release ?? '';
  const slot = new Date(run.slotAt).toISOString();
  const facts = factsOf(run.random, { nodes: workflow.nodes, slot, release });
  const progress: Progress = { course, run, facts, blemish, asOf };
  return {
    ...head,
    ...outcome(course, run, asOf, blemish !== null),
    errors: errorsOf(progress),
    logs: logsOf(progress, depth === 'everything'),
    events: eventsOf(progress),
  };
}

type Outcome = Pick<ExecutionRecord, 'status' | 'classifiedStatus' | 'detailedStatus' | 'finishedAt' | 'creditMicros'>;

function outcome({ workflow }: Course, { fault, finishedAt, speed }: Run, asOf: number, isBlemished: boolean): Outcome {
  if (finishedAt > asOf) {
    return {
      status: 'IN_PROGRESS',
      classifiedStatus: null,
      detailedStatus: null,
      finishedAt: null,
      creditMicros: null,
    };
  }
  if (fault !== null) {
    return {
      status: 'FAILURE',
      classifiedStatus: fault.classifiedStatus,
      detailedStatus: fault.errors === null ? 'FAILED_NO_DETAIL' : 'FAILED',
      finishedAt,
      creditMicros: Math.round(workflow.creditMicros * speed * 0.6),
    };
  }
  return {
    status: 'SUCCESS',
    classifiedStatus: 'SUCCESS',
    detailedStatus: isBlemished ? 'COMPLETED_WITH_ERRORS' : 'COMPLETED',
    finishedAt,
    creditMicros: Math.round(workflow.creditMicros * speed),
  };
}

function errorsOf({ run: { fault, finishedAt }, facts, asOf }: Progress): ExecutionRecord['errors'] {
  if (fault === null || fault.errors === null || finishedAt > asOf) return null;
  return fault.errors(facts).map(({ error, count }) => ({ error: fault.wrap(error, facts), count }));
}
