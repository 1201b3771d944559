/** The long form of isolation.test.ts: `npm run test:long`. */
import { expect, test } from 'vitest';
import { runIsolation } from './run.ts';

const forMs = 120_000;

test('a hundred workspaces of ten organizations, for two minutes, and until people have done each kind of action', async () => {
  const until = performance.now() + forMs;
  const { leaks, actions, read, told } = await runIsolation(
    { workspaces: 100, organizations: 10 },
    (_, counts) => performance.now() > until && Math.min(...Object.values(counts)) > 0,
  );
  expect(leaks, told).toEqual([]);
  expect(read, told).toBe(10);
  expect(Math.min(...Object.values(actions)), told).toBeGreaterThan(0);
}, 300_000);
