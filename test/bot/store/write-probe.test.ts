/** The write probe of readiness: the bot's store and the service's records, on each engine. */
import { spawnSync } from 'node:child_process';
import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { sql } from 'kysely';
import { Client } from 'pg';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openDatabase } from '../../../src/bot/store/database.ts';
import { openRecords } from '../../../src/query-service/records/open.ts';
import { createReadiness, operationsRoutes } from '../../../src/shared/http/operations.ts';
import { createHttpServer } from '../../../src/shared/http/server.ts';
import { probeFile } from '../../../src/shared/sql/write-probe.ts';
import { describePostgres, newFolder, newSqlite } from '../../support/databases/engines.ts';
import { createMemoryLog } from '../../support/runner/memory-log.ts';

type Opened = { readonly check: () => Promise<void>; readonly close: () => Promise<void> };

const stores: readonly (readonly [name: string, open: (url: string) => Promise<Opened>])[] = [
  ['the bot’s store', (url) => openDatabase(url, 'bot')],
  ['the service’s records', (url) => openRecords(url)],
];

async function openOne(open: (url: string) => Promise<Opened>, url: string): Promise<Opened> {
  const opened = await open(url);
  onTestFinished(opened.close);
  await opened.check();
  return opened;
}

const saying = (publicMessage: string) => expect.objectContaining({ code: 'unavailable', publicMessage });

/** @returns a folder on a disk of its own, of 8 MiB; undefined where this user may mount none */
function newDisk(): string | undefined {
  const folder = join(newFolder(), 'disk');
  mkdirSync(folder);
  if (spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=8m', 'tmpfs', folder]).status !== 0) return undefined;
  onTestFinished(() => void spawnSync('umount', ['--lazy', folder]));
  return folder;
}

function fill(path: string): void {
  try {
    for (;;) writeFileSync(path, Buffer.alloc(4096), { flag: 'a' });
  } catch (error) {
    expect(error).toMatchObject({ code: 'ENOSPC' });
  }
}

describe.each(stores)('%s in a file', (_, open) => {
  it('is not ready on a full disk, and is again once there is room', async (context) => {
    const disk = newDisk();
    if (disk === undefined) return context.skip('this user may mount no disk');
    const { check } = await openOne(open, `sqlite:${join(disk, 'one.db')}`);
    fill(join(disk, 'ballast'));
    await expect(check()).rejects.toEqual(saying('The database disk is full.'));
    const { log, text } = createMemoryLog();
    expect(await createReadiness(check, log)()).toBe('The database disk is full.');
    expect(text()).toContain('"problem":"The database disk is full."');
    rmSync(join(disk, 'ballast'));
    await check();
  });

  it('is not ready while its file is gone', async () => {
    const url = await newSqlite();
    const { check } = await openOne(open, url);
    const file = url.replace('sqlite:', '');
    renameSync(file, `${file}.moved`);
    await expect(check()).rejects.toEqual(saying('The database file does not exist.'));
    renameSync(`${file}.moved`, file);
  });

  it('is ready while another process writes, and does not wait for it', async () => {
    const url = await newSqlite();
    const { check } = await openOne(open, url);
    const other = new DatabaseSync(url.replace('sqlite:', ''));
    onTestFinished(() => other.close());
    other.exec('begin immediate');
    await check();
    expect(other.isTransaction).toBe(true);
  });
});

it('a file without write permission is reported as read-only', async () => {
  const file = (await newSqlite()).replace('sqlite:', '');
  const database = new DatabaseSync(file);
  onTestFinished(() => database.close());
  database.exec(`create table steps (name text, timestamp text); insert into steps values ('a', 'b')`);
  const reading = new DatabaseSync(file, { readOnly: true });
  onTestFinished(() => reading.close());
  await probeFile(database, file, 'steps');
  await expect(probeFile(reading, file, 'steps')).rejects.toEqual(saying('The database is read-only.'));
});

describePostgres('on PostgreSQL', (newDatabase) => {
  it.each(stores)('%s are not ready while the database is read-only', async (_, open) => {
    const url = await newDatabase();
    const { check } = await openOne(open, url);
    const admin = new Client({ connectionString: url });
    await admin.connect();
    onTestFinished(() => admin.end());
    const name = new URL(url).pathname.slice(1);
    const others =
      'select pg_terminate_backend(pid) from pg_stat_activity where datname = $1 and pid <> pg_backend_pid()';
    await admin.query(`alter database ${name} set default_transaction_read_only = on`);
    await admin.query(others, [name]);
    // The connection that was ended is noticed first.
    await expect.poll(() => check().catch((error: unknown) => error)).toEqual(saying('The database is read-only.'));
    await admin.query(`set default_transaction_read_only = off`);
    await admin.query(`alter database ${name} reset default_transaction_read_only`);
    await admin.query(others, [name]);
    await expect.poll(() => check().then(() => 'ready')).toBe('ready');
  });

  it('the probe of the bot’s store has its own connection, whatever the queries wait for', async () => {
    const { db, check, close } = await openDatabase(await newDatabase(), 'bot');
    onTestFinished(close);
    const ended: string[] = [];
    const slow = Array.from({ length: 12 }, () =>
      sql`select pg_sleep(1)`.execute(db).then(
        () => ended.push('query'),
        () => ended.push('query'),
      ),
    );
    await check().then(() => ended.push('check'));
    expect(ended).toEqual(['check']);
    await Promise.all(slow);
  });
});

it('concurrent readiness checks share one probe, also a slow one', async () => {
  const answers: PromiseWithResolvers<void>[] = [];
  const ask = () => {
    const answer = Promise.withResolvers<void>();
    answers.push(answer);
    return answer.promise;
  };
  const { log, messages } = createMemoryLog();
  const problem = createReadiness(ask, log);
  const asked = Array.from({ length: 100 }, problem);
  answers[0]?.reject(new Error('no disk'));
  expect(new Set(await Promise.all([...asked, problem()]))).toEqual(new Set(['no answer']));
  expect([answers.length, messages()]).toEqual([1, ['not ready: the database does not answer as it should']]);
});

it('readiness omits a note that is slow', async () => {
  const metrics = { text: async () => '', contentType: 'text/plain' };
  const never = new Promise<readonly string[]>(() => {});
  const routes = operationsRoutes({
    ...{ isConnected: () => true, storeProblem: async () => undefined, clockProblem: () => undefined, metrics },
    missingKeys: () => never,
  });
  const server = createHttpServer({ host: '127.0.0.1', port: 0, routes, onError: () => {} });
  await server.start();
  onTestFinished(server.stop);
  expect(await (await fetch(`${server.origin()}/readyz`)).text()).toBe('ready\n');
});
