/** Both engines for suites that each must pass: every call makes an empty database, which is dropped when the test ends. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { env } from 'node:process';
import { describe, onTestFinished } from 'vitest';
import { takePostgres } from './kept-postgres.ts';

/** @returns the URL of an empty database */
export type NewDatabase = () => Promise<string>;

const { TEST_POSTGRES_URL: serverUrl, CI: isCi } = env;

export type Engine = 'SQLite' | 'PostgreSQL';

/** Runs a suite once per engine. PostgreSQL's is skipped by name without a server; in CI its absence is a failure. */
export function describeEngines(name: string, suite: (newDatabase: NewDatabase, engine: Engine) => void): void {
  describe(`${name} on SQLite`, () => suite(newSqlite, 'SQLite'));
  describePostgres(`${name} on PostgreSQL`, (newDatabase) => suite(newDatabase, 'PostgreSQL'));
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
  const { url, giveBack } = await takePostgres();
  onTestFinished(giveBack);
  return url;
}
