/** Pipelined connections to PostgreSQL: rows, errors, slow statements and lost connections. */
import { Client } from 'pg';
import { expect, it, onTestFinished } from 'vitest';
import type { StatementPool } from '../../../src/shared/sql/postgres.ts';
import { createPipelinedPool } from '../../../src/shared/sql/postgres-pipeline.ts';
import { describePostgres } from '../../support/databases/engines.ts';

const uncharged = { spend: () => {} };

function open(url: string, given: { readonly connectionsMax?: number; readonly answerTimeoutMs?: number } = {}) {
  const pool = createPipelinedPool({
    url,
    answerTimeoutMs: 5000,
    connectionsMax: 4,
    depth: 4,
    keeps: 'plans',
    ...given,
  });
  onTestFinished(() => pool.end());
  const ask = (text: string, ...values: readonly unknown[]) => pool.run(text, values, uncharged);
  return { pool, ask };
}

async function onServer(url: string, text: string): Promise<void> {
  const client = new Client({ connectionString: url });
  await client.connect();
  await client.query(text).finally(() => client.end());
}

const endOthers = `select pg_terminate_backend(pid) from pg_stat_activity
  where datname = current_database() and pid <> pg_backend_pid()`;

const usedConnections = (pool: StatementPool) => pool.use().total - pool.use().idle;

describePostgres('on PostgreSQL', (newDatabase) => {
  it('a row is a list of numbers, texts and nulls, the first time and later', async () => {
    const { ask } = open(await newDatabase());
    const text = `select $1::int, $2::bigint, $3::text, null::bigint, '5'::text, 2.5::float8, ''`;
    for (let time = 0; time < 3; time += 1) {
      expect(await ask(text, 7, 1_763_700_000_000, 'a')).toEqual([[7, 1_763_700_000_000, 'a', null, '5', 2.5, '']]);
    }
    expect(await ask('select 1 where false')).toEqual([]);
    expect(await ask(`select '${'x'.repeat(5000)}'`)).toEqual([['x'.repeat(5000)]]);
  });

  it('statements under way at the same time get their own rows, in few connections', async () => {
    const { pool, ask } = open(await newDatabase());
    await ask('select 1');
    const forms = Array.from({ length: 150 }, (_, form) => `select $1::int + ${form}, 'form ${form}'`);
    const asked = Array.from({ length: 900 }, (_, number) => ask(forms[number % 150] ?? '', number));
    const rows = await Promise.all(asked);
    expect(rows).toEqual(rows.map((_, number) => [[number + (number % 150), `form ${number % 150}`]]));
    expect(pool.use().total).toBeLessThanOrEqual(4);
  });

  it('an error ends its own statement only', async () => {
    const { ask } = open(await newDatabase(), { connectionsMax: 1 });
    await ask('select 1');
    const found = await Promise.allSettled([
      ask('select 1 / $1::int', 1),
      ask('select 1 / $1::int', 0),
      ask('select 1 / $1::int', 1),
      ask('select nothing'),
      ask('select 2'),
    ]);
    expect(found.map((each) => (each.status === 'fulfilled' ? each.value : each.reason.code))).toEqual([
      [[1]],
      '22012',
      [[1]],
      '42703',
      [[2]],
    ]);
  });

  it('a statement of a slow form has a connection of its own, and is charged for its own time', async () => {
    const { pool, ask } = open(await newDatabase());
    const sleep = 'select pg_sleep($1::float8)';
    await ask(sleep, 0.05);
    const charged: number[] = [];
    const slow = pool.run(sleep, [2], { spend: (ms) => charged.push(ms) });
    let isSlowDone = false;
    void slow.then(() => {
      isSlowDone = true;
    });
    expect(await ask('select 1')).toEqual([[1]]);
    await pool.run('select 1', [], { spend: (ms) => charged.push(ms) });
    expect(isSlowDone).toBe(false);
    await slow;
    // The sleep takes two seconds at least.
    expect(charged[1]).toBeGreaterThanOrEqual(1_990);
    expect(charged[0]).toBeLessThan(charged[1] ?? 0);
  });

  it('a statement that takes too long is ended by the server, and those behind it are answered', async () => {
    const { pool, ask } = open(await newDatabase(), { answerTimeoutMs: 200, connectionsMax: 1 });
    await ask('select 1');
    const [slow, behind] = await Promise.allSettled([ask('select pg_sleep(60)'), ask('select 1')]);
    expect(slow).toMatchObject({ reason: { code: 'unavailable', isRetryable: true } });
    expect(behind).toMatchObject({ value: [[1]] });
    expect(await ask('select 2')).toEqual([[2]]);
    expect(usedConnections(pool)).toBe(0);
  });

  it('sessions that the server ends are replaced: only statements under way are lost', async () => {
    const url = await newDatabase();
    const { pool, ask } = open(url);
    await ask('select 1');
    const lost = Promise.allSettled([ask('select pg_sleep(60)'), ask('select 1, 2')]);
    await onServer(url, endOthers);
    expect((await lost).map((each) => each.status === 'rejected' && each.reason.code)).toEqual([
      'unavailable',
      'unavailable',
    ]);
    await expect.poll(() => pool.use().total).toBe(0);
    expect(await ask('select 2')).toEqual([[2]]);
  });

  it('a table that changes under a named statement costs one answer, and the next is of the new table', async () => {
    const url = await newDatabase();
    await onServer(url, 'create table changing (a int); insert into changing values (1)');
    const { ask } = open(url, { connectionsMax: 1 });
    expect(await ask('select * from changing')).toEqual([[1]]);
    await onServer(url, `alter table changing add b text default 'b'`);
    await expect(ask('select * from changing')).rejects.toMatchObject({ code: 'unavailable', isRetryable: true });
    expect(await ask('select * from changing')).toEqual([[1, 'b']]);
  });

  it('a server that is away is reported, and leaves no connection', async () => {
    const url = await newDatabase();
    const { pool, ask } = open(Object.assign(new URL(url), { port: '1' }).href);
    await expect(ask('select 1')).rejects.toMatchObject({ code: 'unavailable' });
    expect(pool.use()).toEqual({ total: 0, idle: 0, waiting: 0 });
  });
});
