/** The long form of isolation.test.ts: `npm run test:long`. */
import { expect, test } from 'vitest';
import { runIsolation } from './run.ts';

const forMs = 120_000;

test('a hundred workspaces of ten organizations, for two minutes', async () => {
  const until = performance.now() + forMs;
  const { leaks, actions, read, told } = await runIsolation(
    { workspaces: 100, organizations: 10 },
    () => performance.now() > until,
  );
  expect(leaks, told).toEqual([]);
  expect(read, told).toBe(10);
  expect(Math.min(...Object.values(actions)), told).toBeGreaterThan(0);
}, 300_000);
