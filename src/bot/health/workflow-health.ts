/** Reads and judges the health of several workflows over the last 24 hours, by the same evidence as the status of one. */
import { combinedProvenance } from '../domain/provenance.ts';
import { resolveWindow } from '../domain/window.ts';
import { lastDay } from '../domain/window-words.ts';
import {
  type Counts,
  isInactive,
  type JudgedWorkflow,
  judgeHealth,
  type NamedHealth,
} from '../insight/health/health.ts';
import { isGapUnusual, isWithoutRuns, maybeSilent, type NeverRan, type Silence } from '../insight/health/silence.ts';
import type { QueryClient } from '../query/query-client.ts';
import { type Answered, type ExecutionResult, notNeeded, nullOnFailure, type Workflow } from '../query/results.ts';
import { queryNeverRan, querySilences } from './silences.ts';
import { noTurn, queryTurns, type ReadWorkflow, type Turn } from './streaks.ts';

/** Ten documents for each fact. Of more workflows the health is not read. */
export const judgedMax = 150;

export type JudgedRow = JudgedWorkflow<Workflow>;

type Evidence = {
  readonly counts: ReadonlyMap<string, Counts> | null;
  readonly newest: ReadonlyMap<string, readonly ExecutionResult[]> | null;
  /** Without those that could not be checked. */
  readonly silences: ReadonlyMap<string, Silence | null>;
  readonly neverRan: ReadonlyMap<string, NeverRan>;
  readonly turns: ReadonlyMap<string, Turn>;
};

/**
 * @param workflows at most `judgedMax` @param now epoch milliseconds; a time before it, if the workflows are as of then
 * @param isExplained whether to ask why unstable ones fail
 * @returns in their order; what could not be read is missing, and no workflow is called healthy without it
 */
export async function queryHealth(
  ask: QueryClient,
  workflows: readonly Workflow[],
  now: number,
  isExplained = false,
): Promise<Answered<readonly JudgedRow[]>> {
  const active = workflows.filter((workflow) => !isInactive(workflow));
  const ran = active.filter((workflow) => !isWithoutRuns(workflow));
  const uuids = ran.map(({ uuid }) => uuid);
  const read = <Data>(answer: () => Promise<Answered<ReadonlyMap<string, Data>>>, part: string) =>
    uuids.length === 0 ? notNeeded(now) : nullOnFailure(answer(), part);
  const [counts, newest, neverRan] = await Promise.all([
    read(() => ask.countsOf(uuids, resolveWindow(lastDay, now, 'UTC')), 'the number of runs'),
    read(() => ask.newestResultsOf(uuids), 'the newest runs'),
    queryNeverRan(ask, active, now),
  ]);
  const at = newest.provenance.source === 'stale' ? Math.min(now, newest.provenance.asOf) : now;
  const late = maybeSilent(ran, at).filter(({ uuid }) =>
    isGapUnusual(newest.data?.get(uuid)?.map(({ startedAt }) => Date.parse(startedAt)) ?? null, at),
  );
  const dayBefore = resolveWindow(lastDay, now, 'UTC').from;
  const readWorkflows = uuids.map((uuid): ReadWorkflow => {
    const known = counts.data?.get(uuid);
    return { uuid, newest: newest.data?.get(uuid) ?? [], window: known ? { counts: known, from: dayBefore } : null };
  });
  const [silences, turns] = await Promise.all([
    querySilences(ask, late, { now: at, isPast: false }),
    queryTurns(ask, readWorkflows, now, isExplained),
  ]);
  const onTime = ran.filter((workflow) => !late.includes(workflow)).map(({ uuid }) => [uuid, null] as const);
  const evidence: Evidence = {
    counts: counts.data,
    newest: newest.data,
    silences: new Map([...onTime, ...silences.data]),
    neverRan: neverRan.data,
    turns: turns.data,
  };
  const data = workflows.map((workflow) => judged(workflow, evidence));
  const others = [newest, neverRan, silences, turns].map(({ provenance }) => provenance);
  return { data, provenance: combinedProvenance(counts.provenance, ...others) };
}

/** @returns the last to run first, at most `judgedMax` */
export function lastToRun(workflows: readonly Workflow[]): readonly Workflow[] {
  const ranAt = ({ executedAt }: Workflow) => Date.parse(executedAt ?? '') || 0;
  return workflows.toSorted((one, other) => ranAt(other) - ranAt(one)).slice(0, judgedMax);
}

/** Of one workflow, or without a uuid of those that ran last. @returns none if it is not known, or no workflow has this uuid */
export async function queryHealths(
  ask: QueryClient,
  uuid: string | undefined,
  now: number,
): Promise<Answered<readonly (NamedHealth & Pick<Workflow, 'executedAt'>)[]>> {
  const part = uuid === undefined ? 'which workflows fail now' : 'its health';
  const every = await nullOnFailure(ask.everyWorkflow(), part);
  const workflows = lastToRun((every.data ?? []).filter((each) => uuid === undefined || each.uuid === uuid));
  if (workflows.length === 0) return { data: [], provenance: every.provenance };
  const at = Math.min(now, every.provenance.asOf);
  const { data, provenance } = await queryHealth(ask, workflows, at, uuid !== undefined);
  return { data: data.map(({ workflow: { name, executedAt }, health }) => ({ name, executedAt, health })), provenance };
}

const noRuns: Counts = { total: 0, success: 0, failure: 0 };

function judged(workflow: Workflow, { counts: known, newest, silences, neverRan, turns }: Evidence): JudgedRow {
  const { uuid, status, executedAt } = workflow;
  const isRead = !isWithoutRuns(workflow);
  // Of the moment of the other facts, although the list of workflows may be newer.
  const [{ startedAt } = { startedAt: executedAt }] = newest?.get(uuid) ?? [];
  const counts = isRead ? (known?.get(uuid) ?? null) : noRuns;
  const health = judgeHealth({
    deploymentStatus: status,
    executedAt: executedAt === null ? null : Date.parse(executedAt),
    counts,
    newestExecutions: isRead ? (newest?.get(uuid) ?? null) : [],
    isPast: false,
    silence: silences.get(uuid) ?? null,
    isSilenceKnown: !isRead || silences.has(uuid),
    neverRan: neverRan.get(uuid) ?? null,
    ...(turns.get(uuid) ?? noTurn),
  });
  return { workflow: { ...workflow, executedAt: startedAt }, health, counts };
}
