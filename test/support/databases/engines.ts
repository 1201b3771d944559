/** Both engines for suites that each must pass: every call makes an empty database, which is dropped when the test ends. */
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { env } from 'node:process';
import { Client } from 'pg';
import { describe, onTestFinished } from 'vitest';
import { leaveBit } from '../runner/canaries.ts';

/** @returns the URL of an empty database */
export type NewDatabase = () => Promise<string>;

const { TEST_POSTGRES_URL: serverUrl, CI: isCi } = env;

/** Runs a suite once per engine. PostgreSQL's is skipped by name without a server; in CI its absence is a failure. */
export function describeEngines(name: string, suite: (newDatabase: NewDatabase) => void): void {
  describe(`${name} on SQLite`, () => suite(newSqlite));
  describePostgres(`${name} on PostgreSQL`, suite);
}

/** Runs a suite only on PostgreSQL. */
export function describePostgres(name: string, suite: (newDatabase: NewDatabase) => void): void {
  const run = serverUrl === undefined && isCi !== 'true' ? describe.skip : describe;
  run(name, () => suite(newPostgres));
}

/** @returns an empty folder, gone when the test ends */
export function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'store-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return folder;
}

/** @returns the URL of a file that is not there yet */
export async function newSqlite(): Promise<string> {
  return `sqlite:${join(newFolder(), 'bot.db')}`;
}

async function newPostgres(): Promise<string> {
  return await copyPostgres(defaultTemplate);
}

/** @param template a database that nobody uses meanwhile @returns the URL of a copy, which is dropped when the test ends */
export async function copyPostgres(template: string): Promise<string> {
  const { url, drop } = await makePostgres(template);
  onTestFinished(drop);
  return url;
}

/** The database that PostgreSQL itself copies for a new one. */
const defaultTemplate = 'template1';

/** Servers of a busy machine take longer for a connection than the two seconds that a bot waits. */
const longConnectTimeout = '?connect_timeout=120';

export type MadePostgres = { readonly name: string; readonly url: string; readonly drop: () => Promise<void> };

/** A database on the server, until it is dropped; for data that outlives one test. Empty if it is no copy. */
export async function makePostgres(template = defaultTemplate): Promise<MadePostgres> {
  if (serverUrl === undefined) throw new Error('TEST_POSTGRES_URL is not set: run the tests with .ci/with-postgres.');
  const server = serverUrl;
  const name = `test_${randomBytes(8).toString('hex')}`;
  await asServer(server, `create database ${name} template ${template} strategy = file_copy`);
  const url = Object.assign(new URL(server), { pathname: name, search: longConnectTimeout }).href;
  const drop = async () => {
    await leaveRows(url);
    await asServer(server, `drop database ${name} with (force)`);
  };
  return { name, url, drop };
}

/** Every row of every table as the server's text, some at a time. */
async function leaveRows(url: string): Promise<void> {
  const take = leaveBit('the database on PostgreSQL');
  const client = new Client({ connectionString: url });
  await client.connect();
  const ask = async (statement: string) => (await client.query<{ readonly one: string }>(statement)).rows;
  for (const { one: table } of await ask(
    `select quote_ident(tablename) as one from pg_tables where schemaname = 'public'`,
  )) {
    await client.query(`begin; declare rows cursor for select t::text as one from ${table} t`);
    for (let rows = await ask('fetch 1000 from rows'); rows.length > 0; rows = await ask('fetch 1000 from rows')) {
      for (const { one } of rows) take(`${one}\n`);
    }
    await client.query('rollback');
  }
  await client.end();
}

async function asServer(url: string, statement: string): Promise<void> {
  const client = new Client({ connectionString: url });
  await client.connect();
  await client.query(statement).finally(() => client.end());
}
