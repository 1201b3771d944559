/**
 * Reads what decides whether workflows are silent: their newest runs, and for overdue ones the same time of earlier weeks.
 * For those that never ran, since when they are active: their deployments say so.
 */
import { combinedProvenance } from '../domain/provenance.ts';
import { spelledWindow } from '../domain/window.ts';
import { isOverdue, learnSchedule, type Schedule } from '../insight/health/schedule.ts';
import {
  type DailyRuns,
  type EarlierRuns,
  earlierPeriods,
  isWithoutRuns,
  isYoung,
  knownRuns,
  lifePeriod,
  meanGapOf,
  type NeverRan,
  neverRan,
  type RanWorkflow,
  type Runs,
  type Silence,
  silenceOf,
} from '../insight/health/silence.ts';
import type { QueryClient } from '../query/query-client.ts';
import { type ActivityBucket, type Answered, notNeeded, nullOnFailure, type Workflow } from '../query/results.ts';
import { startOfDay } from '../query/spans.ts';

type WorkflowLike = RanWorkflow & { readonly uuid: string };
type Moment = {
  /** Epoch milliseconds. */
  readonly now: number;
  /** True if `now` is in the past, so that later runs are left out. */
  readonly isPast: boolean;
};

type Overdue = {
  readonly workflow: WorkflowLike;
  readonly uuid: string;
  readonly schedule: Schedule;
  readonly runs: Runs;
};

/** The most workflows compared with earlier weeks: each takes up to ten lists, and a reader reads no longer list. */
const overdueMax = 25;

const isSilent = 'which workflows went silent';

/** @returns by uuid: its silence, or null if it is not silent. A workflow that could not be checked is not in it */
export async function querySilences(
  ask: QueryClient,
  workflows: readonly WorkflowLike[],
  { now, isPast }: Moment,
): Promise<Answered<ReadonlyMap<string, Silence | null>>> {
  if (workflows.length === 0) return { ...notNeeded(now), data: new Map() };
  const uuids = workflows.map(({ uuid }) => uuid);
  const newest = await nullOnFailure(ask.newestStartsOf(uuids, isPast ? now : null), isSilent);
  // A stale answer cannot prove silence after its own time.
  const judgedAt = newest.provenance.source === 'stale' ? Math.min(now, newest.provenance.asOf) : now;
  const overdue = workflows.flatMap((workflow): readonly Overdue[] => {
    const { uuid, registeredAt } = workflow;
    const read = newest.data?.get(uuid);
    const starts = read?.starts.filter((start) => start <= judgedAt) ?? [];
    const schedule = learnSchedule(starts);
    if (!(read && schedule && isOverdue(schedule, starts, judgedAt))) return [];
    // Runs before the first are no rest.
    const since = read.isWhole ? (starts.at(-1) ?? judgedAt) : Date.parse(registeredAt);
    return [
      { workflow, uuid, schedule, runs: { starts, isWhole: read.isWhole, since, meanGapMs: meanGapOf(workflow) } },
    ];
  });
  const compared = overdue.slice(0, overdueMax);
  const [earlier, days] = await Promise.all([queryEarlier(ask, compared, judgedAt), queryDays(ask, compared)]);
  const judged = compared.flatMap((each) => {
    const [own, daily] = [earlier.data.get(each.uuid), days.data.get(each.uuid)];
    if (!(own && daily)) return [];
    const evidence = {
      schedule: each.schedule,
      runs: sinceFirstRun(each, own.firstAt),
      earlier: own.earlier,
      days: daily,
    };
    return [[each.uuid, silenceOf(evidence, judgedAt)] as const];
  });
  const late = new Set(overdue.map(({ uuid }) => uuid));
  const onTime = [...(newest.data?.keys() ?? [])].flatMap((uuid) => (late.has(uuid) ? [] : [[uuid, null] as const]));
  const lost = overdue.length - judged.length;
  const { missing, ...provenance } = combinedProvenance(newest.provenance, earlier.provenance, days.provenance);
  const unknown = lost > 0 ? [`whether ${lost} more ${lost === 1 ? 'workflow' : 'workflows'} went silent`] : [];
  return { data: new Map([...onTime, ...judged]), provenance: { ...provenance, missing: [...missing, ...unknown] } };
}

function sinceFirstRun({ workflow, runs }: Overdue, firstAt: number | null): Runs {
  if (firstAt === null || !isYoung(runs, firstAt)) return runs;
  return { ...runs, since: firstAt, meanGapMs: meanGapOf(workflow, firstAt) };
}

/** Keyed by uuid; a workflow with a period that could not be read is left out. */
type ByUuid<Data> = Answered<ReadonlyMap<string, Data>>;

type Earlier = {
  readonly earlier: readonly EarlierRuns[];
  /** Start of its first run; null if it is not needed. */
  readonly firstAt: number | null;
};

