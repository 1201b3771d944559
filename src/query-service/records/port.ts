/** Arguments and results of reads and writes of the records, the same on every engine. Lists break ties by uuid, so that pages neither overlap nor skip. */
import type { Span } from './reads/periods.ts';
import type {
  AccountRecord,
  DeploymentRecord,
  DeploymentStatus,
  ExecutionRecord,
  ExecutionStatus,
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

export type DeploymentFilter = {
  readonly workflowUuid: string;
  readonly statuses: readonly DeploymentStatus[] | null;
  readonly span: Span;
  /** Substring of the workflow id, ignoring case. */
  readonly search: string | null;
};

export type DeploymentOrder = Order<'WORKFLOW_ID' | 'DEPLOYED_AT'>;

export type ExecutionFilter = {
  readonly workflowUuid: string | null;
  readonly statuses: readonly ExecutionStatus[] | null;
  /** Range of start times. */
  readonly span: Span;
  /** Substring of the id, ignoring case. */
  readonly search: string | null;
};

export type ExecutionOrder = Order<'ID' | 'STATUS' | 'STARTED_AT' | 'CREDIT_USED'>;
