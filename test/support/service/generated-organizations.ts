/** Ten seeded organizations with the histories that a digest may meet, for tests that count its facts again. */
import type { RecordWriter } from '../../../src/query-service/records/port.ts';
import type {
  DeploymentRecord,
  DeploymentStatus,
  ExecutionRecord,
  WorkflowRecord,
} from '../../../src/query-service/records/record.ts';
import {
  type ArrivalFamily,
  arrivalsOf,
  type Chance,
  createChance,
  type FailureFamily,
  failuresOfStarts,
} from '../insight/arrivals.ts';
import {
  deploymentRecord,
  executionRecord,
  harbor,
  hashOf,
  serviceNow,
  uuidOf,
  workflowRecord,
} from './service-records.ts';

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;

type Window = { readonly from: number; readonly to: number };

export type GeneratedOrganization = {
  readonly name: string;
  readonly windows: readonly Window[];
  readonly workflows: number;
  readonly family: ArrivalFamily;
  readonly everyMs: number;
  readonly failures: FailureFamily;
  readonly rate: number;
  /** Longest run. */
  readonly longestMs?: number;
  /** All workflows fail of the platform in it. */
  readonly outage?: Window;
  readonly deployEveryMs?: number;
  /** The last so many workflows are registered in the window, or deleted in it. */
  readonly registered?: number;
  readonly deleted?: number;
  /** Of executions before the window. */
  readonly historyDays?: number;
  /** Further workflows. */
  readonly others?: readonly Other[];
};

/** A workflow that runs on a schedule of its own until it stops, or that never ran. */
type Other =
  | {
      readonly family: ArrivalFamily;
      readonly everyMs: number;
      /** It has not run for so long at the end of the first window. */
      readonly stoppedMs: number;
      /** Only at these hours of the day, UTC. */
      readonly hours?: readonly number[];
    }
  /** Registered so long before the end of the first window, and deployed with these statuses at equal intervals since. */
  | { readonly neverRanMs: number; readonly statuses: readonly DeploymentStatus[] };

const lastDay = { from: serviceNow - dayMs, to: serviceNow };
/** Its digest is six hours late. */
export const lateDay = { from: serviceNow - 30 * hourMs, to: serviceNow - 6 * hourMs };
const lastHour = { from: serviceNow - hourMs, to: serviceNow };
/** The clocks of Berlin go back. */
const longDay = { from: Date.parse('2026-10-24T22:00:00Z'), to: Date.parse('2026-10-25T23:00:00Z') };

/** The office has been closed for a day. */
const sunday = { from: Date.parse('2026-11-14T18:00:00Z'), to: Date.parse('2026-11-15T18:00:00Z') };
/** Workflows that run in each kind of pattern, with stops of several lengths. */
const stopped: readonly Other[] = [
  { family: 'schedule', everyMs: hourMs, stoppedMs: 5 * hourMs },
  { family: 'schedule', everyMs: hourMs, stoppedMs: 70 * minuteMs },
  { family: 'schedule with jitter', everyMs: 2 * hourMs, stoppedMs: 27 * hourMs },
  { family: 'schedule', everyMs: dayMs, stoppedMs: 26 * hourMs },
  { family: 'office hours', everyMs: 2 * hourMs, stoppedMs: 0 },
  { family: 'office hours', everyMs: hourMs, stoppedMs: 3 * hourMs },
  { family: 'weekly', everyMs: hourMs, stoppedMs: 0 },
  { family: 'weekly', everyMs: hourMs, stoppedMs: 5 * dayMs },
  { family: 'drifting', everyMs: hourMs, stoppedMs: 9 * hourMs },
  { family: 'schedule', everyMs: hourMs, hours: [1, 4, 5, 13], stoppedMs: 0 },
  { family: 'schedule', everyMs: hourMs, hours: [1, 4, 5, 13], stoppedMs: 12 * hourMs },
  { family: 'Poisson', everyMs: hourMs, stoppedMs: 9 * hourMs },
  { family: 'Poisson', everyMs: hourMs, stoppedMs: 40 * hourMs },
  { family: 'Poisson', everyMs: 30 * minuteMs, stoppedMs: 14 * hourMs },
  { family: 'log-normal gaps', everyMs: hourMs, stoppedMs: 30 * hourMs },
  { family: 'bursts', everyMs: 40 * minuteMs, stoppedMs: 60 * hourMs },
  { family: '14-day cycle', everyMs: hourMs, stoppedMs: 40 * hourMs },
];
const idle: readonly Other[] = [
  { neverRanMs: 80 * hourMs, statuses: ['ACTIVE'] },
  { neverRanMs: 30 * hourMs, statuses: [] },
  { neverRanMs: 20 * hourMs, statuses: ['ACTIVE'] },
  { neverRanMs: 90 * hourMs, statuses: ['ACTIVE', 'PAUSED', 'ACTIVE', 'ACTIVE'] },
  { neverRanMs: 50 * hourMs, statuses: ['ACTIVE', 'PAUSED', 'ACTIVE'] },
  { neverRanMs: 40 * hourMs, statuses: ['FAILED', 'PENDING', 'ACTIVE', 'FAILED'] },
  { neverRanMs: 60 * hourMs, statuses: ['ACTIVE', 'PAUSED'] },
];

