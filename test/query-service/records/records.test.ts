/** The records on both engines: the contract, and the errors of a database that cannot be used. */
import { rmSync } from 'node:fs';
import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { Client } from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openRecords } from '../../../src/query-service/records/open.ts';
import { distributeTables } from '../../../src/query-service/records/postgres/distribute.ts';
import type { RecordStore } from '../../../src/query-service/records/store.ts';
import { describeEngines, describePostgres } from '../../support/databases/engines.ts';
import { takePostgres } from '../../support/databases/kept-postgres.ts';
import { recordsOf } from '../../support/service/reference/records.ts';
import { executionRecord, putOrganizations, serviceNow } from '../../support/service/service-records.ts';
import { testRecords } from './records.contract.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'records-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

describe('in memory', () => testRecords(() => openRecords('sqlite::memory:')));
describe('in a file', () => testRecords(() => openRecords(`sqlite:${join(folder, 'contract.db')}`)));
describePostgres('on PostgreSQL', () => testRecords(() => onServer(takePostgres)));

describePostgres('an empty database on PostgreSQL', (newDatabase) => {
  test('may be opened by several processes at once', async () => {
    const url = await newDatabase();
    const stores = await Promise.all([1, 2, 3].map(() => openRecords(url)));
    for (const { check, close } of stores) {
      await check();
      await close();
    }
  });
});

/** A database that is given back when the records are closed. */
async function onServer(make: typeof takePostgres): Promise<RecordStore> {
  const { url, giveBack } = await make();
  const store = await openRecords(url);
  const close = async () => {
    await store.close();
    await giveBack();
  };
  return { ...store, close };
}

test('written records are there when the file is opened again, in a new folder', async () => {
  const url = `sqlite:${join(folder, 'made', 'here', 'records.db')}`;
  const first = await openRecords(url);
  await putOrganizations(first.writer);
  await first.close();
  const second = await openRecords(url);
  expect(await second.records.organization('org_harbor')).toMatchObject({ displayName: 'Harbor' });
  await second.close();
});

test('a written batch is visible to another connection at once', async () => {
  const url = `sqlite:${join(folder, 'shared.db')}`;
  const [writing, reading] = [await openRecords(url), await openRecords(url)];
  await putOrganizations(writing.writer);
  expect(await recordsOf(reading).counts('org_harbor', null, { from: null, until: null })).toMatchObject({ total: 14 });
  await reading.writer.clearOrganization('org_harbor');
  expect(await writing.records.organization('org_harbor')).toBeNull();
  await Promise.all([writing.close(), reading.close()]);
});

test('a file without the counts of organizations gets them when it is opened', async () => {
  const file = join(folder, 'older.db');
  const first = await openRecords(`sqlite:${file}`);
  await putOrganizations(first.writer);
  await first.close();
  const database = new DatabaseSync(file);
  database.exec(`delete from execution_count where workflow_uuid = '';
    delete from service_migration where name >= '0003';
    drop index execution_failures;
    create index execution_count_by_period on execution_count (organization_id, period_ms, period_start)`);
  database.close();
  const second = await openRecords(`sqlite:${file}`);
  const counts = await recordsOf(second).counts('org_harbor', null, { from: null, until: null });
  expect(counts).toEqual({ total: 14, success: 11, failure: 2, creditMicros: 650_000 });
  await second.close();
});

describeEngines('a database of the version before', (newDatabase) => {
  test('gets its logs and events in the form of the contract when it is opened', async () => {
    const url = await newDatabase();
    const detail = {
      logs: [{ nodeId: 'node-1', message: 'a "quoted" line', timestamp: serviceNow }],
      events: [
        {
          ...{ capabilityId: 'http@1.0.0', status: 'FAILED', method: null, startedAt: serviceNow, finishedAt: null },
          errors: [{ error: 'refused', count: 2 }],
        },
      ],
    };
    const executions = Array.from({ length: 45 }, (_, number) => executionRecord(100 + number, detail));
    const first = await openRecords(url);
    await putOrganizations(first.writer);
    await first.writer.putExecutions(executions);
    await first.close();
    await runRaw(
      url,
      `update execution_detail set logs = '${JSON.stringify(detail.logs)}', events = '${JSON.stringify(detail.events)}'
      where logs is not null`,
    );
    await runRaw(url, `delete from service_migration where name like '0004%'`);
    const second = await openRecords(url);
    for (const { uuid } of executions) {
      expect(await recordsOf(second).executionDetail('org_harbor', uuid, new Set(['logs', 'events']))).toEqual(detail);
    }
    await second.close();
  });
});

describePostgres('a database of a version with several servers and months', (newDatabase) => {
  const older = async (text: string) => {
    const url = await newDatabase();
    await (await openRecords(url)).close();
    await runRaw(url, `delete from service_migration where name = '0008-one-server'; ${text}`);
    return url;
  };
  const directory = `create table server (name text primary key); create table own_server (name text primary key);
    insert into server values ('main');`;

  test('loses the tables of the directory if no other server was added', async () => {
    const store = await openRecords(await older(directory));
    await store.check();
    await store.close();
  });

  test('is refused if it is one of several, and keeps them', async () => {
    const url = await older(`${directory} insert into server values ('b')`);
    await expect(openRecords(url)).rejects.toThrow(/is one of several servers/);
    await runRaw(url, 'select name from own_server');
  });

  test('is refused if it has a partition for each month', async () => {
    const url = await older('drop table execution; create table execution (uuid text) partition by range (uuid)');
    await expect(openRecords(url)).rejects.toThrow(/partitioned by month/);
  });
});

describePostgres('a server without Citus', (newDatabase) => {
  test('is named when its records are to be distributed', async () => {
    const url = await newDatabase();
    await (await openRecords(url)).close();
    await expect(distributeTables(url)).rejects.toThrow('The database has no extension citus.');
  });
});

async function runRaw(url: string, text: string): Promise<void> {
  const file = /^sqlite:(.+)$/.exec(url)?.[1];
  if (file !== undefined) {
    const database = new DatabaseSync(file);
    database.exec(text);
    database.close();
    return;
  }
  const client = new Client({ connectionString: url });
  await client.connect();
  await client.query(text);
  await client.end();
}

test('a file that is not a database is refused with its name', async () => {
  const file = join(folder, 'notes.txt');
  await writeFile(file, 'not a database, however long this text may be');
  await expect(openRecords(`sqlite:${file}`)).rejects.toThrow(
    `The database ${file} cannot be used. It says: file is not a database.`,
  );
});

test('a database of a newer version is refused with the next step', async () => {
  const url = `sqlite:${join(folder, 'newer.db')}`;
  await (await openRecords(url)).close();
  await runRaw(url, "insert into service_migration values ('9999-newer', '')");
  const hint = 'Start the version that was used last, or a newer one.';
  await expect(openRecords(url)).rejects.toMatchObject({ hint });
});

test('another kind of database is refused', async () => {
  await expect(openRecords('mysql://localhost')).rejects.toThrow(
    'The service cannot use the database “mysql://localhost”.',
  );
});
