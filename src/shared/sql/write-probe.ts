/** Probes quickly and without a trace if a database accepts writes, for readiness. */
import { statfs } from 'node:fs/promises';
import type { DatabaseSync } from 'node:sqlite';
import { type Kysely, sql } from 'kysely';
import { DatabaseError } from 'pg';
import { AppError } from '../errors.ts';

/** Minimum of free space, for other files and for the log that SQLite writes before the file. */
const freeBytesMin = 1024 * 1024;
/** The timeout of every other connection. */
const busyTimeoutMs = 5000;

/** Writes a row unchanged. @param table has a column `name`, its key, and a column `timestamp` */
const rewrite = (table: string) =>
  `update ${table} set timestamp = timestamp where name = (select min(name) from ${table})`;

/**
 * Does not wait for another writer, which proves that the database takes writes.
 * @param file `:memory:` if there is none
 * @throws AppError `unavailable` that says what is wrong
 */
export async function probeFile(database: DatabaseSync, file: string, table: string): Promise<void> {
  if (file !== ':memory:') {
    const { bavail, bsize } = await statfs(file).catch((cause: unknown) => {
      throw new AppError('unavailable', 'The database file does not exist.', { cause });
    });
    if (bavail * bsize < freeBytesMin) throw diskFull();
  }
  if (database.isTransaction) return;
  database.exec('pragma busy_timeout = 0');
  try {
    database.exec(rewrite(table));
  } catch (cause) {
    const code = cause instanceof Error && 'errcode' in cause ? Number(cause.errcode) & 0xff : 0;
    if (code !== sqliteBusy) throw fileFaults[code]?.(cause) ?? cause;
  } finally {
    database.exec(`pragma busy_timeout = ${busyTimeoutMs}`);
  }
}

/** @throws AppError `unavailable` that says what is wrong */
export async function probeServer<Tables>(db: Kysely<Tables>, table: string): Promise<void> {
  try {
    await sql.raw(rewrite(table)).execute(db);
  } catch (error) {
    const cause = error instanceof AppError ? error.cause : error;
    throw (cause instanceof DatabaseError && serverFaults[cause.code ?? '']?.(cause)) || error;
  }
}

const sqliteBusy = 5;
const diskFull = (cause?: unknown) => new AppError('unavailable', 'The database disk is full.', { cause });
const readOnly = (cause: unknown) => new AppError('unavailable', 'The database is read-only.', { cause });
const unwritable = (cause: unknown) => new AppError('unavailable', 'The database cannot be written to.', { cause });

/** Faults by SQLite's codes: READONLY (also for a file that was moved away), IOERR and FULL. */
const fileFaults: Readonly<Record<number, (cause: unknown) => AppError>> = {
  8: readOnly,
  10: unwritable,
  13: diskFull,
};
/** Faults by SQLSTATE: read_only_sql_transaction (also of a standby), insufficient_privilege and disk_full. */
const serverFaults: Readonly<Record<string, (cause: unknown) => AppError>> = {
  '25006': readOnly,
  '42501': unwritable,
  '53100': diskFull,
};
