/** The tables of the records distributed by Citus, on a server that has the extension; elsewhere a test says that it did not run. */
import { Client } from 'pg';
import { describe, expect, test } from 'vitest';
import { openRecords } from '../../src/query-service/records/open.ts';
import { makePostgres } from '../support/engines.ts';
import { testRecords } from './records.contract.ts';

/** By organization, in an order in which every foreign key refers to a table that is distributed already. */
const distributed = [
  'organization',
  'account',
  'workflow',
  'deployment',
  'execution',
  'execution_detail',
  'execution_count',
];
/** Their keys do not begin with the organization, or every write of an organization reads them: each node has a copy. */
const copied = ['api_key', 'kept_secret', 'import_progress', 'organization_revision', 'closed_organization'];

async function hasCitus(): Promise<boolean> {
  const { url, drop } = await makePostgres();
  const client = new Client({ connectionString: url });
  await client.connect();
  const { rows } = await client.query(`select from pg_available_extensions where name = 'citus'`);
  await client.end();
  await drop();
  return rows.length > 0;
}

async function openDistributed() {
  const { url, drop } = await makePostgres();
  // The tables come first, because Citus distributes tables that exist.
  await (await openRecords(url)).close();
  const client = new Client({ connectionString: url });
  await client.connect();
  await client.query('create extension citus');
  for (const table of copied) await client.query('select create_reference_table($1)', [table]);
  for (const table of distributed) {
    await client.query(`select create_distributed_table($1, 'organization_id')`, [table]);
  }
  await client.end();
  const store = await openRecords(url);
  const close = async () => {
    await store.close();
    await drop();
  };
  return { ...store, close };
}

if (await hasCitus()) describe('distributed by Citus', () => testRecords(openDistributed));
else {
  const reason = 'not run, because the PostgreSQL server of the tests has no extension named citus';
  process.stderr.write(`The records on Citus: ${reason}.\n`);
  test(reason, async () => expect(await hasCitus()).toBe(false));
}
