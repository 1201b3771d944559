/** The tables of the records distributed by Citus, on a server that has the extension; elsewhere a test says that it did not run. */
import { Client } from 'pg';
import { describe, expect, test } from 'vitest';
import { openRecords } from '../../../src/query-service/records/open.ts';
import { distributeTables } from '../../../src/query-service/records/postgres/distribute.ts';
import { runSteps } from '../../../src/query-service/records/reads/steps.ts';
import type { Row, Statement } from '../../../src/query-service/records/sql.ts';
import { takePostgres } from '../../support/databases/kept-postgres.ts';
import { questions } from '../../support/service/reference/record-questions.ts';
import { recordsOf } from '../../support/service/reference/records.ts';
import { putOrganizations } from '../../support/service/service-records.ts';
import { testRecords } from './records.contract.ts';

async function hasCitus(): Promise<boolean> {
  const { url, giveBack } = await takePostgres();
  const client = new Client({ connectionString: url });
  await client.connect();
  const { rows } = await client.query(`select from pg_available_extensions where name = 'citus'`);
  await client.end();
  await giveBack();
  return rows.length > 0;
}

async function openDistributed() {
  const { url, giveBack } = await takePostgres();
  // The tables come first, because Citus distributes tables that exist.
  await (await openRecords(url)).close();
  const client = new Client({ connectionString: url });
  await client.connect();
  await client.query('create extension citus');
  await client.end();
  await distributeTables(url);
  const store = await openRecords(url);
  const close = async () => {
    await store.close();
    await giveBack();
  };
  return { ...store, url, close };
}

if (await hasCitus())
  describe('distributed by Citus', () => {
    testRecords(openDistributed);

    test('each read asks the node of its organization alone', async () => {
      const { url, writer, close } = await openDistributed();
      await putOrganizations(writer);
      const client = new Client({ connectionString: url });
      await client.connect();
      const ask = async (text: string, values: readonly unknown[]) =>
        (await client.query<Row[number][]>({ text, values: [...values], rowMode: 'array' })).rows;
      const run = async (statements: readonly Statement[]) => {
        const found: (readonly Row[])[] = [];
        for (const { text, values } of statements) {
          const plan = (await ask(`explain ${text}`, values)).flat().join('\n');
          expect(plan).toMatch(/^Custom Scan \(Citus Adaptive\).*\n\s+Task Count: 1\n/);
          found.push(await ask(text, values));
        }
        return found;
      };
      for (const question of Object.values(questions))
        await question(recordsOf({ engine: 'postgresql', read: async (steps) => runSteps(steps, () => run) }));
      await client.end();
      await close();
    });
  });
else {
  const reason = 'not run, because the PostgreSQL server of the tests has no extension named citus';
  process.stderr.write(`The records on Citus: ${reason}.\n`);
  test(reason, async () => expect(await hasCitus()).toBe(false));
}
