/** PostgreSQL behind Kysely: numbers, timeouts and lost connections. */
import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { Kysely, sql } from 'kysely';
import { expect, it, onTestFinished } from 'vitest';
import { postgresDialect } from '../../../src/shared/sql/postgres.ts';
import { describePostgres } from '../../support/engines.ts';

function open(url: string, answerTimeoutMs = 5000, connectionsMax = 1) {
  const db = new Kysely<Record<string, never>>({ dialect: postgresDialect({ url, answerTimeoutMs, connectionsMax }) });
  onTestFinished(() => db.destroy());
  return db;
}

/** @returns the database's URL through a proxy that can drop the connection silently */
async function behindLine(url: string) {
  const { hostname, port } = new URL(url);
  const sockets: Socket[] = [];
  const server = createServer((near) => {
    const far = connect(Number(port), hostname);
    for (const [one, other] of [
      [near, far],
      [far, near],
    ] as const)
      one.pipe(other).on('error', () => {});
    sockets.push(near, far);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  const line = server.address() as { readonly port: number };
  const cut = () => {
    for (const socket of sockets) socket.unpipe().pause();
  };
  return { url: Object.assign(new URL(url), { port: line.port }).href, cut };
}

describePostgres('on PostgreSQL', (newDatabase) => {
  it('integers are returned as numbers, also beyond 32 bits', async () => {
    const { rows } = await sql`select 1763700000000::bigint as at, count(*) as n`.execute(open(await newDatabase()));
    expect(rows).toEqual([{ at: 1_763_700_000_000, n: 1 }]);
  });

  it('a connection that does not answer is closed, and the next statement has a new one', async () => {
    const line = await behindLine(await newDatabase());
    const db = open(line.url, 100);
    await sql`select 1`.execute(db);
    line.cut();
    await expect(sql`select 1`.execute(db)).rejects.toMatchObject({ code: 'unavailable', isRetryable: true });
    expect((await sql`select 2 as two`.execute(db)).rows).toEqual([{ two: 2 }]);
  });

  it('a slow statement is cancelled, and an error of the statement itself is unchanged', async () => {
    const db = open(await newDatabase(), 100);
    await expect(sql`select pg_sleep(60)`.execute(db)).rejects.toMatchObject({ code: 'unavailable' });
    await expect(sql`select nothing`.execute(db)).rejects.toMatchObject({ code: '42703' });
  });

  it.each([
    ['off', 'on'],
    ['local', 'local'],
    ['remote_apply', 'remote_apply'],
  ])('confirmed writes are durable: if the server has synchronous_commit %s, sessions have %s', async (given, had) => {
    const url = new URL(await newDatabase());
    url.searchParams.set('options', `-c synchronous_commit=${given}`);
    const { rows } = await sql<object>`show synchronous_commit`.execute(open(url.href));
    expect(rows).toEqual([{ synchronous_commit: had }]);
  });

  it('sessions that the server ends are replaced, and the process continues', async () => {
    const url = await newDatabase();
    const db = open(url);
    await sql`select 1`.execute(db);
    const others = sql`select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()`;
    await others.execute(open(url));
    await sql`select 1`.execute(db).catch(() => {});
    expect((await sql`select 2 as two`.execute(db)).rows).toEqual([{ two: 2 }]);
  });
});
