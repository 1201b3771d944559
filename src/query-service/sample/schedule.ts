/**
 * Makes the executions of one workflow. Each depends only on a seed and its due time, so that its link outlives a
 * rebuilt sample.
 */
import type { ErrorRecord, EventRecord, ExecutionRecord, LogRecord } from '../records/record.ts';
import { dayMs, hourMs, momentsOf } from './moments.ts';
import type { Occurrence, SampleOrganization, Workflow } from './organizations.ts';
import { createRandom, isChosen, type Random, seedOf, uuidFrom } from './random.ts';
import { capabilities, type Facts, type Fault, faults, type Line, type Recipe, recipes } from './recipes.ts';

export type Schedule = ReturnType<typeof createSchedule>;

/** @param builtAt epoch milliseconds */
export function createSchedule(
  { organizationId, idPrefix = '' }: SampleOrganization,
  key: string,
  workflow: Workflow,
  { seed, builtAt }: { readonly seed: string; readonly builtAt: number },
) {
  const workflowSeed = seedOf(`${seed}/${key}`);
  const random = createRandom(workflowSeed);
  const workflowUuid = uuidFrom(random, idPrefix);
  const { days = 30, nodes = 9, releases = { '1.0.0': days }, last, silentDays = 0 } = workflow;
  const recipe: Recipe = recipes[workflow.recipe];
  const occurrences = Object.entries(workflow.faults ?? {}) as readonly [keyof typeof faults, Occurrence][];
  const endedDaysAgo = last && last.status !== 'FAILED' ? last.daysAgo : silentDays;
  return {
    name: key,
    speed: [80, 135] as const,
    creditMicros: 4_200,
    ...workflow,
    organizationId,
    idPrefix,
    workflowUuid,
    seed: workflowSeed,
    days,
    nodes,
    builtAt,
    recipe,
    moments: momentsOf(builtAt),
    calls: Object.entries({ trigger: 'cron 0-45', ...recipe.calls }).map(readCall),
    faults: occurrences.map(([name, occurrence]) => ({ fault: faults[name] as Fault, occurrence })),
    /** Milliseconds by which each node's clock is ahead. */
    skewsMs: Array.from({ length: nodes }, (_, index) => random.between(0, 140) + (index === 3 ? 1_600 : 0)),
    /** Oldest first. */
    releases: Object.entries(releases).map(([release, daysAgo]) => ({ release, at: builtAt - daysAgo * dayMs })),
    /** No execution starts at or after it. */
    endsAt: endedDaysAgo === 0 ? Number.POSITIVE_INFINITY : builtAt - endedDaysAgo * dayMs,
  };
}

type Call = ReturnType<typeof readCall>;

/** Reads a call. The platform's word for a finished call differs between capabilities. */
function readCall([label, text]: readonly [string, string]) {
  const [capability = '', startMs, endMs] = text.split(/[ -]/);
  const [capabilityId, method] = capabilities[capability as keyof typeof capabilities];
  const doneStatus = capability === 'cron' ? 'SUCCESS' : 'COMPLETED';
  return { label, capabilityId, method, doneStatus, startMs: Number(startMs), endMs: Number(endMs) };
}

/** An execution without its details. */
type Run = {
  readonly uuid: string;
  readonly id: string;
  readonly index: number;
  readonly dueAt: number;
  readonly startedAt: number;
  readonly finishedAt: number;
  /** Factor for the recipe's times. */
  readonly speed: number;
  readonly fault: Fault | null;
  /** Continues after the ids and times. */
  readonly random: Random;
};

/** No execution takes longer. */
export const durationMsMax = hourMs / 12;
const startDelayMsMax = 900;
const wrapUpMs = 60;

/** @returns executions that start after `from` and not after `to`, newest first */
function* runsOf(schedule: Schedule, { from, to }: Window): Generator<Run> {
  if (schedule.every === null) return;
  const [period, phase] = schedule.every;
  const indexAt = (time: number) => Math.floor((time / 1000 - phase) / period);
  for (let index = indexAt(to); index >= indexAt(from - startDelayMsMax); index -= 1) {
    const run = runAt(schedule, index, (index * period + phase) * 1000);
    if (run.startedAt > from && run.startedAt <= to && run.startedAt < schedule.endsAt) yield run;
  }
}

