/** Parameters of the operations, and the options of a query client. */
import type { Window } from '../domain/window.ts';
import type { ExecutionFieldsFragment, WorkflowFieldsFragment } from './generated/operations.ts';

export type WorkflowsFilter = {
  readonly search?: string;
  readonly statuses?: readonly WorkflowFieldsFragment['status'][];
  /** From 0. */
  readonly page: number;
  /** From 1 to 100. */
  readonly size: number;
};

export type WorkflowStatusParameters = {
  readonly uuid: string;
  readonly window: Window;
  /** How many of the last failures are wanted. */
  readonly failuresMax: number;
};

/** Which executions: of one workflow or all, of some statuses or any, started within the window. */
export type ExecutionsFilter = {
  readonly workflowUuid?: string;
  readonly statuses?: readonly ExecutionFieldsFragment['status'][];
  readonly window: Window;
};

/** Of one workflow, or of all. */
export type ActivityFilter = Omit<ExecutionsFilter, 'statuses'>;

export type CountsAroundParameters = {
  readonly workflowUuid: string;
  /** Epoch milliseconds: a deployment, as a rule. */
  readonly instant: number;
  /** How far to count before it and after it; `Infinity` after it is up to now, and its answer can be remembered. */
  readonly beforeMs: number;
  readonly afterMs: number;
};

export type DeploymentsParameters = { readonly workflowUuid: string; readonly page: number; readonly size: number };

/** How one request wants its answers. */
export type QueryOptions = {
  /** Ask again even where a fresh answer is at hand (the Refresh button). */
  readonly isFresh: boolean;
  /** Called before the first question of this request that has to go to the service. */
  readonly onWait: () => void;
  /** Called each time an answer has to wait so many milliseconds before the service is asked again. */
  readonly onPause?: (waitMs: number) => void;
  /** With an older answer at hand, no newer one is waited for longer than this: it will be there the next time. */
  readonly freshTimeoutMs?: number;
};
