/** Opens the records in SQLite, through Node's own driver. */
import { DatabaseSync } from 'node:sqlite';
import { Kysely } from 'kysely';
import { migrate } from '../../sql/migrate.ts';
import { makePrivate } from '../../sql/private-file.ts';
import { sqliteDialect } from '../../sql/sqlite.ts';
import { probeFile } from '../../sql/write-probe.ts';
import { createCheck } from './check.ts';
import { createDump } from './dump.ts';
import { createImportRecords } from './imports.ts';
import { createKeyRecords } from './keys.ts';
import { recordSteps } from './migrations.ts';
import type { RecordStore } from './port.ts';
import { createRecords } from './read.ts';
import { createSqliteWriter } from './sqlite-writer.ts';
import type { Tables } from './tables.ts';

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
  const db = new Kysely<Tables>({ dialect: sqliteDialect(database) });
  try {
    database.exec(`${setUp} pragma cache_size = -${cacheKiB[cache]}`);
    await migrate(db, recordSteps);
  } catch (error) {
    database.close();
    throw error;
  }
  const keys = createKeyRecords(db);
  const writer = createSqliteWriter(database);
  return {
    records: createRecords(db),
    keys: { ...keys, recordUses: (uses) => impatiently(database, () => keys.recordUses(uses)) },
    writer: {
      ...writer,
      forgetExecutions: (startedBefore, limit) =>
        impatiently(database, () => writer.forgetExecutions(startedBefore, limit)),
    },
    imports: createImportRecords(db),
    dump: createDump(db),
    check: createCheck(db, (table) => probeFile(database, file, table)),
    whileWanted: (_wanted, work) => work(),
    poolUse: null,
    close: () => db.destroy(),
  };
}

/** Nobody is answered while SQLite waits for another writer, an import perhaps; what is not urgent is refused instead. */
async function impatiently<Result>(database: DatabaseSync, write: () => Promise<Result>): Promise<Result> {
  database.exec('pragma busy_timeout = 50');
  return write().finally(() => database.exec('pragma busy_timeout = 5000'));
}
