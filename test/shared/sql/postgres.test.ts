/** PostgreSQL behind Kysely: numbers, timeouts and lost connections. */
import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { Kysely, sql } from 'kysely';
import { expect, it, onTestFinished } from 'vitest';
import { postgresDialect, retryConflicts } from '../../../src/shared/sql/postgres.ts';
import { describePostgres } from '../../support/databases/engines.ts';

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
    const db = open(line.url, 2_000);
    await sql`select 1`.execute(db);
    line.cut();
    await expect(sql`select 1`.execute(db)).rejects.toMatchObject({ code: 'unavailable', isRetryable: true });
    expect((await sql`select 2 as two`.execute(db)).rows).toEqual([{ two: 2 }]);
  });

  it('a slow statement is cancelled, and an error of the statement itself is unchanged', async () => {
    const db = open(await newDatabase(), 2_000);
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
    const db = open(url, 60_000);
    await sql`select 1`.execute(db);
    const others = sql`select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()`;
    await others.execute(open(url));
    await sql`select 1`.execute(db).catch(() => {});
    expect((await sql`select 2 as two`.execute(db)).rows).toEqual([{ two: 2 }]);
  });

  it('a bug of this program is not called a database that does not answer', async () => {
    const db = open(await newDatabase());
    const bug = new TypeError('a bug');
    let attempts = 0;
    const value = {
      toPostgres() {
        attempts += 1;
        throw bug;
      },
    };
    await expect(sql`select ${value}::text`.execute(db)).rejects.toBe(bug);
    expect(attempts).toBe(1);
    expect((await sql`select 2 as two`.execute(db)).rows).toEqual([{ two: 2 }]);
  });

  it.each([
    ['two seconds', ''],
    ['as long as the address says', '?connect_timeout=1'],
  ])('a statement waits %s for a connection of a busy pool, and is then told so', async (_, search) => {
    const url = await newDatabase();
    const db = open(Object.assign(new URL(url), { search }).href, 120_000);
    const slow = await open(url)
      .transaction()
      .execute(async (step) => {
        await sql`select pg_advisory_xact_lock(1)`.execute(step);
        const waiting = sql`select pg_advisory_xact_lock(1)`.execute(db);
        await expect(sql`select 1`.execute(db)).rejects.toMatchObject({
          code: 'unavailable',
          publicMessage: expect.stringContaining('no free connection'),
          isRetryable: true,
        });
        return { waiting };
      });
    await slow.waiting;
    expect((await sql`select 2 as two`.execute(db)).rows).toEqual([{ two: 2 }]);
  });

  it('a statement that may wait longer is answered once the connection is free', async () => {
    const db = open(Object.assign(new URL(await newDatabase()), { search: '?connect_timeout=120' }).href, 30_000);
    const [, second] = await Promise.all([sql`select pg_sleep(3)`.execute(db), sql`select 2 as two`.execute(db)]);
    expect(second.rows).toEqual([{ two: 2 }]);
  });

  it('a server that is away does not answer', async () => {
    const away = open('postgres://postgres@127.0.0.1:1/none');
    await expect(sql`select 1`.execute(away)).rejects.toMatchObject({ publicMessage: 'The database does not answer.' });
  });

  it('a server that accepts connections and says nothing does not answer, also to a statement that waits behind another', async () => {
    const silent = createServer().listen(0, '127.0.0.1');
    await once(silent, 'listening');
    onTestFinished(() => void silent.close());
    const { port } = silent.address() as { readonly port: number };
    const db = open(`postgres://postgres@127.0.0.1:${port}/none?connect_timeout=1`);
    const ends = await Promise.allSettled([1, 2].map((number) => sql`select ${number}`.execute(db)));
    const told = { status: 'rejected', reason: { publicMessage: 'The database does not answer.' } };
    expect(ends).toMatchObject([told, told]);
  });

  /** Two counters, and sessions whose transactions are serializable. */
  async function counters(url: string) {
    const strict = new URL(url);
    strict.searchParams.set('options', '-c default_transaction_isolation=serializable');
    const db = open(strict.href, 5000, 4);
    await sql`create table counter (name text primary key, value integer not null)`.execute(db);
    await sql`insert into counter values ('a', 0), ('b', 0)`.execute(db);
    const add = (name: string, to: Kysely<Record<string, never>> = db) =>
      sql`update counter set value = (select value from counter where name = ${name}) + 1 where name = ${name}`.execute(
        to,
      );
    const values = async () => (await sql`select * from counter order by name`.execute(db)).rows;
    return { db, add, values };
  }

  it('statements that the server ends because of one another are repeated until each counts', async () => {
    const { add, values } = await counters(await newDatabase());
    await Promise.all(Array.from({ length: 5 }, () => add('a')));
    expect(await values()).toContainEqual({ name: 'a', value: 5 });
  });

  it('transactions that wait for one another are repeated until both count', async () => {
    const { db, add, values } = await counters(await newDatabase());
    const bothHaveBegun = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const addBoth = (names: readonly [string, string], own: number) =>
      retryConflicts(() =>
        db.transaction().execute(async (step) => {
          await add(names[0], step);
          bothHaveBegun[own]?.resolve();
          await Promise.all(bothHaveBegun.map(({ promise }) => promise));
          await add(names[1], step);
        }),
      );
    await Promise.all([addBoth(['a', 'b'], 0), addBoth(['b', 'a'], 1)]);
    expect(await values()).toEqual([
      { name: 'a', value: 2 },
      { name: 'b', value: 2 },
    ]);
  });
});
