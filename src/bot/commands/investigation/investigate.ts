/** Investigates one execution: collects its data in few round trips and derives verdict, timeline, consensus and comparison. */
import { runCooperatively } from '../../../shared/time/cooperative.ts';
import { causesOf } from '../../health/causes.ts';
import { queryHealths } from '../../health/workflow-health.ts';
import { type WithCause, withCause } from '../../insight/causes/cause.ts';
import { type Comparison, compareWithGood } from '../../insight/executions/comparison.ts';
import { type Consensus, consensusOf } from '../../insight/executions/consensus.ts';
import { findRootCause } from '../../insight/executions/root-cause.ts';
import { type Timeline, timelineOf } from '../../insight/executions/timeline.ts';
import { type BlameFinding, findBlame } from '../../insight/health/deployment-blame.ts';
import type { Health } from '../../insight/health/health.ts';
import type { Profile } from '../../insight/health/onset.ts';
import type { EarlierRuns } from '../../query/operations/workflow-batches.ts';
import type { QueryClient } from '../../query/query-client.ts';
import {
  type Answered,
  type DetailedExecution,
  type Execution,
  type ExecutionDetail,
  type LogLine,
  notNeeded,
  nullOnFailure,
} from '../../query/results.ts';
import { type ExecutionVerdict, isOver } from '../../views/execution/verdict.ts';
import { shortExecutionId } from '../../views/format/outside-text.ts';
import { findElsewhere } from './find-elsewhere.ts';
import { searchOnset } from './search-onset.ts';
import {
  type FailureHistory,
  type LongStreak,
  queryLongStreak,
  recoveryOf,
  recurrenceOf,
  riseOf,
  streakOf,
} from './streak.ts';

export type Investigation = {
  readonly verdict: ExecutionVerdict;
  /** Null if the service could not say. */
  readonly timeline: Timeline | null;
  readonly consensus: Consensus | null;
  readonly comparison: Comparison | null;
  /** Start of the compared good execution, or of the last good one if its steps are unknown; epoch milliseconds. */
  readonly goodAt: number | null;
  /** False if the good executions before it could not be read. */
  readonly isGoodKnown: boolean;
  /** True if it has ended, does not fail any more and all data is complete, so that a repeated request changes nothing. */
  readonly isFinal: boolean;
};

/** @param answered the result of findExecution */
export async function investigate(
  answered: Answered<ExecutionDetail>,
  ask: QueryClient,
  now: number,
): Promise<Investigation> {
  const { data: detail } = answered;
  const execution = withCause(detail.execution);
  const [startedAt, isFailure] = [Date.parse(execution.startedAt), execution.status === 'FAILURE'];
  const isPlatforms = execution.classifiedStatus === 'SYSTEM_ERROR';
  const workflow = await workflowOf(detail, ask);
  const workflowUuid = workflow.data;
  const [history, elsewhere] = await Promise.all([
    workflowUuid !== null ? queryHistory(workflowUuid, startedAt, ask) : notNeeded(),
    isFailure && isPlatforms ? findElsewhere(execution, ask, now) : notNeeded(),
  ]);
  const { goodBefore = null } = history.data ?? {};
  const [health, good, goodLog, long, kept, profile] = await Promise.all([
    queryHealthAfter(execution, workflowUuid, ask, now),
    readGood(goodBefore ?? [], ask, now),
    readLog(goodBefore?.[0], ask),
    queryLongStreak(isFailure ? history.data : null, { uuid: workflowUuid, startedAt }, ask),
    queryKept(isFailure ? workflowUuid : null, startedAt, ask),
    history.data === null || workflowUuid === null || !isFailure
      ? notNeeded()
      : searchOnset({ workflowUuid, startedAt, instants: instantsFor(history.data, startedAt) }, ask, now),
  ]);
  const missing = [answered, workflow, history, health, elsewhere, good, goodLog, long, kept, profile].flatMap(
    ({ provenance }) => provenance.missing,
  );
  const provenance = { ...answered.provenance, missing: [...new Set(missing)] };
  const timeline = await timelineOfDetail(detail, now);
  const agreement = await agreementOf(detail, goodLog.data);
  const compared = await againstGood(timeline, good.data, lastStart(goodBefore ?? []));
  const verdict = verdictOf({
    missingCalls: compared.comparison?.calls.filter(({ call }) => call === null) ?? [],
    ...{ execution, provenance, workflowUuid, history: history.data, timeline, ...agreement, now },
    ...{ profile: profile.data, long: long.data, kept: kept.data },
    ...{ elsewhere: elsewhere.data, health: health.data },
    // A deployment does not cause a platform error.
    blame: isFailure && !isPlatforms ? blameOf(history.data, profile.data) : null,
    isHistoryWhole: history.provenance.missing.length === 0,
  });
  return {
    ...{ verdict, timeline, consensus: agreement.consensus },
    ...compared,
    isGoodKnown: goodBefore !== null,
    isFinal: isOver(verdict) && missing.length === 0 && provenance.source !== 'stale',
  };
}