const usual = { windows: [lastDay, lateDay], family: 'schedule', failures: 'independent', rate: 0.05 } as const;

export const generatedOrganizations: readonly GeneratedOrganization[] = [
  {
    ...usual,
    ...{ name: 'quiet', windows: [lastDay, lateDay, sunday], workflows: 2, everyMs: hourMs, rate: 0, historyDays: 34 },
    others: [...stopped, ...idle],
  },
  { ...usual, name: 'busy', windows: [lastDay, lastHour], workflows: 8, everyMs: 20 * minuteMs },
  {
    ...usual,
    ...{ name: 'bursty', workflows: 4, everyMs: hourMs, family: 'bursts', failures: 'bursty', rate: 0.2 },
    historyDays: 20,
  },
  {
    ...usual,
    ...{ name: 'outage', workflows: 6, everyMs: 40 * minuteMs, rate: 0.01, historyDays: 12 },
    outage: { from: serviceNow - 9 * hourMs, to: serviceNow - 7 * hourMs },
  },
  { ...usual, name: 'deploys hourly', workflows: 2, everyMs: 20 * minuteMs, rate: 0.2, deployEveryMs: hourMs },
  { ...usual, name: 'new workflows', workflows: 6, everyMs: 40 * minuteMs, registered: 3 },
  { ...usual, name: 'deleted workflows', workflows: 6, everyMs: 40 * minuteMs, rate: 0.2, deleted: 3 },
  {
    ...usual,
    ...{ name: 'long runs', windows: [lastDay, lateDay, lastHour], workflows: 4, everyMs: 40 * minuteMs, rate: 0.3 },
    longestMs: 20 * hourMs,
  },
  { ...usual, name: 'clock change', windows: [longDay], workflows: 4, everyMs: 30 * minuteMs, longestMs: 3 * hourMs },
  {
    ...usual,
    name: '100 workflows',
    workflows: 100,
    everyMs: 4 * hourMs,
    family: 'Poisson',
    failures: 'overdispersed',
  },
];

/** Only the numbers differ within a cause. */
const errors: readonly ((chance: Chance) => string)[] = [
  () => 'permission denied: missing role writer',
  (chance) => `call to the ledger timed out after ${chance.between(1000, 9000)} ms`,
  () => 'unknown field "settlementCurrency"',
  (chance) => `nonce too low: next nonce ${chance.between(100, 900)}, tx nonce ${chance.between(10, 90)}`,
];

/** Writes the records of the organization of this index. @returns its id */
export async function putGenerated(
  writer: RecordWriter,
  { ...given }: GeneratedOrganization,
  index: number,
): Promise<string> {
  const organizationId = `org_generated_${index}`;
  await writer.putOrganization({
    ...harbor.organization,
    organizationId,
    displayName: given.name,
    tenantId: 100 + index,
  });
  const chance = createChance(index, 7);
  const [window] = given.windows;
  if (window === undefined) throw new Error('no window');
  const span = { from: window.from - (given.historyDays ?? 3) * dayMs, to: window.to };
  const workflows = Array.from({ length: given.workflows }, (_, at) =>
    workflowOf(given, organizationId, index, at, window),
  );
  const executions = workflows.flatMap((workflow, at) =>
    executionsOf(given, workflow, chance, lifeOf(given, at, span)),
  );
  const others = (given.others ?? []).map((other, at) =>
    otherOf(given, other, chance, span, {
      organizationId,
      number: index * 1000 + 500 + at,
    }),
  );
  await writer.putWorkflows([...workflows, ...others.map(({ workflow }) => workflow)]);
  await writer.putDeployments([
    ...workflows.flatMap((workflow, at) => deploymentsOf(given, workflow, at, window)),
    ...others.flatMap(({ deployments }) => deployments),
  ]);
  await writer.putExecutions(
    [...executions, ...others.flatMap((other) => other.executions)].map((run, at) => ({
      ...run,
      uuid: uuidOf('execution', index * 100_000 + at),
      id: hashOf(index * 100_000 + at),
    })),
  );
  return organizationId;
}

type Identity = { readonly organizationId: string; readonly number: number };
type Generated = {
  readonly workflow: WorkflowRecord;
  readonly deployments: readonly DeploymentRecord[];
  readonly executions: readonly ExecutionRecord[];
};

