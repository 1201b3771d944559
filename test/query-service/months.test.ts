/** Months of executions on PostgreSQL: made before they are needed, dropped as a whole, finished after a kill. */
import { Client } from 'pg';
import { expect, onTestFinished, test } from 'vitest';
import { openRecords } from '../../src/query-service/records/open.ts';
import { createMonthlyTables } from '../../src/query-service/records/postgres/create.ts';
import type { ExecutionRecord } from '../../src/query-service/records/record.ts';
import type { RecordStore } from '../../src/query-service/records/store.ts';
import { describePostgres } from '../support/engines.ts';
import { expectEvery } from '../support/every.ts';
import {
  executionRecord,
  failureRecord,
  harbor,
  putOrganizations,
  serviceNow,
  uuidOf,
} from '../support/service-records.ts';
import { exportOf, harborLines, importInto, openTestRecords, startServiceScript } from '../support/transfer.ts';

const { organizationId } = harbor.organization;
const always = { from: null, until: null };
const everything = { workflowUuid: null, statuses: null, span: always, search: null };
const newest = { field: 'STARTED_AT', direction: 'DESC' } as const;
const startOf = (month: string) => Date.parse(`${month}-01T00:00:00Z`);

describePostgres('a database with a partition for each month', (newDatabase) => {
  async function newMonthly(): Promise<{ readonly url: string; readonly store: RecordStore; readonly sql: Sql }> {
    const url = await newDatabase();
    await createMonthlyTables(url);
    const store = await openTestRecords(url);
    await putOrganizations(store.writer);
    return { url, store, sql: await connectTo(url) };
  }

  test('makes this month and the next one ahead, across the end of a year', async () => {
    const { store, sql } = await newMonthly();
    await store.makeAhead(Date.parse('2027-12-31T23:59:59.999Z'));
    await store.makeAhead(Date.parse('2027-12-31T23:59:59.999Z'));
    expect(await monthsIn(sql)).toEqual(['2026_11', '2027_12', '2028_01']);
    const bounds = await sql(`select pg_get_expr(relpartbound, oid) from pg_class where relname = 'execution_2027_12'`);
    expect(bounds).toEqual([`FOR VALUES FROM ('${startOf('2027-12')}') TO ('${startOf('2028-01')}')`]);
  });

  test('an import of executions in missing months by two processes at once writes all of them', async () => {
    const { url, store, sql } = await newMonthly();
    const other = await openTestRecords(url);
    const months = Array.from({ length: 14 }, (_, back) => Date.UTC(2026, 10 - back, 15));
    const batches = (offset: number) => months.map((startedAt, n) => executionRecord(1000 + offset + n, { startedAt }));
    await Promise.all([
      putOneByOne(store, batches(0)),
      putOneByOne(other, batches(100).reverse()),
      other.writer.putExecutions(batches(200)),
    ]);
    const list = await store.records.executions(organizationId, everything, newest, { limit: 100, offset: 14 });
    expect(list).toHaveLength(42);
    expect(await store.records.counts(organizationId, null, always)).toMatchObject({ total: 56 });
    expect(await monthsIn(sql)).toHaveLength(14);
  });

  test('the first and the last millisecond of a month are in it', async () => {
    const { store, sql } = await newMonthly();
    const startedAt = [startOf('2026-01'), startOf('2026-02') - 1, startOf('2026-02')];
    await store.writer.putExecutions(startedAt.map((start, n) => executionRecord(500 + n, { startedAt: start })));
    expect(await sql('select count(*)::int from execution_2026_01')).toEqual([2]);
    expect(await sql('select count(*)::int from execution_2026_02')).toEqual([1]);
  });

  test('an execution that starts in another month when it is imported again is there once, with its logs', async () => {
    const { store, sql } = await newMonthly();
    for (const month of ['2026-09', '2027-02', '2026-03']) {
      await store.writer.putExecutions([failureRecord(700, { startedAt: startOf(month) })]);
    }
    expect(await sql(`select started_at::text from execution where uuid = '${uuidOf('execution', 700)}'`)).toEqual([
      String(startOf('2026-03')),
    ]);
    const details = await store.records.executionDetail(organizationId, uuidOf('execution', 700), new Set(['logs']));
    expect(details.logs[0]?.timestamp).toBe(startOf('2026-03') + 100);
    expect(await sql('select count(*)::int from execution_detail_2027_02')).toEqual([0]);
  });

  test('retention drops whole months, deletes the rest of the next one, and counts what is left', async () => {
    const { store, sql } = await newMonthly();
    await store.writer.putExecutions(
      ['2026-07', '2026-08', '2026-09', '2026-10'].flatMap((month, n) => [
        failureRecord(800 + n, { startedAt: startOf(month) }),
        executionRecord(820 + n, { startedAt: startOf(month) + 20 * 86_400_000 }),
      ]),
    );
    const before = Date.parse('2026-09-10T00:00:00Z');
    let deleted = 0;
    for (let count = -1; count !== 0; deleted += count) count = await store.writer.forgetExecutions(before, 500);
    expect(deleted).toBe(5);
    expect(await monthsIn(sql)).toEqual(['2026_09', '2026_10', '2026_11']);
    const list = await store.records.executions(organizationId, everything, newest, { limit: 100, offset: 0 });
    expect(list.at(-1)?.startedAt).toBe(startOf('2026-09') + 20 * 86_400_000);
    expect(await store.records.counts(organizationId, null, always)).toMatchObject({ total: list.length });
    const days = await store.records.countsByDay(organizationId, null, { from: 0, until: serviceNow });
    expectEvery(days, ({ day }) => day >= before);
  });

  test('retention of everything keeps the newest month, and a later month follows it', async () => {
    const { store, sql } = await newMonthly();
    for (let count = -1; count !== 0; ) count = await store.writer.forgetExecutions(startOf('2028-01'), 500);
    expect(await monthsIn(sql)).toEqual(['2026_11']);
    await store.writer.putExecutions([executionRecord(900, { startedAt: startOf('2028-02') })]);
    for (let count = -1; count !== 0; ) count = await store.writer.forgetExecutions(startOf('2028-01'), 500);
    expect(await monthsIn(sql)).toEqual(['2028_02']);
    expect(await store.records.counts(organizationId, null, always)).toMatchObject({ total: 1 });
  });

  test.each(['detached', 'detaching'])(
    'a month that a killed process left %s is dropped by the next run',
    async (left) => {
      const { url, store, sql } = await newMonthly();
      const startedAt = startOf('2026-08');
      await store.writer.putExecutions([failureRecord(800, { startedAt }), executionRecord(801, { startedAt })]);
      // A snapshot keeps a detachment waiting, which the kill of its connection leaves half done.
      const reader = await connectTo(url);
      if (left === 'detaching') {
        await reader('begin');
        await reader('select count(*) from execution');
      }
      await detachAndKill(url, sql, left === 'detaching');
      await reader('rollback');
      expect(await sql(`select count(*)::int from execution where started_at < ${startOf('2026-09')}`)).toEqual([0]);
      expect(await store.records.counts(organizationId, null, always)).toMatchObject({ total: 16 });
      for (let count = -1; count !== 0; ) count = await store.writer.forgetExecutions(startOf('2026-09'), 500);
      expect(await store.records.counts(organizationId, null, always)).toMatchObject({ total: 14 });
      expect(await monthsIn(sql)).toEqual(['2026_11']);
      expect(await sql(`select relname from pg_class where relname like 'execution%2026_08%'`)).toEqual([]);
    },
  );

  test('an import into a month that was detached and not dropped makes it again, and retention drops both', async () => {
    const { url, store, sql } = await newMonthly();
    const startedAt = startOf('2026-08');
    await store.writer.putExecutions([failureRecord(800, { startedAt }), executionRecord(801, { startedAt })]);
    await detachAndKill(url, sql, false);
    await store.writer.putExecutions([executionRecord(801, { startedAt }), executionRecord(802, { startedAt })]);
    const old = { ...everything, span: { from: null, until: startOf('2026-09') } };
    expect(await store.records.executions(organizationId, old, newest, { limit: 9, offset: 0 })).toHaveLength(2);
    for (let count = -1; count !== 0; ) count = await store.writer.forgetExecutions(startOf('2026-09'), 500);
    expect(await store.records.counts(organizationId, null, always)).toMatchObject({ total: 14 });
    expect(await monthsIn(sql)).toEqual(['2026_11']);
  });

  test('several processes drop the same months at once', async () => {
    const { url, store, sql } = await newMonthly();
    const months = Array.from({ length: 6 }, (_, back) => Date.UTC(2026, 5 - back, 15));
    await store.writer.putExecutions(months.map((startedAt, n) => executionRecord(1000 + n, { startedAt })));
    const others = [await openTestRecords(url), await openTestRecords(url)];
    await Promise.all([store, ...others].map(({ writer }) => writer.forgetExecutions(startOf('2026-07'), 500)));
    expect(await monthsIn(sql)).toEqual(['2026_11']);
    expect(await store.records.counts(organizationId, null, always)).toMatchObject({ total: 14 });
  });

  test('it is refused as one of several servers, because a move would write behind the views', async () => {
    const { url } = await newMonthly();
    await expect(openRecords(url, { placeNew: 'main' })).rejects.toThrow(/cannot be used with several servers/);
  });

  test('an export and an import into another database have the same bytes', async () => {
    const { store } = await newMonthly();
    const lines = harborLines(300);
    await importInto(store, lines);
    const plain = await openTestRecords(await newDatabase());
    await putOrganizations(plain.writer);
    await importInto(plain, lines);
    expect(await exportOf(store)).toBe(await exportOf(plain));
  });
});

