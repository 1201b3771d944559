/** Queries of a digest: its workflows, activity, usage, silent workflows and deployments. */
import { midnight } from '../domain/point-in-time.ts';
import type { ChosenWorkflows } from '../domain/subscription.ts';
import { spelledWindow, type Window } from '../domain/window.ts';
import { queryNeverRan, querySilences } from '../health/silences.ts';
import type { FailingWorkflow } from '../insight/digest/causes.ts';
import type { DayLike } from '../insight/digest/reconcile.ts';
import { isRejected, withStates } from '../insight/health/deployment-states.ts';
import { maybeSilent, type NeverRan, type SilentWorkflow } from '../insight/health/silence.ts';
import { historyMs } from '../insight/statistics.ts';
import { deploymentsMax } from '../query/operations/workflow-batches.ts';
import type { QueryClient } from '../query/query-client.ts';
import { type Answered, type DeploymentDetail, isRecoverable, nullOnFailure, type Workflow } from '../query/results.ts';
import { addDecimals } from '../query/rows.ts';
import type { DigestDeployment, DigestFrame } from '../views/digest/facts.ts';

/** Epoch milliseconds; `to` is excluded. */
export type TimeSpan = { readonly from: number; readonly to: number };

/** A fact that a digest can do without. `missing` names it if it could not be read. */
export type MaybeFact<Data> = { readonly data: Data | null; readonly missing: readonly string[] };
/** `unchecked`: as in `DigestFacts`. */
type Checked<Data> = MaybeFact<Data> & { readonly unchecked: readonly string[] };

/**
 * Reads a fact that a digest can do without. A stale answer counts as missing.
 * @param name of the fact, as a person reads it
 * @throws AppError if the key is refused, because every other query fails then, too
 */
export async function orMissing<Data>(answer: Promise<Answered<Data>>, name: string): Promise<MaybeFact<Data>> {
  const { data, provenance } = await nullOnFailure(answer, name);
  return provenance.source === 'stale' ? { data: null, missing: [name] } : { data, missing: provenance.missing };
}

/** As `orMissing`, for a fact that is read page by page. */
export async function orMissingRead<Data>(reading: Promise<Data>, name: string): Promise<MaybeFact<Data>> {
  try {
    return { data: await reading, missing: [] };
  } catch (error) {
    if (!isRecoverable(error)) throw error;
    return { data: null, missing: [name] };
  }
}

/** A fixed window, as a person would type it. */
export function windowOf({ from, to }: TimeSpan): Window {
  return { from, to, label: spelledWindow(from, to), isMoving: false };
}

/** @returns a filter for each query that reads the executions of these workflows; names are compared afterwards */
export function filtersOf(about: ChosenWorkflows): readonly { readonly workflowUuid?: string }[] {
  return about.kind === 'chosen' ? about.uuids.map((workflowUuid) => ({ workflowUuid })) : [{}];
}

/** @returns whether the name is one of those that the digest is about */
export function isAbout(about: ChosenWorkflows, name: string): boolean {
  return about.kind !== 'text' || name.toLowerCase().includes(about.text.trim().toLowerCase());
}

/** @returns the workflows that the digest is about */
export function workflowsOf(about: ChosenWorkflows, workflows: readonly Workflow[]): readonly Workflow[] {
  if (about.kind === 'chosen') return workflows.filter(({ uuid }) => about.uuids.includes(uuid));
  return workflows.filter(({ name }) => isAbout(about, name));
}

/** For more workflows some facts are not queried, because each query takes a few workflows only. */
const workflowsMax = 150;

export type Activity = {
  readonly days: readonly DayLike[] | null;
  readonly before: readonly DayLike[] | null;
  /** The 28 days before the window: the usual variation. */
  readonly history: readonly DayLike[] | null;
  /** The last 14 days, of UTC if the service does not count those of the digest's zone or the workflows are many. */
  readonly daily: { readonly zone: string; readonly buckets: readonly DayLike[] } | null;
};

/** A week, and the one before it. */
const chartedDays = 14;
/** Each is asked for by itself; for more, the days are those of UTC, which a service counts for all of them in one document. */
const zonedWorkflowsMax = 20;
const activityName = 'the number of runs';
const variationName = 'how the failure rate usually varies';
const dailyName = 'the runs by day, with which this digest is checked';

