/** Types of what the operations return: data with the time and the source it comes from. */
import type { Provenance } from '../domain/provenance.ts';
import type {
  AccountQuery,
  ActivityFieldsFragment,
  DeploymentDetailFieldsFragment,
  DeploymentFieldsFragment,
  ExecutionDetailFieldsFragment,
  ExecutionEventFieldsFragment,
  ExecutionFieldsFragment,
  ExecutionLogFieldsFragment,
  OrganizationFieldsFragment,
  WorkflowFieldsFragment,
  WorkflowNamesQuery,
} from './generated/operations.ts';

export type Answered<Data> = { readonly data: Data; readonly provenance: Provenance };

/** What it takes to find a workflow by what a person typed. */
export type WorkflowName = NonNullable<WorkflowNamesQuery['workflows']>['data'][number];
export type Workflow = Omit<WorkflowFieldsFragment, 'executionCountByStatus'> & {
  /** Of all time in a list; null where the service's numbers make no sense. */
  readonly executionCountByStatus: WorkflowFieldsFragment['executionCountByStatus'] | null;
};
export type Execution = ExecutionFieldsFragment;
export type Deployment = DeploymentFieldsFragment;
export type ExecutionEvent = ExecutionEventFieldsFragment;
export type LogLine = ExecutionLogFieldsFragment;
/** One action in a workflow's history: a deploy, an activation, a pause. */
export type DeploymentDetail = DeploymentDetailFieldsFragment;
export type CountedDeployment = DeploymentDetail & {
  /** The executions from it to the next one; null where the service does not tell. */
  readonly executionCountByStatus: { readonly success: number; readonly failure: number } | null;
};
export type ActivityBucket = ActivityFieldsFragment;
export type Organization = OrganizationFieldsFragment;
/** The person behind a key; `memberType` is null where the service does not tell. */
export type Member = NonNullable<AccountQuery['getAccountDetails']>;

export type WorkflowPage = {
  readonly workflows: readonly Workflow[];
  /** Whether a further page may hold more: this one came back full, or the service counts more. */
  readonly hasMore: boolean;
};

export type WorkflowNamePage = { readonly workflows: readonly WorkflowName[]; readonly hasMore: boolean };

export type WorkflowStatus = {
  /** Null when no workflow has this uuid. */
  readonly workflow: Workflow | null;
  /** Sums over the window and over the window before it; null when the service could not say. */
  readonly counts: ExecutionCounts | null;
  readonly countsBefore: ExecutionCounts | null;
  /** Credits used in the window, a decimal; null when the service could not say, or says it in a form of its own. */
  readonly creditUsed: string | null;
  /** Buckets of whole UTC days, the last the one in which the window ends: all of the window and at least the last seven days. */
  readonly days: readonly ActivityBucket[] | null;
  /** Newest first, at most `failuresMax`, within the window. */
  readonly failures: readonly Execution[] | null;
  /** The newest executions of any status, newest first, at most 5, whatever the window. */
  readonly newestExecutions: readonly Execution[] | null;
  readonly latestDeployment: Deployment | null;
};

export type ExecutionCounts = {
  /** Of every status. */
  readonly total: number;
  readonly success: number;
  readonly failure: number;
};

/** Newest first; `hasMore`: whether a further page may hold more. */
export type ExecutionPage = { readonly executions: readonly Execution[]; readonly hasMore: boolean };

/** A page of many, newest first; `unreadable`: how many rows more it had that could not be read. */
export type ExecutionRows = { readonly executions: readonly Execution[]; readonly unreadable: number };

/** Newest first; `isCut`: whether there may be older ones in the window. */
export type FailureList = { readonly executions: readonly Execution[]; readonly isCut: boolean };

/** One execution with what lists leave out; what a service does not tell is null. */
export type DetailedExecution = Omit<ExecutionDetailFieldsFragment, 'workflowUUID'> & {
  readonly workflowUuid: string | null;
};

/** Null, beside an execution, is what the service could not say; an empty list is what it said. */
export type ExecutionDetail = {
  readonly execution: DetailedExecution;
  /** In the order of their start. */
  readonly events: readonly ExecutionEvent[] | null;
  /** In the order of time. */
  readonly logs: readonly LogLine[] | null;
};

/** What went before and after one failed execution; every part is null when the service could not say. */
export type ExecutionHistory = {
  /** The workflow's newest failures up to now, newest first, at most 100. */
  readonly failures: readonly Execution[] | null;
  /** Those that started no later than the execution looked into, itself among them; newest first, at most 100. */
  readonly failuresUntil: readonly Execution[] | null;
  /** The last that succeeded before it, newest first, at most 5. */
  readonly goodBefore: readonly Execution[] | null;
  /** The first that succeeded after it; also null where none did within 50 minutes of it. */
  readonly firstGoodAfter: Execution | null;
  /** The newest that succeeded after it; also null where none has. */
  readonly latestGoodAfter: Execution | null;
  /** Newest first, at most 20. */
  readonly deployments: readonly DeploymentDetail[] | null;
};

export type CountsAround = { readonly before: ExecutionCounts | null; readonly after: ExecutionCounts | null };

/** Of one workflow in a window; `creditUsed` is a decimal, null where the service does not tell. */
export type WindowCounts = ExecutionCounts & { readonly creditUsed: string | null };

export type DeploymentPage = { readonly deployments: readonly CountedDeployment[]; readonly hasMore: boolean };

/** Either may be null: a key may have no person behind it. */
export type Account = { readonly member: Member | null; readonly organization: Organization | null };
