/** Interfaces of the record store: reads, writes, keys and exports. One implementation per database engine. */
import type { PoolUse } from '../../shared/sql/postgres.ts';
import type { RequestContext } from '../limits/request-context.ts';
import type { ServiceMeasure } from '../measurement.ts';
import type { ImportRecords } from './import-progress.ts';
import type { KeyRecords } from './keys.ts';
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
  TypedRecord,
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

/** The records for one request. */
export type RecordsOf = (context: RequestContext, measure: ServiceMeasure) => Records;

/** One open database. */
export type RecordStore = {
  /** Reads for scripts and tests: without limits, charged to no key. */
  readonly records: Records;
  /**
   * Reads for one request: they share the database fairly with other keys, are charged to their key, and end when the
   * request is aborted.
   */
  readonly recordsFor: RecordsOf;
  readonly keys: KeyRecords;
  readonly writer: RecordWriter;
  readonly imports: ImportRecords;
  /**
   * A snapshot of everything, in the same order on every engine: organizations by id, each followed by its
   * accounts, workflows, deployments and executions by uuid. Batches are bounded in memory.
   * @param organizationId null for every organization
   */
  readonly dump: (organizationId: string | null) => AsyncIterable<readonly TypedRecord[]>;
  /** @throws Error if the database does not answer or lacks a table of this version */
  check(): Promise<void>;
  /** The number of waiting statements. */
  readonly waiting: () => number;
  /** Use of the connections that reads share; null for SQLite. */
  readonly poolUse: (() => PoolUse) | null;
  close(): Promise<void>;
};
