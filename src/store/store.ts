/** The bot's own database: opens it, brings it up to date, and hands out what it holds. */
import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { Kysely } from 'kysely';
import { AppError } from '../core/errors.ts';
import { sqliteDialect } from '../sql/sqlite.ts';
import { migrateStore } from './migrations.ts';
import type { Tables } from './tables.ts';
import { createThreads, type Threads } from './threads.ts';

export type Store = {
  readonly threads: Threads;
  readonly close: () => Promise<void>;
};

/** FULL, because an id that was posted and forgotten is a message posted twice. */
const setUp = `
  pragma journal_mode = wal;
  pragma synchronous = full;
  pragma busy_timeout = 5000;
  pragma foreign_keys = on;
`;

/**
 * @param url `sqlite:<file>` (its folder is made where missing) or `sqlite::memory:`
 * @throws AppError `usage` for any other url, `unavailable` where the file cannot be used
 */
export async function openStore(url: string): Promise<Store> {
  const file = /^sqlite:(.+)$/.exec(url)?.[1];
  if (file === undefined) throw new AppError('usage', 'The store is kept in sqlite:<file>.');
  try {
    return await open(file);
  } catch (cause) {
    const hint = 'Set DATABASE_URL to a file that this user may write.';
    throw new AppError('unavailable', `The database ${file} cannot be used.`, { cause, hint });
  }
}

async function open(file: string): Promise<Store> {
  if (file !== ':memory:') mkdirSync(dirname(file), { recursive: true });
  const database = new DatabaseSync(file);
  const db = new Kysely<Tables>({ dialect: sqliteDialect(database) });
  try {
    database.exec(setUp);
    await migrateStore(db);
  } catch (error) {
    database.close();
    throw error;
  }
  return { threads: createThreads(db), close: () => db.destroy() };
}
