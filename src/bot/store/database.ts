/** Opens the database of the store: SQLite or PostgreSQL. */
import { existsSync, realpathSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { CamelCasePlugin, type Dialect, Kysely } from 'kysely';
import { AppError } from '../../shared/errors.ts';
import { migrate, missingMigrations } from '../../shared/sql/migrate.ts';
import { postgresDialect } from '../../shared/sql/postgres.ts';
import { makePrivate } from '../../shared/sql/private-file.ts';
import { sqliteDialect } from '../../shared/sql/sqlite.ts';
import { probeFile, probeServer } from '../../shared/sql/write-probe.ts';
import { storeMigrations } from './migrations.ts';
import { refusePlainText } from './secrets/stored-secrets.ts';
import type { Tables } from './tables.ts';

/**
 * The bot migrates the tables and has a SQLite file for itself. A script works beside it and does not migrate. `restore` also
 * needs the file for itself, and makes the tables.
 */
export type DatabaseUse = 'bot' | 'script' | 'restore';

export type Database = {
  readonly db: Kysely<Tables>;
  /** Does not wait for other queries. @throws AppError `unavailable` while the database does not answer or takes no writes */
  readonly check: () => Promise<void>;
  readonly close: () => Promise<void>;
};

/** FULL, because a lost id of a posted message would lead to a second post. */
const setUp = `
  pragma busy_timeout = 5000;
  pragma journal_mode = wal;
  pragma synchronous = full;
  pragma foreign_keys = on;
`;

/** Shorter than a person waits. Scripts and migrations have more time. */
const answerTimeoutMs = 5000;
const scriptTimeoutMs = 600_000;

/**
 * @param url `sqlite:<file>` (a missing folder is made), `sqlite::memory:` or `postgres://…`
 * @param warn called with a sentence if other users of the machine can open a file, or could until now
 * @throws AppError `usage` for any other url, `unavailable` with a hint if the database cannot be used
 */
export async function openDatabase(
  url: string,
  use: DatabaseUse,
  warn: (sentence: string) => void = () => {},
): Promise<Database> {
  const file = /^sqlite:(.+)$/.exec(url)?.[1];
  const name = file ?? postgresName(url);
  try {
    return await (file === undefined ? openPostgres(url, use) : openSqlite(file, use, warn));
  } catch (cause) {
    const reason = cause instanceof AppError ? cause.publicMessage : reasonOf(cause);
    const hint = (cause instanceof AppError && cause.hint) || 'Check the database in DATABASE_URL.';
    throw new AppError('unavailable', `The database ${name} cannot be used. ${reason}`, { cause, hint });
  }
}

/** @returns the URL without user, password and parameters @throws AppError `usage` if it is not a URL */
function postgresName(url: string): string {
  if (!/^postgres(ql)?:\/\/./.test(url) || !URL.canParse(url)) {
    throw new AppError('usage', 'A database is sqlite:<file> or postgres://<user>:<password>@<host>/<database>.');
  }
  const { protocol, host, pathname } = new URL(url);
  return `${protocol}//${host}${pathname}`;
}

/** The engine's message, which describes problems of a file best. */
function reasonOf(cause: unknown): string {
  return cause instanceof Error ? `It says: ${cause.message.replace(/\.?$/, '.')}` : 'It does not say why.';
}

async function openSqlite(file: string, use: DatabaseUse, warn: (sentence: string) => void): Promise<Database> {
  if (use === 'script' && !existsSync(file)) throw notMade();
  if (file !== ':memory:') makePrivate(file, warn);
  // The database itself stays open to scripts.
  const lock = use === 'script' || file === ':memory:' ? undefined : lockFile(file);
  try {
    const database = new DatabaseSync(file);
    const db = kyselyOf(sqliteDialect(database));
    const close = async () => {
      await db.destroy();
      // Kysely closes a database only after it has used it.
      if (database.isOpen) database.close();
      if (lock?.isOpen) lock.close();
    };
    const check = () => probeFile(database, file, storeMigrations.table);
    return await prepared({ db, check, close }, use, () => database.exec(setUp));
  } catch (error) {
    if (lock?.isOpen) lock.close();
    throw error;
  }
}

async function openPostgres(url: string, use: DatabaseUse): Promise<Database> {
  const connect = (timeoutMs: number, keeps?: 'statements'): Database => {
    const open = (connectionsMax: number) =>
      kyselyOf(postgresDialect({ url, answerTimeoutMs: timeoutMs, connectionsMax, ...(keeps && { keeps }) }));
    const [db, own] = [open(10), open(1)];
    return {
      db,
      check: () => probeServer(own, storeMigrations.table),
      close: async () => void (await Promise.all([db.destroy(), own.destroy()])),
    };
  };
  const migrated = await prepared(connect(scriptTimeoutMs), use);
  if (use !== 'bot') return migrated;
  await migrated.close();
  return connect(answerTimeoutMs, 'statements');
}

function kyselyOf(dialect: Dialect): Kysely<Tables> {
  return new Kysely<Tables>({ dialect, plugins: [new CamelCasePlugin()] });
}

/** Migrates and checks the tables as far as the use requires. Closes the database on failure. */
async function prepared(database: Database, use: DatabaseUse, setUpEngine?: () => void): Promise<Database> {
  try {
    setUpEngine?.();
    if (use === 'bot') await migrate(database.db, storeMigrations);
    if (use === 'script' && (await missingMigrations(database.db, storeMigrations)).length > 0) throw notMade();
    if (use !== 'restore') await refusePlainText(database.db);
    return database;
  } catch (error) {
    await database.close();
    throw error;
  }
}

function notMade(): AppError {
  const hint = 'Start the bot once: it makes them.';
  return new AppError('unavailable', 'Its tables are missing, or older than this program.', { hint });
}

/**
 * Takes a lock of the operating system, which ends with the process, on an empty file beside the database.
 * @param file in an existing folder @throws AppError `unavailable` while another process holds it
 */
function lockFile(file: string): DatabaseSync {
  const lock = new DatabaseSync(`${ownName(file)}.lock`);
  try {
    lock.exec('begin exclusive');
    return lock;
  } catch (cause) {
    lock.close();
    const isBusy = cause instanceof Error && 'errcode' in cause && cause.errcode === sqliteBusy;
    if (!isBusy) throw cause;
    throw new AppError('unavailable', 'Another process is using the database file.', {
      cause,
      hint: 'Stop it. On PostgreSQL, several processes can share a database.',
    });
  }
}

const sqliteBusy = 5;

/** Resolves links, so that every path to the file has the same lock. */
function ownName(file: string): string {
  return existsSync(file) ? realpathSync(file) : join(realpathSync(dirname(file)), basename(file));
}
