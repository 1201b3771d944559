/** Which slots of a schedule a story touches, and the shape of the workflows to which the stories happen. */
import type { DeploymentStatus } from '../records/record.ts';
import { dayMs, type Moments } from './moments.ts';
import { isChosen } from './random.ts';
import type { Blemish, Hits, Recipe, Trouble } from './recipe.ts';

export function since(moment: keyof Moments): Hits {
  return ({ startedAt }, moments) => startedAt >= moments[moment];
}

export const inOutage: Hits = ({ startedAt }, moments) =>
  startedAt >= moments.outageFrom && startedAt < moments.outageTo;

/** So many of every `of` consecutive slots, irregularly. */
export function some(count: number, of: number): Hits {
  return ({ index }, _moments, seed) => isChosen(seed, index, count, of);
}

export function both(first: Hits, second: Hits): Hits {
  return (slot, moments, seed) => first(slot, moments, seed) && second(slot, moments, seed);
}

export type DeploymentPlan = {
  readonly release: string;
  readonly status: DeploymentStatus;
  /** Epoch milliseconds. */
  readonly at: (moments: Moments) => number;
  readonly errorMessage?: string;
};

export type SampleWorkflow = {
  /** Names the workflow's ids, so that they outlive a change of its name. */
  readonly key: string;
  readonly name: string;
  readonly status: DeploymentStatus;
  /** Null for one that only runs when called. */
  readonly everySeconds: number | null;
  /** When within its period the schedule is due. */
  readonly phaseSeconds: number;
  readonly historyDays: number;
  /** No execution starts at or after it. */
  readonly endsAt: (moments: Moments) => number;
  readonly nodes: number;
  readonly recipe: Recipe;
  /** The slowest and the fastest run, in percent of the recipe's times. */
  readonly speed: readonly [min: number, max: number];
  readonly isInTee: boolean;
  readonly creditMicros: number;
  readonly troubles: readonly Trouble[];
  readonly blemish: Blemish | null;
  /** Oldest first; the first one begins the history. */
  readonly deployments: readonly DeploymentPlan[];
};

type Told = Pick<SampleWorkflow, 'key' | 'everySeconds' | 'recipe'> & Partial<SampleWorkflow>;

/** @returns a workflow that is healthy, active, has 30 days of history and one deployment, but for what is told */
export function workflow(told: Told): SampleWorkflow {
  const historyDays = told.historyDays ?? 30;
  return {
    name: told.key,
    status: 'ACTIVE',
    phaseSeconds: 0,
    historyDays,
    endsAt: () => Number.POSITIVE_INFINITY,
    nodes: 9,
    speed: [80, 135],
    isInTee: false,
    creditMicros: 4_200,
    troubles: [],
    blemish: null,
    deployments: [deployed('1.0.0', historyDays)],
    ...told,
  };
}

/** A deployment that took, so many days before the sample was built. */
export function deployed(release: string, daysAgo: number): DeploymentPlan {
  return { release, status: 'ACTIVE', at: ({ builtAt }) => builtAt - daysAgo * dayMs };
}
