/** Interfaces of the records: reads and writes, the same on every engine. */
import type { Span } from './reads/periods.ts';
import type {
  AccountRecord,
  DeploymentRecord,
  DeploymentStatus,
  EventRecord,
  ExecutionRecord,
  ExecutionStatus,
  LogRecord,
  OrganizationRecord,
  WorkflowRecord,
} from './record.ts';

/** Writes in batches. A record with a known uuid replaces the existing one (an execution with its logs and events). */
export type RecordWriter = {
  putOrganization(record: OrganizationRecord): Promise<void>;
  putAccount(record: AccountRecord): Promise<void>;
  putWorkflows(records: readonly WorkflowRecord[]): Promise<void>;
  putDeployments(records: readonly DeploymentRecord[]): Promise<void>;
  /** One transaction per call. The workflows must exist. */
  putExecutions(records: readonly ExecutionRecord[]): Promise<void>;
  /** Deletes everything of one organization except its keys. */
  clearOrganization(organizationId: string): Promise<void>;
  /**
   * Deletes executions that started before an instant, with their logs, events and counts, in one transaction of one organization.
   * @returns the number of deleted executions; 0 if none is left
   */
  forgetExecutions(startedBefore: number, limit: number): Promise<number>;
};

/** A page of an ordered list. */
export type Slice = { readonly limit: number; readonly offset: number };

export type Order<Field extends string> = { readonly field: Field; readonly direction: 'ASC' | 'DESC' };

/** Totals of executions. */
export type Counts = {
  readonly total: number;
  readonly success: number;
  readonly failure: number;
  /** Millionths of a credit; null if no execution has credits. */
  readonly creditMicros: number | null;
};

/** Counts of one day; `day` is its start in UTC. */
export type DayCounts = { readonly day: number; readonly success: number; readonly failure: number };

export type WorkflowFilter = {
  readonly statuses: readonly DeploymentStatus[] | null;
  /** Substring of the name, ignoring case. */
  readonly search: string | null;
  /** 40 hexadecimal characters each, lower case. */
  readonly ownerAddresses: readonly string[] | null;
};

export type WorkflowOrder = Order<'NAME' | 'STATUS' | 'EXECUTED_AT' | 'REGISTERED_AT'>;

export type WorkflowRow = WorkflowRecord & {
  /** Start of the latest execution. */
  readonly executedAt: number | null;
  readonly hasTeeExecutions: boolean;
  readonly hasNonTeeExecutions: boolean;
  readonly counts: Counts;
};

export type DeploymentFilter = {
  readonly workflowUuid: string;
  readonly statuses: readonly DeploymentStatus[] | null;
  readonly span: Span;
  /** Substring of the workflow id, ignoring case. */
  readonly search: string | null;
};

export type DeploymentOrder = Order<'WORKFLOW_ID' | 'DEPLOYED_AT'>;

export type DeploymentRow = DeploymentRecord & {
  /** Time at which the workflow was deployed again; null for the last deployment. */
  readonly nextDeployedAt: number | null;
};

export type ExecutionFilter = {
  readonly workflowUuid: string | null;
  readonly statuses: readonly ExecutionStatus[] | null;
  /** Range of start times. */
  readonly span: Span;
  /** Substring of the id, ignoring case. */
  readonly search: string | null;
};

export type ExecutionOrder = Order<'ID' | 'STATUS' | 'STARTED_AT' | 'CREDIT_USED'>;

/** An execution without its logs and events, with the names of its workflow. */
export type ExecutionRow = Omit<ExecutionRecord, 'logs' | 'events'> & {
  readonly workflowName: string;
  readonly workflowId: string;
};

/** Some rows of a list, and the length of the list. */
export type ExecutionPage = { readonly rows: readonly ExecutionRow[]; readonly count: number };

export type ExecutionDetail = { readonly logs: readonly LogRecord[]; readonly events: readonly EventRecord[] };
export type DetailWanted = ReadonlySet<keyof ExecutionDetail>;

/**
 * Reads. The organization is always the first argument; records of others are not found. Every list breaks ties by uuid, so that
 * pages neither overlap nor skip.
 */
export type Records = {
  organization(organizationId: string): Promise<OrganizationRecord | null>;
  account(organizationId: string, memberId: string): Promise<AccountRecord | null>;
  /** Counts cover all time. */
  workflows(
    organizationId: string,
    filter: WorkflowFilter,
    order: WorkflowOrder,
    slice: Slice,
  ): Promise<readonly WorkflowRow[]>;
  workflowCount(organizationId: string, filter: WorkflowFilter): Promise<number>;
  /** Counts cover the span. */
  workflow(organizationId: string, uuid: string, span: Span): Promise<WorkflowRow | null>;
  hasWorkflow(organizationId: string, uuid: string): Promise<boolean>;
  /** @returns every address that owns a workflow */
  ownerAddresses(organizationId: string): Promise<readonly string[]>;
  deployments(
    organizationId: string,
    filter: DeploymentFilter,
    order: DeploymentOrder,
    slice: Slice,
  ): Promise<readonly DeploymentRow[]>;
  deploymentCount(organizationId: string, filter: DeploymentFilter): Promise<number>;
  deployment(organizationId: string, uuid: string): Promise<DeploymentRow | null>;
  executions(
    organizationId: string,
    filter: ExecutionFilter,
    order: ExecutionOrder,
    slice: Slice,
  ): Promise<readonly ExecutionRow[]>;
  executionCount(organizationId: string, filter: ExecutionFilter): Promise<number>;
  /** Reads rows and count, in one statement if possible. */
  executionPage(
    organizationId: string,
    filter: ExecutionFilter,
    order: ExecutionOrder,
    slice: Slice,
  ): Promise<ExecutionPage>;
  execution(organizationId: string, uuid: string): Promise<ExecutionRow | null>;
  /** Reads in one statement. @returns empty lists for an unknown execution, and for lists that are not stored or not wanted */
  executionDetail(organizationId: string, uuid: string, wanted: DetailWanted): Promise<ExecutionDetail>;
  /** @param workflowUuid null for the whole organization */
  counts(organizationId: string, workflowUuid: string | null, span: Span): Promise<Counts>;
  /** @returns the days on which something started, in order @param workflowUuid null for the whole organization */
  countsByDay(organizationId: string, workflowUuid: string | null, span: Span): Promise<readonly DayCounts[]>;
};
