/** The words and the mark of a deployment: how often chance says that runs fail more often since it, or marks it red. */
import { broughtOnlyFailures } from '../../src/bot/insight/health/deployment-states.ts';
import { isClearlyHigher } from '../../src/bot/insight/statistics.ts';
import { arrivalsOf, type Chance, createChance, failuresOfStarts } from '../../test/support/insight/arrivals.ts';
import type { TruthSection } from './section.ts';

const minuteMs = 60_000;
const dayMs = 1440 * minuteMs;
const start = Date.parse('2026-03-02T00:00:00Z');
const lastsMaxMs = 20 * dayMs;
const seeds = 150;
const everyMinutes = [5, 15, 60] as const;
const deploymentsWeekly = [1, 3, 14] as const;

type Run = { readonly at: number; readonly hasFailed: boolean };
type Judged = { readonly isWorse: boolean; readonly isRed: boolean };
type History = (starts: readonly number[], deployedAt: number, chance: Chance) => readonly boolean[];

const settings = everyMinutes.flatMap((minutes) =>
  deploymentsWeekly.map((weekly) => ({ everyMs: minutes * minuteMs, meanMs: (7 * dayMs) / weekly })),
);

/** The newest deployment, some time after it, and the one before it; both at random. @returns null if one of them has no run */
function judge(setting: (typeof settings)[number], seed: number, historyOf: History): Judged | null {
  const chance = createChance(seed, 1700);
  const lastsMs = () => Math.min(lastsMaxMs, Math.round(chance.exponential(setting.meanMs)));
  const deployedAt = start + lastsMs();
  const end = deployedAt + lastsMs();
  const starts = arrivalsOf('schedule', { from: start, to: end }, setting.everyMs, chance);
  const failed = historyOf(starts, deployedAt, chance);
  const runs = starts.map((at, run) => ({ at, hasFailed: failed[run] === true }));
  const [since, before] = [countsIn(runs, deployedAt, end), countsIn(runs, start, deployedAt)];
  if (since.total === 0 || before.total === 0) return null;
  const counts = { success: since.total - since.failed, failure: since.failed };
  return { isWorse: isClearlyHigher(since, before, null), isRed: broughtOnlyFailures('ACTIVE', counts) };
}

function countsIn(runs: readonly Run[], from: number, to: number) {
  const within = runs.filter(({ at }) => at >= from && at < to);
  return { failed: within.filter(({ hasFailed }) => hasFailed).length, total: within.length };
}

type Row = readonly (string | number)[];

function rowOf(label: string, historyOf: History): Row {
  const judged = settings.flatMap((setting) =>
    Array.from({ length: seeds }, (_, seed) => judge(setting, seed, historyOf)).filter((one) => one !== null),
  );
  const share = (isMeant: (one: Judged) => boolean) =>
    `${((100 * judged.filter(isMeant).length) / judged.length).toFixed(2)} %`;
  return [label, judged.length, share(({ isWorse }) => isWorse), share(({ isRed }) => isRed)];
}

const unchanged = [
  ...([0.01, 0.05, 0.1, 0.25, 0.5] as const).map((rate) => ['independent', rate] as const),
  ...(['bursty', 'overdispersed'] as const).flatMap((family) => [0.05, 0.25].map((rate) => [family, rate] as const)),
];
const rises = [
  [0, 0.4],
  [0.01, 0.9],
  [0, 1],
  [0.25, 1],
] as const;

export async function measure(): Promise<TruthSection> {
  const without = unchanged.map(([family, rate]) =>
    rowOf(`no change, ${family}, ${100 * rate} %`, (starts, _, chance) =>
      failuresOfStarts(family, starts, rate, chance),
    ),
  );
  const changed = rises.map(([from, to]) =>
    rowOf(`with the deployment, ${100 * from} → ${100 * to} %`, (starts, deployedAt, chance) =>
      starts.map((at) => chance.hits(at >= deployedAt ? to : from)),
    ),
  );
  const head = ['Newest deployment', 'Number', 'Said to fail more often since', 'Marked red'];
  return { title: 'Deployments: words and mark', head, rows: [...without, ...changed] };
}
