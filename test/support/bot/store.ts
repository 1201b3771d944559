/** Stores for tests, with their own keys. */
import { randomBytes } from 'node:crypto';
import { copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, onTestFinished } from 'vitest';
import { restore } from '../../../src/bot/store/backup.ts';
import { type Database, openDatabase } from '../../../src/bot/store/database.ts';
import type { KeyProvider } from '../../../src/bot/store/secrets/envelope.ts';
import { createKeyProvider, parseKeyring } from '../../../src/bot/store/secrets/keyring.ts';
import { openStore, type Store, type StoreOptions } from '../../../src/bot/store/store.ts';
import { describePostgres, type Engine, type NewDatabase, newSqlite } from '../databases/engines.ts';
import { type Contents, takePostgres } from '../databases/kept-postgres.ts';
import { type Program, startProgram } from '../programs/program.ts';
import { secret } from '../runner/canaries.ts';

/** @returns one line of a keyring, with a random key */
export function keyLine(id: string): string {
  return `${id}:${secret(randomBytes(32).toString('base64'))}`;
}

/** @param lines of a keyring, the first encrypts; one random key if absent */
export function testKeys(...lines: readonly string[]): KeyProvider {
  const keyring = parseKeyring(lines.length > 0 ? lines.join('\n') : keyLine('test'), 'the test');
  return createKeyProvider(() => keyring);
}

/** @returns a new SQLite store, whose file is gone when it is closed */
export async function openNewStore(options: StoreOptions = {}): Promise<Store> {
  const folder = mkdtempSync(join(tmpdir(), 'store-'));
  const file = join(folder, 'bot.db');
  copyFileSync(await fileWithTables(), file);
  const store = await openStore(`sqlite:${file}`, options);
  const close = async () => {
    await store.close();
    rmSync(folder, { recursive: true, force: true });
  };
  return { ...store, close };
}

/** Closed when the test ends. @param url a new SQLite file if absent */
export async function openTestStore(
  url?: string,
  keys: KeyProvider | undefined = testKeys(),
  clock?: () => number,
): Promise<Store> {
  const options = { keys, clock };
  const store = await (url === undefined ? openNewStore(options) : openStore(url, options));
  onTestFinished(() => store.close());
  return store;
}

/** Opens the database like a script, beside the bot; closed when the test ends. */
export async function openBeside(url: string): Promise<Database['db']> {
  const { db, close } = await openDatabase(url, 'script');
  onTestFinished(close);
  return db;
}

/** @param lines of a backup @returns how many rows were restored */
export async function restoreInto(url: string, lines: readonly string[]): Promise<number> {
  const { db, close } = await openDatabase(url, 'restore');
  return restore(
    db,
    (async function* () {
      yield* lines;
    })(),
  ).finally(close);
}

let withTables: Promise<string> | undefined;

/** One for each process: the tables of the bot take ten times as long to make as to copy. */
function fileWithTables(): Promise<string> {
  withTables ??= (async () => {
    const file = join(mkdtempSync(join(tmpdir(), 'tables-')), 'bot.db');
    await (await openStore(`sqlite:${file}`)).close();
    return file;
  })();
  return withTables;
}

/** As `describeEngines`; each database has the tables of the bot already. */
export function describeStores(name: string, suite: (newDatabase: NewDatabase, engine: Engine) => void): void {
  describe(`${name} on SQLite`, () =>
    suite(async () => {
      const url = await newSqlite();
      copyFileSync(await fileWithTables(), url.slice('sqlite:'.length));
      return url;
    }, 'SQLite'));
  describePostgres(`${name} on PostgreSQL`, () =>
    suite(async () => {
      const { url, giveBack } = await takePostgres(tables);
      onTestFinished(giveBack);
      return url;
    }, 'PostgreSQL'),
  );
}

const tables: Contents = { name: 'tables of the bot', fill: async (url) => (await openStore(url)).close() };

/** Runs a script of the store as a process. @param name such as `backup` */
export function startStoreScript(
  name: string,
  environment: Readonly<Record<string, string>>,
  ...args: readonly string[]
): Program {
  return startProgram({ entry: `src/bin/store-${name}.ts`, args, environment });
}