async function queryKept(uuid: string | null, before: number, ask: QueryClient): Promise<Answered<EarlierRuns | null>> {
  if (uuid === null) return notNeeded();
  const kept = await nullOnFailure(ask.earlierFailuresOf([{ uuid, before }]), 'since when runs are kept');
  return { ...kept, data: kept.data?.get(uuid) ?? null };
}

async function agreementOf({ execution: { status, errors }, logs }: ExecutionDetail, goodLog: readonly LogLine[]) {
  if (logs === null) return { consensus: null, rootCause: null };
  const consensus = await runCooperatively(consensusOf({ logs, knownNodes: nodesIn(goodLog) }));
  const usualMessages = goodLog.map(({ message }) => message);
  const question = { errors: errors ?? [], consensus, usualMessages };
  return { consensus, rootCause: status === 'FAILURE' ? await runCooperatively(findRootCause(question)) : null };
}

async function queryHistory(
  workflowUuid: string,
  startedAt: number,
  ask: QueryClient,
): Promise<Answered<FailureHistory | null>> {
  const asked = ask.history({ workflowUuid, before: startedAt });
  const { data, provenance } = await nullOnFailure(asked, 'the runs before and after this one');
  if (data === null) return { data, provenance };
  const [failures, failuresUntil] = await Promise.all(
    [data.failures, data.failuresUntil].map((list) => list && causesOf(list)),
  );
  return { data: { ...data, failures: failures ?? null, failuresUntil: failuresUntil ?? null }, provenance };
}

/** Deployments asked for by the service's default page. */
const deploymentsMax = 20;
const deploymentsCounted = 2;

/** Instants to count from besides the usual ones: after the last success, the newest deployments before it and the next one. */
function instantsFor(history: FailureHistory, startedAt: number): readonly number[] {
  const goodAt = lastStart(history.goodBefore ?? []);
  const deployed = (history.deployments ?? [])
    .filter(({ status }) => status !== 'FAILED')
    .map(({ deployedAt }) => Date.parse(deployedAt));
  const before = deployed.filter((at) => at <= startedAt).slice(0, deploymentsCounted);
  const next = deployed.findLast((at) => at > startedAt);
  return [...(goodAt === null ? [] : [goodAt + 1]), ...before, ...(next === undefined ? [] : [next])];
}

function blameOf(history: FailureHistory | null, profile: Profile | null): BlameFinding {
  const { deployments = null, goodBefore = null } = history ?? {};
  const isCut = (deployments?.length ?? 0) >= deploymentsMax;
  return findBlame({ profile, deployments, isCut, hasSucceeded: goodBefore === null ? null : goodBefore.length > 0 });
}

async function againstGood(timeline: Timeline | null, good: readonly Good[], lastGoodAt: number | null) {
  const [last] = good;
  if (timeline === null || last === undefined) return { comparison: null, goodAt: lastGoodAt };
  const goodTimelines = good.map((each) => each.timeline);
  return { comparison: await runCooperatively(compareWithGood(timeline, goodTimelines)), goodAt: last.at };
}

/** Some services do not say to which workflow an execution belongs; then its name decides, if only one workflow has it. */
async function workflowOf({ execution }: ExecutionDetail, ask: QueryClient): Promise<Answered<string | null>> {
  const { workflowUuid, workflowName: name } = execution;
  if (workflowUuid !== null) return { ...notNeeded(), data: workflowUuid };
  const part = 'which workflow it belongs to';
  const { data, provenance } = await nullOnFailure(ask.workflowNames(name), part);
  const [match, second] = data?.workflows.filter((workflow) => workflow.name === name) ?? [];
  if (match && !second) return { data: match.uuid, provenance };
  return { data: null, provenance: { ...provenance, missing: [...new Set([...provenance.missing, part])] } };
}

/** @returns the health in every answer about the workflow, its silence only if this is its last run; null if it is not known */
async function queryHealthAfter(
  { startedAt }: DetailedExecution,
  workflowUuid: string | null,
  ask: QueryClient,
  now: number,
): Promise<Answered<Health | null>> {
  if (workflowUuid === null) return notNeeded();
  const { data, provenance } = await queryHealths(ask, workflowUuid, now);
  const [known] = data;
  if (known === undefined) return { data: null, provenance };
  const hasRunSince = Date.parse(known.executedAt ?? '') > Date.parse(startedAt);
  return { data: hasRunSince ? { ...known.health, silence: null } : known.health, provenance };
}

export async function timelineOfDetail({ execution, events }: ExecutionDetail, now: number): Promise<Timeline | null> {
  return events === null ? null : runCooperatively(timelineOf({ execution, events, now }));
}

