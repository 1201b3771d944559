/** Opens the records on the engine that the URL names. */
import { AppError } from '../../shared/errors.ts';
import { openPostgresRecords } from './postgres/store.ts';
import { type FileCache, openSqliteRecords } from './sqlite/store.ts';
import type { RecordStore } from './store.ts';

/**
 * Opens the database and migrates the tables; several processes may do so at once.
 * @param url `sqlite:<file>` (its folder is created if missing), `sqlite::memory:` or `postgres://…`
 * @param cache of a file; large for imports, which change pages all over the indexes
 * @param warn called with a sentence if other users of the machine can open the file, or could until now
 * @throws AppError `usage` for any other URL, `unavailable` if the database cannot be used
 */
export async function openRecords(
  url: string,
  cache: FileCache = 'small',
  warn: (sentence: string) => void = () => {},
): Promise<RecordStore> {
  const file = /^sqlite:(.+)$/.exec(url)?.[1];
  const name = file ?? serverName(url);
  try {
    return await (file === undefined ? openPostgresRecords(url) : openSqliteRecords(file, cache, warn));
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message.replace(/\.$/, '') : String(cause);
    throw new AppError('unavailable', `The database ${name} cannot be used: ${reason}.`, { cause });
  }
}

/** @returns the URL without user, password and parameters @throws AppError `usage` if it is not a PostgreSQL URL */
function serverName(url: string): string {
  if (!/^postgres(ql)?:\/\/./.test(url) || !URL.canParse(url)) {
    throw new AppError('usage', `The service cannot use the database “${url.replace(/\/\/[^/]*@/, '//…@')}”.`, {
      hint: 'A database is sqlite:<file>, such as sqlite:./data/service.sqlite, or postgres://<user>:<password>@<host>/<database>.',
    });
  }
  const { protocol, host, pathname } = new URL(url);
  return `${protocol}//${host}${pathname}`;
}