describePostgres('a database without months', (newDatabase) => {
  test('stays as it is', async () => {
    const url = await newDatabase();
    const store = await openTestRecords(url);
    await putOrganizations(store.writer);
    await store.makeAhead(serviceNow);
    const sql = await connectTo(url);
    await expect(createMonthlyTables(url)).rejects.toThrow(/no partition for each month/);
    expect(await monthsIn(sql)).toEqual([]);
    expect(await sql(`select relkind::text from pg_class where relname = 'execution'`)).toEqual(['r']);
    expect(await store.records.counts(organizationId, null, always)).toMatchObject({ total: 14 });
  });

  test('an empty one gets months once, while several processes open it', async () => {
    const url = await newDatabase();
    const [first, second] = [await createMonthlyTables(url), await createMonthlyTables(url)];
    expect([first, second]).toEqual([true, false]);
    const stores = await Promise.all([1, 2, 3].map(() => openRecords(url)));
    for (const { check, close } of stores) {
      await check();
      await close();
    }
  });
});

describePostgres('npm run service:make-months', (newDatabase) => {
  test('makes the tables of an empty database, and refuses tables without months', async () => {
    const [url, plain] = [await newDatabase(), await newDatabase()];
    await (await openRecords(plain)).close();
    const run = async (...args: readonly string[]) => {
      const script = startServiceScript('make-months', ...args);
      return [await script.ended, script.output().trim()];
    };
    expect(await run('--database', url)).toEqual([0, 'The tables are made, with a partition for each month.']);
    expect(await run('--database', plain)).toEqual([1, expect.stringContaining('empty database')]);
  });
});

