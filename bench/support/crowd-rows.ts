/** Rows of the benchmark of digests that are due in the same minute: few and many, one or more a workspace, with and without replies. */
import { availableParallelism } from 'node:os';
import { type CrowdCounts, type CrowdOptions, runCrowd } from './crowd.ts';
import { shown, table } from './figures.ts';
import { ceilingMs } from './limited-slack.ts';

type CrowdRow = { readonly name: string } & Pick<CrowdOptions, 'workspaces' | 'perWorkspace' | 'repliesCount'>;
type CrowdResult = CrowdRow & { readonly counts: CrowdCounts; readonly ceilingMs: number };

/** Latency of Slack's answers. */
const latencyMs = 50;

export const crowdRows: readonly CrowdRow[] = [
  { name: '2,000 workspaces with 1', workspaces: 2000, perWorkspace: 1, repliesCount: 0 },
  { name: '100 workspaces with 100', workspaces: 100, perWorkspace: 100, repliesCount: 0 },
  { name: '6,000 workspaces with 1', workspaces: 6000, perWorkspace: 1, repliesCount: 0 },
  { name: '10,000 workspaces with 1', workspaces: 10_000, perWorkspace: 1, repliesCount: 0 },
  { name: '20,000 workspaces with 1', workspaces: 20_000, perWorkspace: 1, repliesCount: 0 },
  { name: '1,000 workspaces with 10', workspaces: 1000, perWorkspace: 10, repliesCount: 0 },
  { name: '5,000 workspaces with 1, two replies each', workspaces: 5000, perWorkspace: 1, repliesCount: 2 },
];

export async function crowdResult(row: CrowdRow, storeUrl: string): Promise<CrowdResult> {
  const posts = row.workspaces * row.perWorkspace * (1 + row.repliesCount);
  const ceiling = await ceilingMs(posts, latencyMs);
  return {
    ...row,
    ceilingMs: ceiling,
    counts: await runCrowd({ ...row, storeUrl, replicas: 2, buildMs: 20, latencyMs }),
  };
}

export function crowdTable(results: readonly CrowdResult[]): string {
  const times = ['bound, s', 'root p50, s', 'root p99, s', 'last root, s', 'all done, s'];
  const floors = ['Slack alone, s', 'all cores at work, s'];
  const costs = ['transactions a digest', 'database ms a digest', 'cpu ms a digest: replicas, database, Slack'];
  const head = ['Due in the same minute, 2 replicas', 'posted', 'lost', 'duplicates', 'got 429', ...times, ...floors];
  return table(
    [...head, ...costs, 'MiB: before, half way, end, most'],
    results.map(({ name, counts, ceilingMs: alone }) => {
      const { due, posted, lost, doubled, sentAway, boundMs, lateness, doneMs, database, cpu, memory } = counts;
      const cpuMs = [cpu.replicas, cpu.database, cpu.slack];
      const busyMs = (due * cpuMs.reduce((sum, ms) => sum + ms, 0)) / availableParallelism();
      const times = [boundMs, lateness.p50, lateness.p99, lateness.last, doneMs, alone, busyMs];
      const seconds = times.map((ms) => ms / 1000);
      const mebibytes = memory.map((sizes) => sizes.map((size) => shown(Math.round(size))).join(', ')).join('; ');
      const work = [database.transactionsPerDigest, database.msPerDigest, cpuMs.map(shown).join(', ')];
      return [name, posted, lost, doubled, sentAway, ...seconds, ...work, mebibytes];
    }),
  );
}