async function queryEarlier(ask: QueryClient, overdue: readonly Overdue[], now: number): Promise<ByUuid<Earlier>> {
  const periods = overdue.flatMap(({ uuid, schedule, runs }) =>
    [...earlierPeriods(schedule, runs, now), lifePeriod(schedule, runs)].flatMap((period) =>
      period === null ? [] : [{ uuid, period, known: knownRuns(runs, period) }],
    ),
  );
  const unread = periods.filter(({ known }) => known === null);
  const spans = unread.map(({ uuid, period: { from, to } }) => ({ uuid, from, to }));
  const { data, provenance } =
    spans.length === 0 ? notNeeded(now) : await nullOnFailure(ask.startsIn(spans), 'the runs of earlier weeks');
  const read = new Map(unread.map((each, index) => [each, data?.[index] ?? null]));
  const found = overdue.flatMap(({ uuid }) => {
    const own = periods.filter((each) => each.uuid === uuid);
    const runs = own.flatMap((each): readonly EarlierRuns[] => {
      const starts = read.get(each);
      if (each.known || !starts) return each.known ? [each.known] : [];
      return [{ ...each.period, ...starts, starts: starts.starts.filter((start) => start < each.period.to) }];
    });
    const firstAt = runs.find(isLife)?.starts[0] ?? null;
    const earlier = runs.filter((each) => !isLife(each));
    return runs.length === own.length ? [[uuid, { earlier, firstAt }] as const] : [];
  });
  return { data: new Map(found), provenance };
}

function isLife({ shiftMs }: EarlierRuns): boolean {
  return shiftMs === 0;
}

const dayMs = 86_400_000;
const daysMax = 56;

/** Runs on the days before the last run, for irregular schedules; no days for others. */
async function queryDays(ask: QueryClient, overdue: readonly Overdue[]): Promise<ByUuid<DailyRuns>> {
  const spans = overdue.map(({ uuid, schedule, runs: { starts, since } }) => {
    const to = startOfDay(starts[0] ?? since);
    const from = Math.max(to - daysMax * dayMs, startOfDay(since - 1) + dayMs);
    return { uuid, from, to, isNeeded: schedule.kind === 'irregular' && from < to };
  });
  const needed = spans.filter(({ isNeeded }) => isNeeded);
  const filters = needed.map(({ uuid: workflowUuid, from, to }) => ({
    workflowUuid,
    window: { from, to, label: spelledWindow(from, to), isMoving: false },
  }));
  const { data, provenance } =
    needed.length === 0 ? notNeeded() : await nullOnFailure(ask.activities(filters), 'the number of runs');
  const read = new Map(needed.map((each, index) => [each, data?.[index]]));
  const days = spans.flatMap((each) => {
    const buckets = each.isNeeded ? read.get(each) : [];
    return buckets ? [[each.uuid, each.isNeeded ? dailyRuns(buckets, each) : []] as const] : [];
  });
  return { data: new Map(days), provenance };
}

function dailyRuns(
  buckets: readonly ActivityBucket[],
  { from, to }: { readonly from: number; readonly to: number },
): DailyRuns {
  const byDay = new Map(
    buckets.map((bucket) => [startOfDay(Date.parse(bucket.from)), bucket.successCount + bucket.failureCount]),
  );
  return Array.from({ length: (to - from) / dayMs }, (_, index) => byDay.get(from + index * dayMs) ?? 0);
}

/** They fit two documents; a reader reads no longer list. */
const idleMax = 30;

/**
 * @param now the moment that is judged, epoch milliseconds
 * @returns by uuid: workflows that are active for a day or more and never ran
 */
export async function queryNeverRan(
  ask: QueryClient,
  workflows: readonly Workflow[],
  now: number,
): Promise<Answered<ReadonlyMap<string, NeverRan>>> {
  // One registered less than a day before is active for less.
  const candidates = workflows.filter((each) => isWithoutRuns(each) && neverRan(each, null, now) !== null);
  const checked = candidates.slice(0, idleMax);
  if (checked.length === 0) return { ...notNeeded(now), data: new Map() };
  const asked = ask.deploymentsOf(checked.map(({ uuid }) => uuid));
  const { data, provenance } = await nullOnFailure(asked, 'since when some workflows are active');
  const found = checked.flatMap((workflow) => {
    const overdue = neverRan(workflow, data?.get(workflow.uuid) ?? null, now);
    return overdue ? [[workflow.uuid, overdue] as const] : [];
  });
  const left = candidates.length - checked.length;
  const unknown = left > 0 ? [`the activation of ${left} of the workflows that never ran`] : [];
  return { data: new Map(found), provenance: { ...provenance, missing: [...provenance.missing, ...unknown] } };
}
