/** Opens the records in SQLite, through Node's own driver. */
import { DatabaseSync } from 'node:sqlite';
import { Kysely } from 'kysely';
import { migrate } from '../../../shared/sql/migrate.ts';
import { databasesOf, type RunStatement } from '../../../shared/sql/own-run.ts';
import { makePrivate } from '../../../shared/sql/private-file.ts';
import { sqliteDialect, sqliteReader } from '../../../shared/sql/sqlite.ts';
import { probeFile } from '../../../shared/sql/write-probe.ts';
import { askedRecords, runIn } from '../asked.ts';
import { createCheck } from '../check.ts';
import { createDump } from '../dump.ts';
import { createImportRecords } from '../imports.ts';
import { createKeyRecords } from '../keys.ts';
import type { RecordStore, RecordsOf } from '../port.ts';
import { boundedMs } from '../reach.ts';
import { createRecords } from '../reads/read.ts';
import { recordSteps } from '../tables/migrations.ts';
import type { Tables } from '../tables/tables.ts';
import { createReachCheck } from './sqlite-groups.ts';
import { createScans, type Scans } from './sqlite-scans.ts';
import { createSqliteWriter } from './sqlite-writer.ts';

/**
 * WAL lets another process read while this one writes; NORMAL survives a killed process, which is what happens here. Large
 * pages and a log of 32 MB between checkpoints halve what a batch of thousands of rows costs.
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

/** How much of a file is kept in memory, in KiB. */
const cacheKiB = { small: 64_000, large: 256_000 } as const;
export type FileCache = keyof typeof cacheKiB;

/**
 * @param file made where missing, with its folder; `:memory:` for none
 * @param warn gets a sentence where other users of the machine can open it, or could until now
 * @throws where it cannot be used
 */
export async function openSqliteRecords(
  file: string,
  cache: FileCache,
  warn: (sentence: string) => void,
): Promise<RecordStore> {
  if (file !== ':memory:') makePrivate(file, warn);
  const database = new DatabaseSync(file);
  const dialect = sqliteDialect(database);
  const db = new Kysely<Tables>({ dialect });
  try {
    database.exec(`${setUp} pragma cache_size = -${cacheKiB[cache]}`);
    await migrate(db, recordSteps);
  } catch (error) {
    database.close();
    throw error;
  }
  const keys = createKeyRecords(db);
  const writer = createSqliteWriter(database);
  // A database in memory has no second connection: it is small, and read on the main thread.
  const scans = file === ':memory:' ? null : createScans(file);
  return {
    records: createRecords(db),
    recordsFor: createRecordsFor(database, databasesOf(db, dialect), scans),
    keys: { ...keys, recordUses: (uses) => impatiently(database, () => keys.recordUses(uses)) },
    writer: {
      ...writer,
      forgetExecutions: (startedBefore, limit) =>
        impatiently(database, () => writer.forgetExecutions(startedBefore, limit)),
    },
    imports: createImportRecords(db),
    dump: createDump(db),
    check: createCheck(db, (table) => probeFile(database, file, table)),
    waiting: () => scans?.waiting() ?? 0,
    poolUse: null,
    async close() {
      await scans?.close();
      await db.destroy();
    },
  };
}

/** Bounded reads run at once, on the main thread: handing one to another thread takes as long as the read. */
function createRecordsFor(
  database: DatabaseSync,
  databaseFor: (run: RunStatement) => Kysely<Tables>,
  scans: Scans | null,
): RecordsOf {
  const read = sqliteReader(database);
  const isUnbounded = scans ? createReachCheck(database) : () => false;
  return (asker, measure) => {
    const bounded = createRecords(
      databaseFor(async (query) => {
        const due = asker.turn();
        if (due !== undefined) await due;
        asker.admit();
        const startedAt = performance.now();
        const rows = read(query);
        asker.spend(Math.min(performance.now() - startedAt, boundedMs));
        return rows;
      }),
      asker.withLongText,
    );
    const unbounded = scans ? scans.runFor(asker) : runIn(bounded);
    return askedRecords(asker, { bounded, unbounded, isUnbounded }, measure);
  };
}

/** Nobody is answered while SQLite waits for another writer, an import perhaps; what is not urgent is refused instead. */
async function impatiently<Result>(database: DatabaseSync, write: () => Promise<Result>): Promise<Result> {
  database.exec('pragma busy_timeout = 50');
  return write().finally(() => database.exec('pragma busy_timeout = 5000'));
}