type Sql = (text: string) => Promise<readonly unknown[]>;

/** @returns a function that runs a statement on one connection, and returns its first column */
async function connectTo(url: string): Promise<Sql> {
  const client = new Client({ connectionString: url });
  client.on('error', () => {});
  await client.connect();
  onTestFinished(() => client.end());
  return async (text) => (await client.query<unknown[]>({ text, rowMode: 'array' })).rows.map(([value]) => value);
}

/** @returns the months that both tables have */
async function monthsIn(sql: Sql): Promise<readonly unknown[]> {
  const of = (table: string) =>
    sql(`select substr(relname, length('${table}_') + 1) from pg_inherits inner join pg_class on oid = inhrelid
      where inhparent = to_regclass('${table}') and relkind = 'r' order by 1`);
  const months = await of('execution');
  expect(await of('execution_detail')).toEqual(months);
  return months;
}

async function putOneByOne(store: RecordStore, records: readonly ExecutionRecord[]): Promise<void> {
  for (const record of records) await store.writer.putExecutions([record]);
}

/** Detaches August 2026 as retention does, and kills the connection before the table is dropped. */
async function detachAndKill(url: string, sql: Sql, isWaiting: boolean): Promise<void> {
  const client = new Client({ connectionString: url, application_name: 'killed' });
  client.on('error', () => {});
  await client.connect();
  const detached = client.query('alter table execution detach partition execution_2026_08 concurrently');
  const outcome = detached.then(
    () => 'detached',
    () => 'killed',
  );
  if (isWaiting) {
    const pending = () => sql(`select 1 from pg_inherits where inhdetachpending`);
    await expect.poll(pending).toHaveLength(1);
  } else await outcome;
  await sql(`select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'killed'`);
  expect(await outcome).toBe(isWaiting ? 'killed' : 'detached');
}