function runAt(schedule: Schedule, index: number, dueAt: number): Run {
  const random = createRandom(schedule.seed, index, 1);
  const uuid = uuidFrom(random, schedule.idPrefix);
  const id = schedule.idPrefix + random.hex(64 - schedule.idPrefix.length);
  const startedAt = dueAt + random.between(0, startDelayMsMax);
  const speed = random.between(...schedule.speed) / 100;
  const fault = schedule.faults.find(({ occurrence }) => occurs(occurrence, schedule, index, startedAt))?.fault ?? null;
  const workMs =
    fault === null
      ? Math.max(...schedule.calls.map(({ endMs }) => endMs)) * speed
      : (callOf(schedule, fault)?.startMs ?? 0) * speed + fault.ends.afterMs;
  const finishedAt = startedAt + Math.round(workMs) + wrapUpMs;
  return { uuid, id, index, dueAt, startedAt, finishedAt, speed, fault, random };
}

function occurs(
  { sinceDaysAgo = Number.POSITIVE_INFINITY, inOutage, some }: Occurrence,
  { seed, moments: { builtAt, outageFrom, outageTo } }: Schedule,
  index: number,
  startedAt: number,
): boolean {
  const isDue = inOutage
    ? startedAt >= outageFrom && startedAt < outageTo
    : startedAt >= builtAt - sinceDaysAgo * dayMs;
  return isDue && (some === undefined || isChosen(seed, index, ...some));
}

function callOf({ calls }: Schedule, fault: Fault | null): Call | undefined {
  return fault === null ? undefined : calls.find(({ label }) => label === fault.ends.call);
}

/** Number of good executions before each failure that have events and logs, for comparison with the failure. */
const detailedGoodRuns = 5;
/** Period in seconds up to which schedules log less for good executions. */
const terseSecondsMax = 30;

/** Epoch milliseconds; executions that start after `from` and not after `to`. */
type Window = { readonly from: number; readonly to: number };

/** @param asOf epoch milliseconds; executions that had not ended by then are in progress @returns newest first */
export function* executionsOf(schedule: Schedule, window: Window, asOf: number): Generator<ExecutionRecord> {
  const isTerse = (schedule.every?.[0] ?? Number.POSITIVE_INFINITY) <= terseSecondsMax;
  let goodRuns = Number.POSITIVE_INFINITY;
  for (const run of runsOf(schedule, window)) {
    goodRuns = run.fault === null ? goodRuns + 1 : 0;
    const isNearFailure = goodRuns <= detailedGoodRuns;
    const hasDetails = isNearFailure || run.startedAt >= schedule.builtAt - dayMs;
    yield executionRecord(schedule, run, asOf, hasDetails && { isVerbose: isNearFailure || !isTerse });
  }
}

function executionRecord(
  schedule: Schedule,
  run: Run,
  asOf: number,
  details: false | { readonly isVerbose: boolean },
): ExecutionRecord {
  const { blemish } = schedule;
  const isBlemished =
    run.fault === null && blemish !== undefined && occurs(blemish, schedule, run.index, run.startedAt);
  const record = {
    organizationId: schedule.organizationId,
    uuid: run.uuid,
    id: run.id,
    workflowUuid: schedule.workflowUuid,
    startedAt: run.startedAt,
    executedInTee: schedule.isInTee === true,
    ...outcomeOf(schedule, run, asOf, isBlemished),
  };
  if (!details) return { ...record, errors: null, logs: null, events: null };
  const progress = { schedule, run, asOf, facts: factsOf(run.random, schedule.nodes), isBlemished };
  const { fault, finishedAt } = run;
  const errors = fault === null || finishedAt > asOf ? null : errorsOf(fault, progress.facts);
  const wrapping = fault?.wrapping?.(progress.facts) ?? '';
  return {
    ...record,
    errors: errors?.map(({ error, count }) => ({ error: wrapping + error, count })) ?? null,
    logs: logsOf(progress, details.isVerbose),
    events: eventsOf(progress),
  };
}

type Outcome = Pick<ExecutionRecord, 'status' | 'classifiedStatus' | 'detailedStatus' | 'finishedAt' | 'creditMicros'>;

