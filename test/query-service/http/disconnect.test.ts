/** PostgreSQL stops the searches of a client that disconnects. */
import { Client } from 'pg';
import { expect, onTestFinished, test } from 'vitest';
import { createServiceMetrics } from '../../../src/query-service/metrics.ts';
import { describePostgres } from '../../support/databases/engines.ts';
import { startControl } from '../../support/runner/control.ts';
import { createMemoryLog } from '../../support/runner/memory-log.ts';
import { startTestService } from '../../support/service/service.ts';

/** @returns a connection that keeps every reading of executions waiting, and sees who waits */
async function lockExecutions(url: string) {
  const holder = new Client({ connectionString: url });
  await holder.connect();
  onTestFinished(() => holder.end());
  await holder.query('begin; lock table execution in access exclusive mode');
  const waiting = async () => {
    // Within a transaction the list of connections is read once.
    await holder.query('select pg_stat_clear_snapshot()');
    const { rows } = await holder.query<{ readonly n: number }>(
      `select count(*)::integer as n from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
    );
    return rows[0]?.n;
  };
  return { waiting, release: () => holder.query('rollback') };
}

describePostgres('on PostgreSQL', (newDatabase) => {
  test('a search stops when its client leaves, is not logged as a fault, and the next is answered', async () => {
    const url = await newDatabase();
    const { log, text } = createMemoryLog();
    const service = await startTestService({ databaseUrl: url, log });
    onTestFinished(() => service.close());
    const { waiting, release } = await lockExecutions(url);
    const leaving = new AbortController();
    const headers = { 'content-type': 'application/json', authorization: `Apikey ${service.apiKeys.harbor}` };
    const body = JSON.stringify({ query: '{ workflowExecutions(input: { search: "abc" }) { data { id } } }' });
    const stoppedAnyway = startControl(30_000);
    const request = fetch(service.url, { method: 'POST', headers, body, signal: leaving.signal });
    await expect.poll(waiting).toBe(1);
    leaving.abort();
    await expect(request).rejects.toThrow();
    await expect.poll(waiting).toBe(0);
    expect(stoppedAnyway.isOver()).toBe(false);
    await release();
    expect((await service.post(body)).body.errors).toBeUndefined();
    expect(text()).not.toContain('"level":"error"');
  });

  test('the metrics have the connections that reads share', async () => {
    const metrics = createServiceMetrics();
    const service = await startTestService({ databaseUrl: await newDatabase() });
    onTestFinished(() => service.close());
    await service.ask('{ getOrganization { displayName } }');
    if (service.poolUse) metrics.watchPool(service.poolUse);
    expect(await metrics.text()).toMatch(/workflow_service_pool_connections\{state="total"\} [1-9]/);
  });
});
