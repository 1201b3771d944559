/** The lag of a standby, and the metrics of the servers that answer. */
import { expect, test } from 'vitest';
import { createServiceMetrics } from '../../../src/query-service/metrics.ts';
import { createPositions } from '../../../src/query-service/records/postgres/standbys/standbys.ts';

function positionsAt(): { readonly at: (ms: number) => ReturnType<typeof createPositions> } {
  let now = 0;
  const positions = createPositions(() => now);
  return {
    at(ms) {
      now = ms;
      return positions;
    },
  };
}

test('a standby that has replayed everything does not lag, however long the primary writes nothing', () => {
  const { at } = positionsAt();
  at(0).add(100);
  expect(at(60_000).lagMsOf(100)).toBe(0);
  at(60_000).add(100);
  expect(at(90_000).lagMsOf(100)).toBe(0);
});

test('the lag is the age of the oldest position that the standby lacks', () => {
  const { at } = positionsAt();
  for (const [ms, position] of [
    [0, 100],
    [1_000, 200],
    [2_000, 300],
  ] as const)
    at(ms).add(position);
  expect(at(2_500).lagMsOf(100)).toBe(1_500);
  expect(at(2_500).lagMsOf(250)).toBe(500);
  expect(at(2_500).lagMsOf(300)).toBe(0);
});

test('positions of a former primary, whose log was longer, do not count as lag', () => {
  const { at } = positionsAt();
  at(0).add(900);
  at(1_000).add(500);
  expect(at(5_000).lagMsOf(500)).toBe(0);
});

test('the metrics name each server by host and port, with its reads and its lag', async () => {
  const metrics = createServiceMetrics();
  metrics.watchServers(() => [
    { server: 'primary', answered: 3, behind: 0, failed: 0, isRead: true, lagMs: null },
    { server: 'standby:5432', answered: 7, behind: 2, failed: 1, isRead: false, lagMs: 1_500 },
  ]);
  await metrics.text();
  const lines = (await metrics.text()).split('\n');
  for (const line of [
    'workflow_service_server_reads_total{server="primary",outcome="answered"} 3',
    'workflow_service_server_reads_total{server="standby:5432",outcome="answered"} 7',
    'workflow_service_server_reads_total{server="standby:5432",outcome="behind"} 2',
    'workflow_service_server_reads_total{server="standby:5432",outcome="failed"} 1',
    'workflow_service_standby_read{server="standby:5432"} 0',
    'workflow_service_standby_lag_seconds{server="standby:5432"} 1.5',
  ])
    expect(lines).toContain(line);
});