/** @param workflows of the digest; null if they are not known */
export async function queryActivity(
  ask: QueryClient,
  { about, zone }: DigestFrame,
  workflows: readonly Workflow[] | null,
  [span, before]: readonly [TimeSpan, TimeSpan],
): Promise<Activity & { readonly missing: readonly string[] }> {
  const uuids = about.kind === 'chosen' ? about.uuids : workflows?.map(({ uuid }) => uuid);
  if (about.kind !== 'all' && uuids === undefined) return { ...nothingKnown, missing: [activityName] };
  const each = about.kind === 'all' ? [{}] : (uuids ?? []).map((workflowUuid) => ({ workflowUuid }));
  if (each.length === 0) return { ...nothingKnown, missing: [] };
  const filtersOf = (one: TimeSpan) => each.map((which) => ({ ...which, window: windowOf(one) }));
  const to = midnight(span.from, 'UTC');
  const [{ data, missing }, variation, daily] = await Promise.all([
    orMissing(ask.activities([span, before].flatMap(filtersOf)), activityName),
    orMissing(ask.activities(filtersOf({ from: to - historyMs, to })), variationName),
    queryDaily(ask, each, span, zone),
  ]);
  const [days, earlier] = [data?.slice(0, each.length), data?.slice(each.length)];
  const history = summed(variation.data ?? undefined);
  return {
    days: summed(days),
    before: summed(earlier),
    history,
    daily,
    missing: [...missing, ...(history === null ? [variationName] : []), ...(daily === null ? [dailyName] : [])],
  };
}

const nothingKnown: Activity = { days: null, before: null, history: null, daily: null };

async function queryDaily(
  ask: QueryClient,
  each: readonly { readonly workflowUuid?: string }[],
  { to }: TimeSpan,
  zone: string,
): Promise<Activity['daily']> {
  const isZoned = each.length <= zonedWorkflowsMax;
  const from = midnight(to - 1, isZoned ? zone : 'UTC', 1 - chartedDays);
  const filters = each.map((which) => ({ ...which, window: windowOf({ from, to }) }));
  if (!isZoned) {
    const buckets = summed((await orMissing(ask.activities(filters), dailyName)).data ?? undefined);
    return buckets && { zone: 'UTC', buckets };
  }
  const asked = filters.map((filter) => orMissing(ask.activitySeries(filter, zone), dailyName));
  const series = (await Promise.all(asked)).map(({ data }) => data);
  const buckets = summed(series.map((one) => one?.buckets ?? null));
  return buckets && { zone: series[0]?.zone ?? zone, buckets };
}

/** Adds the buckets of several workflows. */
function summed(lists: readonly (readonly DayLike[] | null)[] | undefined): readonly DayLike[] | null {
  const sums = new Map<string, DayLike>();
  for (const list of lists ?? [null]) {
    if (list === null) return null;
    for (const bucket of list) {
      const key = `${bucket.from} ${bucket.to}`;
      const known = sums.get(key);
      sums.set(key, {
        ...bucket,
        successCount: bucket.successCount + (known?.successCount ?? 0),
        failureCount: bucket.failureCount + (known?.failureCount ?? 0),
      });
    }
  }
  return [...sums.values()];
}

/**
 * The workflows that were silent at the end of the window: a late digest says the same as one in time.
 * @param workflows null if they are not known
 */
export async function querySilent(
  ask: QueryClient,
  workflows: readonly Workflow[] | null,
  { to }: TimeSpan,
): Promise<Checked<readonly SilentWorkflow[]>> {
  const name = 'which workflows went silent';
  const unchecked = ['silent workflows'];
  if (workflows === null) return { data: null, missing: [name], unchecked };
  const candidates = maybeSilent(workflows, to);
  const checked = candidates.slice(0, workflowsMax);
  const silences = await orMissing(querySilences(ask, checked, { now: to, isPast: true }), name);
  const left = candidates.length - checked.length;
  const silent = checked.flatMap(({ uuid, name: workflowName }) => {
    const silence = silences.data?.get(uuid);
    return silence ? [{ ...silence, name: workflowName }] : [];
  });
  return {
    unchecked: silences.missing.length > 0 ? unchecked : [],
    data: silences.data && silent.sort((one, other) => one.forMs - other.forMs),
    missing: [
      ...silences.missing,
      ...(left > 0 ? [`whether ${left} more ${left === 1 ? 'workflow' : 'workflows'} went silent`] : []),
    ],
  };
}

/** The active workflows that never ran, as of the end of the window; the longest active first. */
export async function queryNeverRanIn(
  ask: QueryClient,
  workflows: readonly Workflow[] | null,
  { to }: TimeSpan,
): Promise<MaybeFact<readonly NeverRan[]>> {
  const { data, missing } = await orMissing(queryNeverRan(ask, workflows ?? [], to), 'which workflows never ran');
  return { data: data && [...data.values()].sort((one, other) => one.since - other.since), missing };
}

export type Usage = {
  /** Successful runs, by the workflow's name. */
  readonly successes: ReadonlyMap<string, number>;
  /** Sum over all workflows; null if it is not known. */
  readonly creditUsed: string | null;
  readonly missing: readonly string[];
};

