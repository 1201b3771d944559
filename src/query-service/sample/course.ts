/** One workflow's course through time: which of its slots ran, when, how fast, and into which trouble. */
import { hourMs, type Moments } from './moments.ts';
import { createRandom, type Random, seedOf, uuidFrom } from './random.ts';
import type { Fault, Slot } from './recipe.ts';
import type { SampleWorkflow } from './stories.ts';

export type Course = {
  readonly organizationId: string;
  readonly workflow: SampleWorkflow;
  readonly workflowUuid: string;
  readonly idPrefix: string;
  readonly moments: Moments;
  readonly seed: number;
  /** How far each node's clock is ahead, in milliseconds. */
  readonly skewsMs: readonly number[];
  /** Newest first. */
  readonly releases: readonly { readonly at: number; readonly release: string }[];
};

type CourseOptions = Pick<Course, 'organizationId' | 'workflow' | 'idPrefix' | 'moments'> & { readonly seed: string };

export function courseOf({ seed, workflow, ...rest }: CourseOptions): Course {
  const workflowSeed = seedOf(`${seed}/${workflow.key}`);
  const random = createRandom(workflowSeed);
  return {
    ...rest,
    workflow,
    seed: workflowSeed,
    workflowUuid: uuidFrom(random, rest.idPrefix),
    skewsMs: Array.from({ length: workflow.nodes }, (_, index) => random.between(0, 140) + (index === 3 ? 1_600 : 0)),
    releases: workflow.deployments
      .filter(({ status }) => status === 'ACTIVE')
      .map(({ at, release }) => ({ at: at(rest.moments), release }))
      .reverse(),
  };
}

/** An execution before anyone wrote it down. */
export type Run = Slot & {
  readonly uuid: string;
  readonly id: string;
  /** A factor of the recipe's times. */
  readonly speed: number;
  readonly finishedAt: number;
  readonly fault: Fault | null;
  readonly slotAt: number;
  /** Goes on where the run's own ids and times ended. */
  readonly random: Random;
};

/** No execution takes longer. */
export const runMsMax = hourMs / 12;
const startDelayMsMax = 900;
const wrapUpMs = 60;

/**
 * The runs that start after `from` and not after `to` (epoch milliseconds), newest first. A slot's ids and times depend on
 * nothing but the seed, so that a link to an execution outlives a rebuilt sample.
 */
export function* runsOf(course: Course, { from, to }: { readonly from: number; readonly to: number }): Generator<Run> {
  const { everySeconds, phaseSeconds, endsAt } = course.workflow;
  if (everySeconds === null) return;
  const slotIndex = (time: number) => Math.floor((time / 1000 - phaseSeconds) / everySeconds);
  const end = endsAt(course.moments);
  for (let index = slotIndex(to); index >= slotIndex(from - startDelayMsMax); index -= 1) {
    const run = runAt(course, index, (index * everySeconds + phaseSeconds) * 1000);
    if (run.startedAt > from && run.startedAt <= to && run.startedAt < end) yield run;
  }
}

function runAt(course: Course, index: number, slotAt: number): Run {
  const { recipe, speed, troubles } = course.workflow;
  const random = createRandom(course.seed, index, 1);
  const uuid = uuidFrom(random, course.idPrefix);
  const id = course.idPrefix + random.hex(64 - course.idPrefix.length);
  const startedAt = slotAt + random.between(0, startDelayMsMax);
  const factor = random.between(...speed) / 100;
  const slot = { index, startedAt };
  const fault = troubles.find(({ hits }) => hits(slot, course.moments, course.seed))?.fault ?? null;
  const workMs = fault === null ? lengthMs(recipe.steps) * factor : failingEndMs(course, fault, factor);
  return {
    ...slot,
    uuid,
    id,
    speed: factor,
    finishedAt: startedAt + Math.round(workMs) + wrapUpMs,
    fault,
    slotAt,
    random,
  };
}

function lengthMs(steps: readonly { readonly endMs: number }[]): number {
  return steps.reduce((longest, { endMs }) => Math.max(longest, endMs), 0);
}

function failingEndMs({ workflow }: Course, fault: Fault, factor: number): number {
  const startMs = workflow.recipe.steps.find(({ label }) => label === fault.step)?.startMs ?? 0;
  return startMs * factor + fault.takesMs;
}
