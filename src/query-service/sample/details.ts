/** What a run leaves behind besides its row: the events of its capabilities and the log lines of its nodes. */
import type { ErrorRecord, EventRecord, LogRecord } from '../records/record.ts';
import type { Course, Run } from './course.ts';
import type { Blemish, Facts, Line, Step } from './recipe.ts';

/** A run as far as it has come. */
export type Progress = {
  readonly course: Course;
  readonly run: Run;
  readonly facts: Facts;
  readonly blemish: Blemish | null;
  /** Epoch milliseconds: nothing after it has happened yet. */
  readonly asOf: number;
};

/** How much sooner than the recipe says a call may be done. */
const savedMsMax = 400;

export function eventsOf(progress: Progress): EventRecord[] {
  const { run, course } = progress;
  const failing = failingStep(progress);
  return course.workflow.recipe.steps
    .filter((step) => failing === undefined || step.startMs <= failing.startMs)
    .map((step) => (step === failing ? failedEvent(progress, step) : doneEvent(progress, step)))
    .filter(({ startedAt }) => startedAt <= Math.min(progress.asOf, run.finishedAt));
}

export function failingStep({ course, run }: Pick<Progress, 'course' | 'run'>): Step | undefined {
  return run.fault === null ? undefined : course.workflow.recipe.steps.find(({ label }) => label === run.fault?.step);
}

function doneEvent({ run, facts, blemish, asOf }: Progress, step: Step): EventRecord {
  const slowestMs = (step.endMs - step.startMs) * run.speed;
  const lengthMs = slowestMs - Math.min((slowestMs * run.random.between(0, 12)) / 100, savedMsMax);
  const errors = blemish?.step === step.label ? blemish.errors(facts) : null;
  return event(run, step, { lengthMs, asOf, status: step.doneStatus, errors });
}

function failedEvent({ run, facts, asOf }: Progress, step: Step): EventRecord {
  const { takesMs = 0, eventStatus = 'FAILURE', errors = null } = run.fault ?? {};
  return event(run, step, { lengthMs: takesMs, asOf, status: eventStatus, errors: errors?.(facts) ?? null });
}

type Ending = {
  readonly lengthMs: number;
  readonly asOf: number;
  readonly status: string;
  readonly errors: readonly ErrorRecord[] | null;
};

function event(run: Run, step: Step, { lengthMs, asOf, status, errors }: Ending): EventRecord {
  const startedAt = run.startedAt + Math.round(step.startMs * run.speed);
  const finishedAt = startedAt + Math.round(lengthMs);
  const head = { capabilityId: step.capabilityId, method: step.method, startedAt };
  return finishedAt > asOf
    ? { ...head, status: 'IN_PROGRESS', finishedAt: null, errors: null }
    : { ...head, status, finishedAt, errors };
}

/** Every line once for each node that says it, each with that node's clock; in the order of those clocks. */
export function logsOf(progress: Progress, isVerbose: boolean): LogRecord[] {
  const { run, course, blemish, asOf } = progress;
  const failing = failingStep(progress);
  const ordinary = course.workflow.recipe.lines.filter(({ atMs }) => failing === undefined || atMs < failing.startMs);
  const failingAtMs = (failing?.startMs ?? 0) * run.speed;
  const logs: LogRecord[] = [];
  const add = (line: Line, atMs: number) => {
    if (run.startedAt + atMs <= asOf && (isVerbose || !line.isVerbose)) sayAll(progress, line, atMs, logs);
  };
  for (const line of ordinary) add(line, line.atMs * run.speed);
  for (const line of blemish?.lines ?? []) add(line, line.atMs * run.speed);
  for (const line of run.fault?.lines ?? []) add(line, failingAtMs + line.atMs);
  return logs.sort((one, other) => one.timestamp - other.timestamp);
}

function sayAll({ run, facts, course }: Progress, line: Line, atMs: number, logs: LogRecord[]): void {
  const at = run.startedAt + Math.round(atMs);
  course.skewsMs.slice(0, run.fault?.nodesUp).forEach((skewMs, index) => {
    const message = line.say(facts, index + 1);
    if (message === undefined) return;
    logs.push({ nodeId: `node-${index + 1}`, message, timestamp: at + skewMs + ((at + index * 7) % 10) });
  });
}
