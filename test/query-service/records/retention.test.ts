/** Old executions are deleted while the service runs, and replies hold only the rest. */
import { DatabaseSync } from 'node:sqlite';
import { setImmediate } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { readServiceConfig } from '../../../src/query-service/config.ts';
import { startRetention } from '../../../src/query-service/retention.ts';
import { newSqlite } from '../../support/databases/engines.ts';
import { startControl } from '../../support/runner/control.ts';
import { createErrorLog, silentLog, startTestService } from '../../support/service/service.ts';
import { executionRecord, minutesAgo, putOrganizations, serviceNow } from '../../support/service/service-records.ts';
import { openTestRecords } from '../../support/service/transfer.ts';

const query = '{ workflowExecutions(input: { page: { size: 100 } }) { count data { startedAt } } }';
type Listed = { readonly workflowExecutions: { readonly count: number; readonly data: readonly object[] } };

test('executions older than the retention time are deleted in several batches, and totals count the rest', async () => {
  const service = await startTestService();
  const numbers = Array.from({ length: 1200 }, (_, number) => number + 1000);
  await service.writer.putExecutions(
    numbers.map((number) => executionRecord(number, { startedAt: minutesAgo(3 * 1440 + number) })),
  );
  const retention = startRetention({ writer: service.writer, clock: () => service.now, log: silentLog, days: 1 });
  // The run at the start comes first.
  await retention.run();
  await retention.stop();
  const { body } = await service.ask<Listed>(query);
  // One execution of service-records.ts is two days old.
  expect(body.data?.workflowExecutions).toMatchObject({ count: 13 });
  expect(body.data?.workflowExecutions.data).toHaveLength(13);
  await service.close();
});

test('without a retention time nothing is deleted', async () => {
  expect(readServiceConfig([], {})).not.toHaveProperty('config.retentionDays');
  expect(readServiceConfig([], { SERVICE_RETENTION_DAYS: '90' })).toHaveProperty('config.retentionDays', 90);
  expect(readServiceConfig([], { SERVICE_RETENTION_DAYS: '0' })).toMatchObject({
    problems: ['SERVICE_RETENTION_DAYS must be a whole number of days, at least 1.'],
  });
});

test('a service with a retention time deletes from its start', async () => {
  const databaseUrl = await newSqlite();
  const first = await startTestService({ databaseUrl });
  await first.close();
  const second = await startTestService({ databaseUrl, hasRecords: false, retentionDays: 1 });
  const count = async () => (await second.ask<Listed>(query)).body.data?.workflowExecutions.count;
  await expect.poll(count).toBe(13);
  await second.close();
});

test('a database error is logged, and the next run works', async () => {
  const { log, errors } = createErrorLog();
  let left = 2;
  const forgetExecutions = async () => {
    left -= 1;
    if (left === 1) throw new Error('no disk');
    return 0;
  };
  const retention = startRetention({ writer: { forgetExecutions }, clock: () => 0, log, days: 1 });
  expect(await retention.run()).toBe(0);
  await retention.stop();
  expect(errors).toHaveLength(1);
});

test('on SQLite retention does not wait for a long writer: the next run deletes', async () => {
  const url = await newSqlite();
  const store = await openTestRecords(url);
  await putOrganizations(store.writer);
  using other = new DatabaseSync(url.slice('sqlite:'.length));
  other.exec('begin immediate');
  const longWait = startControl(5_000);
  await expect(store.writer.forgetExecutions(serviceNow, 500)).rejects.toThrow('database is locked');
  // In the second turn a timer that is due has fired.
  for (const _turn of [1, 2]) await setImmediate();
  expect(longWait.isOver()).toBe(false);
  other.exec('rollback');
  expect(await store.writer.forgetExecutions(serviceNow, 500)).toBeGreaterThan(0);
});