function outcomeOf({ creditMicros }: Schedule, run: Run, asOf: number, isBlemished: boolean): Outcome {
  const { fault, finishedAt, speed } = run;
  if (finishedAt > asOf) {
    const nothing = { classifiedStatus: null, detailedStatus: null, finishedAt: null, creditMicros: null };
    return { status: 'IN_PROGRESS', ...nothing };
  }
  const credits = Math.round(creditMicros * speed * (fault === null ? 1 : 0.6));
  const ended = { finishedAt, creditMicros: credits };
  if (fault === null) {
    const detailedStatus = isBlemished ? 'COMPLETED_WITH_ERRORS' : 'COMPLETED';
    return { status: 'SUCCESS', classifiedStatus: 'SUCCESS', detailedStatus, ...ended };
  }
  const detailedStatus = fault.errors === null ? 'FAILED_NO_DETAIL' : 'FAILED';
  return { status: 'FAILURE', classifiedStatus: fault.ends.classifiedStatus, detailedStatus, ...ended };
}

function factsOf(random: Random, nodes: number): Facts {
  const [ref, address, hash] = [random.hex(8), random.hex(40), random.hex(64)];
  return { nodes, ref, address, hash, few: random.between(2, 40), many: random.between(10_000, 99_999) };
}

function errorsOf(fault: Fault, facts: Facts): readonly ErrorRecord[] | null {
  const errors = fault.errors?.(facts) ?? null;
  return typeof errors === 'string' ? [{ error: errors, count: fault.nodesUp ?? facts.nodes }] : errors;
}

/** An execution up to `asOf`, without any later event. */
type Progress = {
  readonly schedule: Schedule;
  readonly run: Run;
  readonly asOf: number;
  readonly facts: Facts;
  readonly isBlemished: boolean;
};

/** Limit by which a call is faster than its recipe. */
const savedMsMax = 400;

function eventsOf({ schedule, run, asOf, facts, isBlemished }: Progress): EventRecord[] {
  const failing = callOf(schedule, run.fault);
  const blemish = isBlemished ? schedule.blemish : undefined;
  const eventOf = (call: Call): EventRecord => {
    const slowestMs = (call.endMs - call.startMs) * run.speed;
    const ending =
      run.fault !== null && call === failing
        ? { lengthMs: run.fault.ends.afterMs, status: run.fault.ends.status, errors: errorsOf(run.fault, facts) }
        : {
            lengthMs: slowestMs - Math.min((slowestMs * run.random.between(0, 12)) / 100, savedMsMax),
            status: call.doneStatus,
            errors: blemish?.call === call.label ? blemish.errors(facts) : null,
          };
    const startedAt = run.startedAt + Math.round(call.startMs * run.speed);
    const finishedAt = startedAt + Math.round(ending.lengthMs);
    const head = { capabilityId: call.capabilityId, method: call.method, startedAt };
    return finishedAt > asOf
      ? { ...head, status: 'IN_PROGRESS', finishedAt: null, errors: null }
      : { ...head, status: ending.status, finishedAt, errors: ending.errors };
  };
  return schedule.calls
    .filter(({ startMs }) => failing === undefined || startMs <= failing.startMs)
    .map(eventOf)
    .filter(({ startedAt }) => startedAt <= Math.min(asOf, run.finishedAt));
}

/** @returns every line once for each node that logs it, with that node's time, in the order of those times */
function logsOf({ schedule, run, asOf, facts, isBlemished }: Progress, isVerbose: boolean): LogRecord[] {
  const { fault, speed } = run;
  const { recipe, blemish, skewsMs } = schedule;
  const failing = callOf(schedule, fault);
  const release = schedule.releases.findLast(({ at }) => at <= run.startedAt)?.release ?? '';
  const started: Line = [
    50,
    `started by cron slot ${new Date(run.dueAt).toISOString()}, release ${release}`,
    'verbose',
  ];
  const own = [started, ...recipe.lines].filter(([atMs]) => failing === undefined || atMs < failing.startMs);
  const clocks = skewsMs.slice(0, fault?.nodesUp);
  const logs: LogRecord[] = [];
  const add = ([, text, detail]: Line, atMs: number) => {
    const at = run.startedAt + Math.round(atMs);
    if (run.startedAt + atMs > asOf || (detail && !isVerbose)) return;
    clocks.forEach((skewMs, index) => {
      const message = typeof text === 'string' ? text : text(facts, index + 1);
      if (message === undefined) return;
      const timestamp = at + skewMs + ((at + index * 7) % 10);
      logs.push({ nodeId: `node-${index + 1}`, message: (recipe.linePrefix ?? '') + message, timestamp });
    });
  };
  for (const line of [...own, ...(isBlemished ? (blemish?.lines ?? []) : [])]) add(line, line[0] * speed);
  for (const line of fault?.lines ?? []) add(line, (failing?.startMs ?? 0) * speed + line[0]);
  return logs.sort((one, other) => one.timestamp - other.timestamp);
}
