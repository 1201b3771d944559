/** The facts about one failure beside its error: streak, recovery, recurrence, other workflows, deployment. */

import type { FailingStep, Step, StepError } from '../../insight/executions/timeline.ts';
import type { Blame, DeploymentLike } from '../../insight/health/deployment-blame.ts';

export type FailureStreak = {
  /** Failures without a success between them, this one the last. */
  readonly count: number;
  /** Whether there may be older ones. */
  readonly isCut: boolean;
  /** When the first of them started, epoch milliseconds. */
  readonly since: number;
  /** How many of them have this cause. */
  readonly sameCauseCount: number;
};

/** When it succeeded after the failure. */
export type Recovery = {
  /** Epoch milliseconds. */
  readonly at: number;
  /** Whether it is the first success after it; else the newest, and the first is not known. */
  readonly isFirst: boolean;
};

/** Failures of the same cause apart from this row: before its last success, or after its next. */
export type CauseRecurrence = {
  readonly others: number;
  /** Whether there may be more. */
  readonly isCut: boolean;
  /** When the first and the last of them started, epoch milliseconds; equal for one. */
  readonly first: number;
  readonly last: number;
};

/** Other workflows that failed of the same cause at about the same time. */
export type Elsewhere = {
  readonly workflows: readonly string[];
  /** How far from the failure was looked, to both sides. */
  readonly withinMs: number;
  /** Whether there may be more. */
  readonly isCut: boolean;
};

/** A step, and its index in the timeline. */
export type NumberedStep = { readonly index: number; readonly step: Step };

export type Facts = {
  readonly status: string;
  readonly startedAt: number;
  /** Null while it runs or where none was told. */
  readonly finishedAt: number | null;
  readonly failing: FailingStep | null;
  readonly streak: FailureStreak | null;
  readonly lastGoodAt: number | null;
  readonly recovery: Recovery | null;
  /** Whether it is known that no execution has succeeded since. */
  readonly hasNotRecovered: boolean;
  readonly recurrence: CauseRecurrence | null;
  readonly elsewhere: Elsewhere | null;
  /** Nodes that say other things than most; they may be why. */
  readonly oddNodes: readonly string[];
  /** Steps with errors that did not fail the execution. */
  readonly flawedSteps: readonly NumberedStep[];
  /** Steps that good executions have, and this one never came to. */
  readonly unreached: readonly Pick<Step, 'capability' | 'method'>[];
  /** Steps that are under way. */
  readonly runningSteps: readonly NumberedStep[];
  /** The execution's own. */
  readonly errors: readonly StepError[];
  readonly blame: Blame<DeploymentLike> | null;
  readonly now: number;
};
