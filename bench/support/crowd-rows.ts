/** The rows of digests that are all due in the same minute: one a workspace, and ten. */
import { type CrowdCounts, type CrowdOptions, runCrowd } from './crowd.ts';
import { shown, table } from './figures.ts';

type CrowdRow = { readonly name: string } & Pick<CrowdOptions, 'workspaces' | 'perWorkspace' | 'repliesCount'>;
type CrowdResult = CrowdRow & { readonly counts: CrowdCounts };

export const crowdRows: readonly CrowdRow[] = [
  { name: '10,000 workspaces with 1', workspaces: 10_000, perWorkspace: 1, repliesCount: 0 },
  { name: '1,000 workspaces with 10', workspaces: 1000, perWorkspace: 10, repliesCount: 0 },
  { name: '5,000 workspaces with 1, two replies each', workspaces: 5000, perWorkspace: 1, repliesCount: 2 },
];

export async function crowdResult(row: CrowdRow, storeUrl: string): Promise<CrowdResult> {
  return { ...row, counts: await runCrowd({ ...row, storeUrl, replicas: 2, buildMs: 20, latencyMs: 50 }) };
}

export function crowdTable(results: readonly CrowdResult[]): string {
  const times = ['bound, s', 'root p50, s', 'root p99, s', 'last root, s', 'all done, s'];
  const costs = ['transactions a digest', 'database ms a digest', 'MiB: before, half way, end, most'];
  return table(
    ['Due in the same minute, 2 replicas', 'posted', 'lost', 'twice', 'sent away', ...times, ...costs],
    results.map(({ name, counts }) => {
      const { posted, lost, doubled, sentAway, boundMs, lateness, doneMs, database, memory } = counts;
      const seconds = [boundMs, lateness.p50, lateness.p99, lateness.last, doneMs].map((ms) => ms / 1000);
      const mebibytes = memory.map((sizes) => sizes.map((size) => shown(Math.round(size))).join(', ')).join('; ');
      const { transactionsPerDigest, msPerDigest } = database;
      return [name, posted, lost, doubled, sentAway, ...seconds, transactionsPerDigest, msPerDigest, mebibytes];
    }),
  );
}
