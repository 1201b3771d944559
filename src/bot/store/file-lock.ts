/** Locks a SQLite file for one process, because the bot's caches are valid only while it is the only writer. */
import { existsSync, realpathSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { AppError } from '../../shared/errors.ts';

export type FileLock = {
  /** May be called twice. */
  readonly release: () => void;
};

/**
 * Takes a lock of the operating system, which ends with the process, on an empty file beside the database. The database itself
 * stays open to scripts.
 * @param file in an existing folder, or `:memory:`, which needs no lock
 * @throws AppError `unavailable` while another process holds it
 */
export function lockFile(file: string): FileLock {
  if (file === ':memory:') return { release: () => {} };
  const lock = new DatabaseSync(`${ownName(file)}.lock`);
  try {
    lock.exec('begin exclusive');
  } catch (cause) {
    lock.close();
    throw isBusy(cause) ? inUse(cause) : cause;
  }
  return { release: () => void (lock.isOpen && lock.close()) };
}

/** Resolves links, so that every path to the file has the same lock. */
function ownName(file: string): string {
  return existsSync(file) ? realpathSync(file) : join(realpathSync(dirname(file)), basename(file));
}

/** SQLITE_BUSY */
function isBusy(error: unknown): boolean {
  return error instanceof Error && 'errcode' in error && error.errcode === 5;
}

function inUse(cause: unknown): AppError {
  return new AppError('unavailable', 'Another process is using the database file.', {
    cause,
    hint: 'Stop it. On PostgreSQL, several processes can share a database.',
  });
}
