/** Opens the records in SQLite, through Node's own driver. */
import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { Kysely } from 'kysely';
import { AppError } from '../../core/errors.ts';
import { sqliteDialect } from '../../sql/sqlite.ts';
import { createDump } from './dump.ts';
import { createImportRecords } from './imports.ts';
import { createKeyRecords } from './keys.ts';
import { migrateRecords } from './migrations.ts';
import type { RecordStore } from './port.ts';
import { createRecords } from './read.ts';
import { createSqliteWriter } from './sqlite-writer.ts';
import type { Tables } from './tables.ts';

/**
 * WAL lets another process read while this one writes; NORMAL survives a killed process, which is what happens here. Large
 * pages and a log of 32 MB between checkpoints halve what a batch of thousands of rows costs.
 */
const setUp = `
  pragma page_size = 16384;
  pragma journal_mode = wal;
  pragma synchronous = normal;
  pragma busy_timeout = 5000;
  pragma foreign_keys = on;
  pragma temp_store = memory;
  pragma cache_size = -64000;
  pragma wal_autocheckpoint = 2000;
  pragma journal_size_limit = 33554432;
`;

/**
 * @param url `sqlite:<file>` (its folder is made where missing) or `sqlite::memory:`
 * @throws AppError `usage` for any other url, `unavailable` where the file cannot be used
 */
export async function openRecords(url: string): Promise<RecordStore> {
  const file = /^sqlite:(.+)$/.exec(url)?.[1];
  if (file === undefined) {
    throw new AppError('usage', `The records cannot be kept in “${url}”.`, {
      hint: 'A database is sqlite:<file>, such as sqlite:./data/service.sqlite, or sqlite::memory:.',
    });
  }
  try {
    return await open(file);
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new AppError('unavailable', `The database ${file} cannot be used: ${reason}.`, { cause });
  }
}

async function open(file: string): Promise<RecordStore> {
  if (file !== ':memory:') mkdirSync(dirname(file), { recursive: true });
  const database = new DatabaseSync(file);
  const db = new Kysely<Tables>({ dialect: sqliteDialect(database) });
  try {
    database.exec(setUp);
    await migrateRecords(db);
  } catch (error) {
    database.close();
    throw error;
  }
  return {
    records: createRecords(db),
    keys: createKeyRecords(db),
    writer: createSqliteWriter(database),
    imports: createImportRecords(db),
    dump: createDump(db),
    close: () => db.destroy(),
  };
}
