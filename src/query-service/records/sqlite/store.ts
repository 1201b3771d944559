/** Opens the records in SQLite, through Node’s own driver. */
import { DatabaseSync } from 'node:sqlite';
import { Kysely } from 'kysely';
import { createLruCache } from '../../../shared/cache/lru-cache.ts';
import { migrate } from '../../../shared/sql/migrate.ts';
import { makePrivate } from '../../../shared/sql/private-file.ts';
import { sqliteDialect, sqliteRows } from '../../../shared/sql/sqlite.ts';
import { probeFile } from '../../../shared/sql/write-probe.ts';
import { createCheck } from '../check.ts';
import { createDump } from '../dump.ts';
import { createImportRecords } from '../import-progress.ts';
import { createKeyRecords } from '../keys.ts';
import { boundedChargeMaxMs, type ReadCost, type RowGroup, rowGroupMax } from '../read-cost.ts';
import { hourMs } from '../reads/periods.ts';
import { createLookups } from '../reads/read-people.ts';
import { runSteps } from '../reads/steps.ts';
import { createRequestReads } from '../request-reads.ts';
import type { Row, RunStatements, Statement } from '../sql.ts';
import type { RecordStore } from '../store.ts';
import { serviceMigrations } from '../tables/migrations.ts';
import type { Tables } from '../tables/tables.ts';
import { createWorkerReads, type WorkerReads } from './worker-reads.ts';
import { createSqliteWriter } from './writer.ts';

/**
 * WAL lets another process read while this one writes. NORMAL survives a killed process, but may lose the last commits
 * if the machine loses power. Large pages and a log of 32 MB between checkpoints halve the cost of a batch of thousands
 * of rows.
 */
const setUp = `
  pragma busy_timeout = 5000;
  pragma page_size = 16384;
  pragma journal_mode = wal;
  pragma synchronous = normal;
  pragma foreign_keys = on;
  pragma temp_store = memory;
  pragma wal_autocheckpoint = 2000;
  pragma journal_size_limit = 33554432;
`;

/** Size of the page cache in KiB. */
const cacheKiB = { small: 64_000, large: 256_000 } as const;
export type FileCache = keyof typeof cacheKiB;

/**
 * @param file created with its folder if missing; `:memory:` for a database in memory
 * @param warn called with a sentence if other users of the machine can open the file, or could until now
 * @throws Error if the database cannot be used
 */
export async function openSqliteRecords(
  file: string,
  cache: FileCache,
  warn: (sentence: string) => void,
): Promise<RecordStore> {
  if (file !== ':memory:') makePrivate(file, warn);
  const database = new DatabaseSync(file);
  const db = new Kysely<Tables>({ dialect: sqliteDialect(database) });
  try {
    database.exec(`${setUp} pragma cache_size = -${cacheKiB[cache]}`);
    await migrate(db, serviceMigrations);
  } catch (error) {
    database.close();
    throw error;
  }
  const runOne = sqliteRows<Row>(database);
  const run: RunStatements = (statements) => statements.map(runOne);
  const keys = createKeyRecords(db, 'sqlite', run);
  const writer = createSqliteWriter(database);
  // A database in memory is small and has only one connection: the main thread reads it.
  const workerReads = file === ':memory:' ? null : createWorkerReads(file);
  const read: RecordStore['read'] = async (steps) => runSteps(steps, () => run);
  return {
    engine: 'sqlite',
    read,
    records: createLookups('sqlite', read),
    readsFor: createReadsFor(database, runOne, workerReads),
    keys: { ...keys, recordUses: (uses) => withShortBusyTimeout(database, () => keys.recordUses(uses)) },
    writer: {
      ...writer,
      forgetExecutions: (startedBefore, limit) =>
        withShortBusyTimeout(database, () => writer.forgetExecutions(startedBefore, limit)),
    },
    imports: createImportRecords(db),
    dump: createDump(db),
    check: createCheck(db, (table) => probeFile(database, file, table)),
    waiting: () => workerReads?.waiting() ?? 0,
    poolUse: null,
    serverUse: null,
    async close() {
      await workerReads?.close();
      await db.destroy();
    },
  };
}

/** Bounded reads run on the main thread: passing one to another thread takes as long as the read itself. */
function createReadsFor(
  database: DatabaseSync,
  runOne: (statement: Statement) => readonly Row[],
  workerReads: WorkerReads | null,
): RecordStore['readsFor'] {
  const isUnbounded = workerReads ? createUnboundedCheck(database) : () => false;
  return (context, measure) => {
    const runCharged = (statement: Statement) => {
      context.checkBudget();
      const startedAt = performance.now();
      const rows = runOne(statement);
      context.charge(Math.min(performance.now() - startedAt, boundedChargeMaxMs));
      return rows;
    };
    const run: RunStatements = (statements) => {
      const due = context.acquireEventLoop();
      return due === undefined ? statements.map(runCharged) : due.then(() => statements.map(runCharged));
    };
    const runUnbounded = workerReads?.runFor(context) ?? run;
    return createRequestReads(context, (costs) => (costs.some(isUnbounded) ? runUnbounded : run), measure);
  };
}

/**
 * Lets writes that can be retried fail early, because SQLite blocks the event loop while it waits for another writer,
 * such as an import.
 */
async function withShortBusyTimeout<Result>(database: DatabaseSync, write: () => Promise<Result>): Promise<Result> {
  database.exec('pragma busy_timeout = 50');
  return write().finally(() => database.exec('pragma busy_timeout = 5000'));
}

/** Lifetime of a group's cached size, in milliseconds. Counting a group takes about as long as the read itself. */
const groupSizeTtlMs = 5_000;
const groupSizesMax = 10_000;

/**
 * @returns a function that returns true for a read of the worker thread; counts rows of a group in an index, and caches
 *   the result briefly
 */
function createUnboundedCheck(database: DatabaseSync): (cost: ReadCost) => boolean {
  const beyond = 'limit 1 offset cast(? as integer)';
  const workflows = database.prepare(`select 1 from workflow where organization_id = ? ${beyond}`);
  const deployments = database.prepare(
    `select 1 from deployment where organization_id = ? and workflow_uuid = ? ${beyond}`,
  );
  const hours = database.prepare(
    `select sum(executions) as n from execution_count
     where organization_id = ? and workflow_uuid = ? and period_ms = ${hourMs} and period_start in (?, ?)`,
  );
  const isLarge = (group: RowGroup): boolean => {
    const { organizationId } = group;
    if (group.of === 'workflows') return workflows.get(organizationId, rowGroupMax.workflows) !== undefined;
    if (group.of === 'deployments')
      return deployments.get(organizationId, group.workflowUuid, rowGroupMax.deployments) !== undefined;
    const counted = hours.get(organizationId, group.workflowUuid, ...group.hours)?.['n'];
    return Number(counted ?? 0) > rowGroupMax.hours;
  };
  const sizes = createLruCache<boolean>({
    entriesMax: groupSizesMax,
    ttlMs: groupSizeTtlMs,
    clock: () => performance.now(),
  });
  const isCachedLarge = (group: RowGroup): boolean => {
    const key = Object.values(group).join(' ');
    const known = sizes.get(key);
    if (known !== undefined) return known;
    const counted = isLarge(group);
    sizes.set(key, counted);
    return counted;
  };
  return (cost) => (typeof cost === 'string' ? cost === 'unbounded' : isCachedLarge(cost));
}
