/** Opens the records on the engine that the URL names. */
import { AppError } from '../../shared/errors.ts';
import type { StandbySettings } from './postgres/standbys/standbys.ts';
import { openPostgresRecords } from './postgres/store.ts';
import { type FileCache, openSqliteRecords } from './sqlite/store.ts';
import type { RecordStore } from './store.ts';

export type OpenOptions = {
  /** Size of a file's cache; `large` for imports, which change pages all over the indexes. */
  readonly cache?: FileCache;
  /** Called with a sentence about a fault that does not prevent the start. */
  readonly warn?: (sentence: string) => void;
  /** Standbys of the server of the URL; none by default. */
  readonly standbys?: StandbySettings | undefined;
};

/**
 * Opens the database and migrates the tables; several processes may do so at once.
 * @param url `sqlite:<file>` (its folder is created if missing), `sqlite::memory:` or `postgres://…`
 * @throws AppError `usage` for any other URL, `unavailable` if the database cannot be used
 */
export async function openRecords(url: string, options: OpenOptions = {}): Promise<RecordStore> {
  const { cache = 'small', warn = () => {}, standbys } = options;
  const file = /^sqlite:(.+)$/.exec(url)?.[1];
  const name = databaseName(url);
  try {
    return await (file === undefined ? openPostgresRecords(url, standbys) : openSqliteRecords(file, cache, warn));
  } catch (cause) {
    const own = cause instanceof AppError ? cause : undefined;
    const text = cause instanceof Error ? cause.message : String(cause);
    const reason = own?.publicMessage ?? `It says: ${text.replace(/\.?$/, '.')}`;
    const hint = own?.hint ?? 'Check the database in --database or SERVICE_DATABASE_URL.';
    throw new AppError('unavailable', `The database ${name} cannot be used. ${reason}`, { cause, hint });
  }
}

/** @returns what people may read of the URL: the file, or the server @throws AppError `usage` for any other URL */
export function databaseName(url: string): string {
  return /^sqlite:(.+)$/.exec(url)?.[1] ?? serverName(url);
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
