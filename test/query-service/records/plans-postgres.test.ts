/** PostgreSQL answers reads from an index, with custom and with generic plans. */
import { Client, escapeLiteral } from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openRecords } from '../../../src/query-service/records/open.ts';
import { runSteps } from '../../../src/query-service/records/reads/steps.ts';
import type { Row, Statement } from '../../../src/query-service/records/sql.ts';
import { describePostgres } from '../../support/databases/engines.ts';
import { takePostgres } from '../../support/databases/kept-postgres.ts';
import { questions } from '../../support/service/reference/record-questions.ts';
import { recordsOf } from '../../support/service/reference/records.ts';
import { putOrganizations, serviceNow } from '../../support/service/service-records.ts';

/** A month of fifty workflows, on top of what the two organizations have. */
const history = `
  insert into workflow select 'org_harbor', 'w' || n, 'w' || n, 'w' || n, 'hash', 'ACTIVE', 'owner', ${serviceNow}, 'GIT'
    from generate_series(1, 50) as n;
  insert into execution select 'org_harbor', 'e' || n, 'hash' || n, 'w' || (1 + n % 50),
      case when n % 50 = 0 then 'FAILURE' else 'SUCCESS' end, null, null, ${serviceNow} - n * 60000::bigint, null, null, null, null
    from generate_series(1, 40000) as n;
  insert into execution_count select organization_id, workflow_uuid, 3600000, started_at - started_at % 3600000, status, count(*), 0, 0, 0, 0
    from execution where workflow_uuid like 'w%' group by 1, 2, 4, 5;
  insert into execution_detail select organization_id, uuid, '[]', '[]' from execution where workflow_uuid like 'w%';
  analyze`;

describePostgres('with 40,000 executions on PostgreSQL', () => {
  const statements: Statement[] = [];
  let client: Client;
  let giveBack: () => Promise<void>;
  beforeAll(async () => {
    const made = await takePostgres();
    giveBack = made.giveBack;
    const store = await openRecords(made.url);
    await putOrganizations(store.writer);
    await store.close();
    client = new Client({ connectionString: made.url });
    await client.connect();
    await client.query(history);
  });
  afterAll(async () => {
    await client.end();
    await giveBack();
  });

  async function run(wanted: readonly Statement[]): Promise<readonly (readonly Row[])[]> {
    statements.push(...wanted);
    const found: (readonly Row[])[] = [];
    for (const { text, values } of wanted) {
      found.push((await client.query<Row[number][]>({ text, values: [...values], rowMode: 'array' })).rows);
    }
    return found;
  }

  async function planOf({ text, values: given }: Statement, mode: string): Promise<readonly string[]> {
    await client.query(`set plan_cache_mode = force_${mode}_plan; deallocate all; prepare question as ${text}`);
    const values = given.map((value) => escapeLiteral(String(value)));
    const { rows } = await client.query(`explain execute question${values.length > 0 ? `(${values.join(', ')})` : ''}`);
    return rows.map((row: Readonly<Record<string, string>>) => row['QUERY PLAN'] ?? '');
  }

  test.each(Object.entries(questions))(
    '%s reads no executions or counts whole, and sorts no list',
    async (name, ask) => {
      statements.length = 0;
      await ask(recordsOf({ engine: 'postgresql', read: async (steps) => runSteps(steps, () => run) }));
      expect(statements.length).toBeGreaterThan(0);
      for (const statement of [...statements]) {
        for (const mode of ['custom', 'generic']) {
          const plan = await planOf(statement, mode);
          expect(plan.filter((line) => /Seq Scan on execution/.test(line))).toEqual([]);
          if (name.startsWith('a list') && !name.endsWith('id')) {
            expect(plan.filter((line) => /Sort {2}\(/.test(line))).toEqual([]);
          }
        }
      }
    },
  );

  test('the search would find a table that is read whole', async () => {
    const whole = { text: 'select errors from execution where errors = $1', values: ['x'] };
    expect((await planOf(whole, 'generic')).join()).toContain('Seq Scan on execution');
  });
});
