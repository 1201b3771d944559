/** Opens the database behind the store, whichever engine its URL names. */
import { existsSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { type Dialect, Kysely } from 'kysely';
import { AppError } from '../../shared/errors.ts';
import { migrate, missingMigrations } from '../../shared/sql/migrate.ts';
import { postgresDialect } from '../../shared/sql/postgres.ts';
import { makePrivate } from '../../shared/sql/private-file.ts';
import { sqliteDialect } from '../../shared/sql/sqlite.ts';
import { probeFile, probeServer } from '../../shared/sql/write-probe.ts';
import { lockFile } from './file-lock.ts';
import { storeMigrations } from './migrations.ts';
import { refusePlainText } from './secrets/stored-secrets.ts';
import type { Tables } from './tables/tables.ts';

/**
 * The bot brings the tables up to date and is alone with a SQLite file. A script works beside it, on tables as they are.
 * `restore` is alone too, and makes the tables itself.
 */
export type DatabaseUse = 'bot' | 'script' | 'restore';

export type Database = {
  readonly db: Kysely<Tables>;
  /** Waits behind no query. @throws AppError `unavailable` while the database does not answer or takes no writes */
  readonly check: () => Promise<void>;
  readonly close: () => Promise<void>;
};

/** FULL, because an id that was posted and forgotten is a message posted twice. */
const setUp = `
  pragma busy_timeout = 5000;
  pragma journal_mode = wal;
  pragma synchronous = full;
  pragma foreign_keys = on;
`;

/** Shorter than a person waits; scripts and migrations may work for longer. */
const answerTimeoutMs = 5000;
const scriptTimeoutMs = 600_000;

/**
 * @param url `sqlite:<file>` (its folder is made where missing), `sqlite::memory:` or `postgres://…`
 * @param warn gets a sentence where other users of the machine can open a file, or could until now
 * @throws AppError `usage` for any other url, `unavailable` with what to do about it where the database cannot be used
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
    const hint = (cause instanceof AppError && cause.hint) || 'DATABASE_URL says which database is used.';
    throw new AppError('unavailable', `The database ${name} cannot be used. ${reason}`, { cause, hint });
  }
}

/** @returns the URL without who asks and how @throws AppError `usage` where it is none */
function postgresName(url: string): string {
  if (!/^postgres(ql)?:\/\/./.test(url) || !URL.canParse(url)) {
    throw new AppError(
      'usage',
      'The store is kept in sqlite:<file> or postgres://<user>:<password>@<host>/<database>.',
    );
  }
  const { protocol, host, pathname } = new URL(url);
  return `${protocol}//${host}${pathname}`;
}

/** What an engine's own error says; a file's problems are best told in its words. */
function reasonOf(cause: unknown): string {
  return cause instanceof Error ? `It says: ${cause.message.replace(/\.?$/, '.')}` : 'It does not say why.';
}

async function openSqlite(file: string, use: DatabaseUse, warn: (sentence: string) => void): Promise<Database> {
  if (use === 'script' && !existsSync(file)) throw notMade();
  if (file !== ':memory:') makePrivate(file, warn);
  const hold = use === 'script' ? undefined : lockFile(file);
  try {
    const database = new DatabaseSync(file);
    const db = kyselyOf(sqliteDialect(database));
    const close = async () => {
      await db.destroy();
      // Kysely closes what it has used.
      if (database.isOpen) database.close();
      hold?.release();
    };
    const check = () => probeFile(database, file, storeMigrations.table);
    return await prepared({ db, check, close }, use, () => database.exec(setUp));
  } catch (error) {
    hold?.release();
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
  const patient = await prepared(connect(scriptTimeoutMs), use);
  if (use !== 'bot') return patient;
  await patient.close();
  return connect(answerTimeoutMs, 'statements');
}

function kyselyOf(dialect: Dialect): Kysely<Tables> {
  return new Kysely<Tables>({ dialect });
}

/** Closes the database where it cannot be prepared. */
async function prepared(database: Database, use: DatabaseUse, setUpEngine?: () => void): Promise<Database> {
  try {
    setUpEngine?.();
    if (use === 'bot') await migrate(database.db, storeMigrations);
    if (use === 'script') await refuseOldTables(database.db);
    if (use !== 'restore') await refusePlainText(database.db);
    return database;
  } catch (error) {
    await database.close();
    throw error;
  }
}

async function refuseOldTables(db: Kysely<Tables>): Promise<void> {
  if ((await missingMigrations(db, storeMigrations)).length > 0) throw notMade();
}

function notMade(): AppError {
  const hint = 'Start the bot once: it makes them.';
  return new AppError('unavailable', 'Its tables are missing, or older than this program.', { hint });
}