/** @param important names of the workflows that are queried if there are too many, the most important first */
export async function queryUsage(
  ask: QueryClient,
  workflows: readonly Workflow[] | null,
  span: TimeSpan,
  important: readonly string[],
): Promise<Usage> {
  const ran = (workflows ?? []).filter(({ executedAt }) => executedAt !== null && Date.parse(executedAt) >= span.from);
  const isAll = ran.length <= workflowsMax;
  const byName = Map.groupBy(ran, ({ name }) => name);
  const queried = isAll
    ? ran
    : [...new Set(important)].flatMap((name) => byName.get(name) ?? []).slice(0, workflowsMax);
  const uuids = queried.map(({ uuid }) => uuid);
  const { data, missing } =
    queried.length === 0
      ? { data: null, missing: [] }
      : await orMissing(ask.countsOf(uuids, windowOf(span)), 'the number of runs by workflow');
  const successes = [...Map.groupBy(queried, ({ name }) => name)].flatMap(([name, alike]) => {
    const counts = alike.flatMap(({ uuid }) => data?.get(uuid) ?? []);
    if (counts.length < alike.length) return [];
    return [[name, counts.reduce((sum, { success }) => sum + success, 0)] as const];
  });
  const credits = uuids.map((uuid) => data?.get(uuid)?.creditUsed ?? null);
  return { successes: new Map(successes), creditUsed: isAll && ran.length > 0 ? addDecimals(credits) : null, missing };
}

/** A workflow that did not fail is asked for its rejected deployments only. */
const deploymentsOfOthersMax = 10;
/** Workflows that did not fail, in which rejected deployments are looked for. */
const othersMax = 600;

export type Deployments = Checked<readonly DigestDeployment[]> & {
  /** Number of workflows that did not fail in which rejected deployments are not looked for. */
  readonly notLookedAt: number;
};

/**
 * Deployments in the window, newest first: those of the failing workflows, and the rejected ones of all workflows. Their
 * states are those at its end.
 * A deployment in the window is no evidence that it caused the failures.
 * @param workflows of the digest, failing or not
 */
export async function queryDeployments(
  ask: QueryClient,
  failing: readonly FailingWorkflow[],
  workflows: readonly NamedWorkflow[],
  span: TimeSpan,
): Promise<Deployments> {
  const ofFailing = failing.flatMap(({ name, uuids }) => uuids.map((uuid) => ({ uuid, name })));
  const known = new Set(ofFailing.map(({ uuid }) => uuid));
  const others = workflows.filter(({ uuid }) => !known.has(uuid));
  const read = await readDeployments(ask, ofFailing.slice(0, workflowsMax), deploymentsMax, span);
  const reads = [read];
  let lookedAt = 0;
  while (lookedAt < Math.min(others.length, othersMax) && reads.at(-1)?.isRead) {
    const some = others.slice(lookedAt, Math.min(lookedAt + workflowsMax, othersMax));
    const next = await readDeployments(ask, some, deploymentsOfOthersMax, span);
    reads.push({ ...next, found: next.found.filter(isRejected) });
    lookedAt += some.length;
  }
  const found = reads.flatMap((each) => each.found);
  const cut = reads.reduce((sum, each) => sum + each.cut, 0);
  const left = Math.max(0, ofFailing.length - workflowsMax);
  return {
    data: found.toSorted((one, other) => other.deployedAt - one.deployedAt),
    missing: [
      ...new Set(reads.flatMap(({ missing }) => missing)),
      ...(left > 0 ? [`the deployments of ${left} of the workflows`] : []),
      ...(cut > 0 ? [`older deployments of ${cut === 1 ? 'one workflow' : `${cut} workflows`}`] : []),
    ],
    unchecked: reads.every(({ isRead }) => isRead) ? [] : ['failed deployments'],
    notLookedAt: others.length - lookedAt,
  };
}

type NamedWorkflow = { readonly uuid: string; readonly name: string };

type ReadDeployments = {
  /** In the window. */
  readonly found: readonly DigestDeployment[];
  readonly missing: readonly string[];
  /** Number of workflows that may have more in the window. */
  readonly cut: number;
  readonly isRead: boolean;
};

async function readDeployments(
  ask: QueryClient,
  workflows: readonly NamedWorkflow[],
  rowsMax: number,
  span: TimeSpan,
): Promise<ReadDeployments> {
  if (workflows.length === 0) return { found: [], missing: [], cut: 0, isRead: true };
  const uuids = workflows.map(({ uuid }) => uuid);
  const { data, missing } = await orMissing(ask.deploymentsOf(uuids, rowsMax), 'the deployments');
  const found = workflows.flatMap(({ uuid, name: workflowName }) =>
    withStates((data?.get(uuid) ?? []).filter((each) => deployedAtOf(each) < span.to))
      .filter(({ deployment: each }) => deployedAtOf(each) >= span.from)
      .map(({ deployment: each, state }) => ({ workflowName, status: state, deployedAt: deployedAtOf(each) })),
  );
  const isCut = (deployments: readonly DeploymentDetail[]) =>
    deployments.length >= rowsMax && deployments.every((each) => deployedAtOf(each) >= span.from);
  return { found, missing, cut: [...(data?.values() ?? [])].filter(isCut).length, isRead: data !== null };
}

function deployedAtOf({ deployedAt }: DeploymentDetail): number {
  return Date.parse(deployedAt);
}
