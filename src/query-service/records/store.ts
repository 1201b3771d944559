/** Interface of an open database. One implementation per engine. */
import type { PoolUse } from '../../shared/sql/postgres.ts';
import type { RequestContext } from '../limits/request-context.ts';
import type { ServiceMeasure } from '../measurement.ts';
import type { ImportRecords } from './import-progress.ts';
import type { KeyRecords } from './keys.ts';
import type { RecordWriter } from './port.ts';
import type { ServerUse } from './postgres/standbys/standby.ts';
import type { Lookups } from './reads/read-people.ts';
import type { Steps } from './reads/steps.ts';
import type { TypedRecord } from './record.ts';
import type { RequestReads } from './request-reads.ts';
import type { Engine } from './sql.ts';

/** One open database. */
export type RecordStore = {
  readonly engine: Engine;
  /** Runs a read without limits, charged to no key. */
  readonly read: <Result>(steps: Steps<Result>) => Promise<Result>;
  /** Single records, for scripts. */
  readonly records: Lookups;
  /**
   * Reads for one request: they share the database fairly with other keys, are charged to their key, and end when the
   * request is aborted.
   * @param organizationId whose records the request reads
   */
  readonly readsFor: (context: RequestContext, measure: ServiceMeasure, organizationId: string) => RequestReads;
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
  /** Use of the primary and its standbys; null without standbys. */
  readonly serverUse: (() => readonly ServerUse[]) | null;
  close(): Promise<void>;
};
