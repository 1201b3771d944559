/** Results of the operations: data with its time and source. An answer may be optional. */

import { AppError } from '../../shared/errors.ts';
import type { Provenance } from '../domain/provenance.ts';
import type {
  AccountQuery,
  ActivityFieldsFragment,
  DeploymentDetailFieldsFragment,
  DeploymentFieldsFragment,
  ExecutionDetailFieldsFragment,
  ExecutionEventFieldsFragment,
  ExecutionFieldsFragment,
  ExecutionIdsQuery,
  ExecutionLogFieldsFragment,
  ExecutionResultFragment,
  OrganizationFieldsFragment,
  WorkflowFieldsFragment,
  WorkflowNamesQuery,
} from './generated/operations.ts';

export type Answered<Data> = { readonly data: Data; readonly provenance: Provenance };

/** Enough to find a workflow by typed text. */
export type WorkflowName = NonNullable<WorkflowNamesQuery['workflows']>['data'][number];
export type Workflow = Omit<WorkflowFieldsFragment, 'executionCountByStatus'> & {
  /** In a list, of all time; null if the service's numbers are inconsistent. */
  readonly executionCountByStatus: WorkflowFieldsFragment['executionCountByStatus'] | null;
};
export type Execution = ExecutionFieldsFragment;
/** Enough to choose an execution. */
export type ExecutionId = NonNullable<ExecutionIdsQuery['workflowExecutions']>['data'][number];
/** The status of an execution, with the detailed status if the service has it. */
export type ExecutionResult = ExecutionResultFragment;
export type Deployment = DeploymentFieldsFragment;
export type ExecutionEvent = ExecutionEventFieldsFragment;
export type LogLine = ExecutionLogFieldsFragment;
/** One action in a workflow's history: a deploy, an activation, a pause. */
export type DeploymentDetail = DeploymentDetailFieldsFragment;
export type CountedDeployment = DeploymentDetail & {
  /** The executions until the next deployment; null if the service does not say. */
  readonly executionCountByStatus: { readonly success: number; readonly failure: number } | null;
};
export type ActivityBucket = ActivityFieldsFragment;
/** Hours, or days of the zone, oldest first, the first and the last cut to the window. */
export type ActivitySeries = { readonly buckets: readonly ActivityBucket[]; readonly zone: string };
export type Organization = OrganizationFieldsFragment;
/** The member behind a key; `memberType` is null if the service does not say. */
export type Member = NonNullable<AccountQuery['getAccountDetails']>;

export type WorkflowPage = {
  readonly workflows: readonly Workflow[];
  /** True if a further page may have more: this one is full, or the service counts more. */
  readonly hasMore: boolean;
};

export type WorkflowNamePage = { readonly workflows: readonly WorkflowName[]; readonly hasMore: boolean };

export type WorkflowStatus = {
  readonly workflow: Workflow;
  /** Sums over the window and over the window before it; null if the service could not say. */
  readonly counts: ExecutionCounts | null;
  readonly countsBefore: ExecutionCounts | null;
  /** Credits used in the window, a decimal; null if the service did not say, or in an unknown format. */
  readonly creditUsed: string | null;
  /** Buckets of whole UTC days up to the day in which the window ends: the window, and at least the last seven days. */
  readonly days: readonly ActivityBucket[] | null;
  /** Whole UTC days before the window, about 28. */
  readonly history: readonly ActivityBucket[] | null;
  /** Newest first, at most `failuresMax`, within the window. */
  readonly failures: readonly Execution[] | null;
  /** The newest successes in the window, at most 100, newest first. */
  readonly successes: readonly ExecutionResult[] | null;
  /** The newest executions of any status, newest first, at most 10, whatever the window. */
  readonly newestExecutions: readonly Execution[] | null;
  /** Newest first, at most 20; the latest is the first of them. */
  readonly deployments: readonly Deployment[] | null;
  readonly latestDeployment: Deployment | null;
};

export type ExecutionCounts = {
  /** Includes every status. */
  readonly total: number;
  readonly success: number;
  readonly failure: number;
};

/** Newest first; `hasMore`: whether a further page may have more. */
export type ExecutionPage = {
  readonly executions: readonly Execution[];
  readonly hasMore: boolean;
  /** Number of executions on all pages; null if the service does not say. */
  readonly total: number | null;
};

/** One of several pages, newest first; `unreadable`: number of further rows that could not be read. */
export type ExecutionRows = { readonly executions: readonly Execution[]; readonly unreadable: number };

/** Newest first; `isCut`: whether there may be older ones in the window. */
export type FailureList = { readonly executions: readonly Execution[]; readonly isCut: boolean };

/** One execution with the fields that lists leave out; null if the service does not say. */
export type DetailedExecution = Omit<ExecutionDetailFieldsFragment, 'workflowUUID'> & {
  readonly workflowUuid: string | null;
};

/** A null list could not be read; an empty list is an answer. */
export type ExecutionDetail = {
  readonly execution: DetailedExecution;
  /** In the order of their start. */
  readonly events: readonly ExecutionEvent[] | null;
  /** In the order of time. */
  readonly logs: readonly LogLine[] | null;
};

/** Executions and deployments around one failed execution; a part is null if the service could not say. */
export type ExecutionHistory<Failure = Execution> = {
  /** The workflow's newest failures up to now, newest first, at most 100. */
  readonly failures: readonly Failure[] | null;
  /** Failures that started no later than the execution, itself included; newest first, at most 100. */
  readonly failuresUntil: readonly Failure[] | null;
  /** The last successes before it, newest first, at most 5. */
  readonly goodBefore: readonly Execution[] | null;
  /** The first success after it; null if there is none within 50 minutes. */
  readonly firstGoodAfter: Execution | null;
  /** The newest success after it; null if there is none. */
  readonly latestGoodAfter: Execution | null;
  /** Newest first, at most 20. */
  readonly deployments: readonly DeploymentDetail[] | null;
};

/** Counts of one workflow in a window; `creditUsed` is a decimal, null if the service does not say. */
export type WindowCounts = ExecutionCounts & { readonly creditUsed: string | null };

export type DeploymentPage = { readonly deployments: readonly CountedDeployment[]; readonly hasMore: boolean };

/** Either may be null: a key may have no person behind it. */
export type Account = { readonly member: Member | null; readonly organization: Organization | null };

/**
 * Makes an answer optional: if it fails, the data is null and the provenance names the missing part.
 * @param part its noun, as a person reads it
 */
export async function nullOnFailure<Data>(
  answer: Promise<Answered<Data>>,
  part: string,
): Promise<Answered<Data | null>> {
  try {
    return await answer;
  } catch (error) {
    if (!isRecoverable(error)) throw error;
    return { data: null, provenance: { ...notNeeded().provenance, missing: [part] } };
  }
}

/**
 * The answer to a query that is not needed. Combined with another answer, it adds nothing.
 * @param asOf its time if nothing at all is asked, epoch milliseconds
 */
export function notNeeded(asOf = Number.POSITIVE_INFINITY): Answered<null> {
  return { data: null, provenance: { source: 'live', asOf, missing: [] } };
}

/** False for a bug, and for a refused key, because every other query fails then, too. */
export function isRecoverable(error: unknown): boolean {
  return error instanceof AppError && error.code !== 'unauthorized';
}