type Good = { readonly at: number; readonly timeline: Timeline };

/** Runs without steps are left out: they say nothing about the usual course. */
async function readGood(good: readonly Execution[], ask: QueryClient, now: number): Promise<Answered<readonly Good[]>> {
  if (good.length === 0) return { ...notNeeded(), data: [] };
  const { data: eventsByUuid, provenance } = await nullOnFailure(
    ask.eventsOf(good.map(({ uuid }) => uuid)),
    'the steps of good runs',
  );
  const timelines = await Promise.all(
    good.map(async (execution): Promise<readonly Good[]> => {
      const events = eventsByUuid?.get(execution.uuid) ?? [];
      if (events.length === 0) return [];
      const timeline = await runCooperatively(timelineOf({ execution, events, now }));
      return [{ at: Date.parse(execution.startedAt), timeline }];
    }),
  );
  return { data: timelines.flat(), provenance };
}

/** @returns the nodes that logged in the last good execution before this one; empty if unknown */
export async function usualNodes(detail: ExecutionDetail, ask: QueryClient): Promise<readonly string[]> {
  const { data: workflowUuid } = await workflowOf(detail, ask);
  if (workflowUuid === null) return [];
  const before = Date.parse(detail.execution.startedAt);
  const { data } = await nullOnFailure(ask.history({ workflowUuid, before }), 'the runs before this one');
  return nodesIn((await readLog(data?.goodBefore?.[0], ask)).data);
}

/** @returns the log of a good execution; empty if it could not be read */
async function readLog(good: Execution | undefined, ask: QueryClient): Promise<Answered<readonly LogLine[]>> {
  if (good === undefined) return { ...notNeeded(), data: [] };
  const { data, provenance } = await nullOnFailure(ask.executionLogs(good.uuid), 'the logs of the last good run');
  return { data: data?.logs ?? [], provenance };
}

function nodesIn(lines: readonly LogLine[]): readonly string[] {
  return [...new Set(lines.map(({ nodeID }) => nodeID))];
}

function lastStart([last]: readonly Execution[]): number | null {
  return last === undefined ? null : Date.parse(last.startedAt);
}

/** The facts that the verdict has as they are, and those that it is derived from. */
type VerdictFacts = Pick<
  ExecutionVerdict,
  'missingCalls' | 'provenance' | 'workflowUuid' | 'rootCause' | 'elsewhere' | 'blame' | 'health' | 'now'
> & {
  readonly execution: WithCause<DetailedExecution>;
  readonly history: FailureHistory | null;
  /** True if the history is complete. */
  readonly isHistoryWhole: boolean;
  readonly timeline: Timeline | null;
  readonly consensus: Consensus | null;
  readonly profile: Profile | null;
  readonly long: LongStreak | null;
  readonly kept: EarlierRuns | null;
};

/** An end later than this after now is impossible. */
const clockSkewMs = 5_000;

function verdictOf(known: VerdictFacts): ExecutionVerdict {
  const { execution, history, isHistoryWhole, timeline, consensus, profile, long, kept, ...facts } = known;
  const startedAt = Date.parse(execution.startedAt);
  const finishedAt = execution.finishedAt === null ? Number.NaN : Date.parse(execution.finishedAt);
  const recovery = recoveryOf(history);
  const rise = riseOf(profile);
  const streak = streakOf(execution.cause, history, profile, long);
  return {
    ...facts,
    uuid: execution.uuid,
    shortId: shortExecutionId(execution),
    workflowName: execution.workflowName,
    status: execution.status,
    detailedStatus: execution.detailedStatus,
    startedAt,
    finishedAt: finishedAt >= startedAt && finishedAt <= facts.now + clockSkewMs ? finishedAt : null,
    cause: execution.cause,
    errors: execution.errors ?? [],
    failing: timeline?.failing ?? null,
    ...callsOf(timeline),
    nodeCount: consensus === null ? null : consensus.nodes.length + consensus.silent.length,
    disagreeing: consensus === null || consensus.agreeing > 0 || consensus.groups.length < 2 ? [] : consensus.groups,
    oddNodes: consensus?.differing.map(({ node }) => node) ?? [],
    streak,
    rise,
    lastGoodAt: lastStart(history?.goodBefore ?? []),
    recovery,
    hasNotRecovered: recovery === null && history !== null && isHistoryWhole,
    recurrence: recurrenceOf(execution, history, { rise, streak }, long, kept),
  };
}

function callsOf(timeline: Timeline | null) {
  const numbered = timeline?.calls.map((call, index) => ({ index, call })) ?? [];
  const runningCalls = numbered.filter(({ call }) => call.state === 'running');
  const ended = numbered.filter(({ index, call }) => call.state !== 'running' && index !== timeline?.failing?.index);
  return { runningCalls, flawedCalls: ended.filter(({ call }) => call.state === 'failed' || call.errors.length > 0) };
}
