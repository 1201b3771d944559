/** Parameters of the operations, and the options of a query client. */
import type { Window } from '../domain/window.ts';
import type { AnswerDeadline } from './client/deadline.ts';

/** The workflows whose names the service matches with a text, and of some statuses; all if both are left out. */
export type WorkflowsSelection = {
  readonly search?: string;
  readonly statuses?: readonly string[];
};

export type WorkflowsFilter = WorkflowsSelection & {
  /** From 0. */
  readonly page: number;
  /** From 1 to 100. */
  readonly size: number;
};

export type WorkflowStatusParameters = {
  readonly uuid: string;
  readonly window: Window;
  /** Number of newest failures to return. */
  readonly failuresMax: number;
};

/** Executions of one workflow or all, of some statuses or any, started within the window. */
export type ExecutionsFilter = {
  readonly workflowUuid?: string;
  readonly statuses?: readonly string[];
  readonly window: Window;
  /** True if an answer about another window serves while the service does not answer. */
  readonly takesOtherWindow?: boolean;
};

/** Selects one workflow, or all. */
export type ActivityFilter = Omit<ExecutionsFilter, 'statuses'>;

export type DeploymentsParameters = { readonly workflowUuid: string; readonly page: number; readonly size: number };

/** Options of one request. */
export type QueryOptions = {
  /** Bypasses the cache (the Refresh button). */
  readonly isFresh: boolean;
  /** Called before each pause between two attempts. */
  readonly onPause?: (waitMs: number) => void;
  /**
   * After this time an older cached answer is returned; the newer one serves the next request. With a deadline, it is the
   * time of all operations together.
   */
  readonly freshTimeoutMs?: number;
  /** Shared by all operations of one answer. A request continues after it, for the cache. Streams have none. */
  readonly deadline?: AnswerDeadline;
};