function otherOf(
  given: GeneratedOrganization,
  other: Other,
  chance: Chance,
  { from, to }: Window,
  { organizationId, number }: Identity,
): Generated {
  const hasRun = 'family' in other;
  const registeredAt = hasRun ? from : to - other.neverRanMs;
  const workflow = workflowRecord(number, { organizationId, name: `other ${number}`, registeredAt });
  const life = hasRun ? { from, to: to - other.stoppedMs } : null;
  const statuses = hasRun ? [] : other.statuses;
  const isAtItsHour = ({ startedAt }: ExecutionRecord) =>
    !hasRun || other.hours?.includes(new Date(startedAt).getUTCHours()) !== false;
  return {
    workflow,
    executions: life === null ? [] : executionsOf({ ...given, ...other }, workflow, chance, life).filter(isAtItsHour),
    deployments: statuses.map((status, at) =>
      deploymentRecord(number * 1000 + at, {
        ...{ organizationId, workflowUuid: workflow.uuid, workflowId: workflow.workflowId, status },
        deployedAt: registeredAt + Math.round((at * (to - registeredAt)) / statuses.length),
      }),
    ),
  };
}

function workflowOf(
  { workflows, deleted = 0 }: GeneratedOrganization,
  organizationId: string,
  index: number,
  at: number,
  window: Window,
): WorkflowRecord {
  const isDeleted = at >= workflows - deleted;
  // The first deleted one was registered again under its name.
  const name = isDeleted && at === workflows - deleted ? 'workflow 0' : `workflow ${at}`;
  const registeredAt = window.from - 40 * dayMs;
  return workflowRecord(index * 1000 + at, {
    ...{ organizationId, name, registeredAt },
    status: isDeleted ? 'DELETED' : 'ACTIVE',
  });
}

/** The part of the span in which the workflow runs. */
function lifeOf({ workflows, registered = 0, deleted = 0 }: GeneratedOrganization, at: number, span: Window): Window {
  if (at >= workflows - registered) return { from: span.to - 10 * hourMs, to: span.to };
  if (at >= workflows - deleted) return { from: span.from, to: span.to - 8 * hourMs };
  return span;
}

function executionsOf(
  { family, everyMs, failures, rate, longestMs = 0, outage }: GeneratedOrganization,
  { organizationId, uuid }: WorkflowRecord,
  chance: Chance,
  life: Window,
): readonly ExecutionRecord[] {
  const starts = arrivalsOf(family, life, everyMs, chance);
  const hasFailed = failuresOfStarts(failures, starts, rate, chance);
  return starts.map((startedAt, at) => {
    const isOut = outage !== undefined && startedAt >= outage.from && startedAt < outage.to;
    const isFailure = isOut || hasFailed[at] === true;
    const isLong = longestMs > 0 && isFailure && chance.hits(0.5);
    const finishedAt = startedAt + (isLong ? chance.between(1, longestMs) : chance.between(500, 20_000));
    const own = { organizationId, workflowUuid: uuid, startedAt, creditMicros: chance.between(1, 90_000) };
    if (finishedAt > serviceNow) return executionRecord(0, { ...own, ...unfinished });
    if (!isFailure) return executionRecord(0, { ...own, finishedAt, detailedStatus: detailOf(chance) });
    const text = isOut
      ? 'the capabilities registry is unavailable'
      : errors[chance.between(0, errors.length - 1)]?.(chance);
    return executionRecord(0, {
      ...own,
      status: 'FAILURE',
      classifiedStatus: isOut ? 'SYSTEM_ERROR' : 'USER_ERROR',
      detailedStatus: 'FAILED',
      finishedAt: chance.hits(0.02) ? null : finishedAt,
      errors: chance.hits(0.05) || text === undefined ? null : [{ error: text, count: 5 }],
    });
  });
}

const unfinished = {
  status: 'IN_PROGRESS',
  classifiedStatus: null,
  detailedStatus: null,
  finishedAt: null,
  creditMicros: null,
} as const;

function detailOf(chance: Chance) {
  return chance.hits(0.02) ? 'COMPLETED_WITH_ERRORS' : 'COMPLETED';
}

function deploymentsOf(
  { deployEveryMs = 7 * hourMs }: GeneratedOrganization,
  { organizationId, uuid, workflowId }: WorkflowRecord,
  at: number,
  window: Window,
): readonly DeploymentRecord[] {
  const count = Math.floor((1.5 * dayMs) / deployEveryMs);
  return Array.from({ length: count }, (_, number) =>
    deploymentRecord(Number.parseInt(uuid.slice(-6), 16) * 1000 + number, {
      ...{ organizationId, workflowUuid: uuid, workflowId },
      deployedAt: window.to - number * deployEveryMs - at * minuteMs - 1,
      status: number % 5 === 4 ? 'FAILED' : 'ACTIVE',
    }),
  );
}
