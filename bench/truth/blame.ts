/** False blame of a deployment in each family of histories that none changed, and the share of real changes that is found. */
import {
  type BlameHistory,
  blameIn,
  type Change,
  changed,
  fixed,
  type Setting,
  unchanged,
  unchangedFamilies,
} from '../../test/support/insight/blame-histories.ts';
import type { TruthSection } from './section.ts';

const minuteMs = 60_000;
const days = 40;
const everyMinutes = [5, 15, 60] as const;
const deploymentsWeekly = [1, 3, 14] as const;
const [unchangedSeeds, changedSeeds] = [200, 100];

const changes: readonly Omit<Change, 'failuresAfter'>[] = [
  { from: 0, to: 0.1 },
  { from: 0, to: 0.4 },
  { from: 0, to: 1 },
  { from: 0.001, to: 0.9 },
  { from: 0.01, to: 0.4 },
  { from: 0.05, to: 0.3 },
  { from: 0.1, to: 0.6 },
  { from: 0.2, to: 0.5 },
];

const settings = everyMinutes.flatMap((minutes) =>
  deploymentsWeekly.map((weekly): Setting => {
    return { everyMs: minutes * minuteMs, days, deploymentsWeekly: weekly, arrivals: 'schedule' };
  }),
);

type Judged = 'right' | 'wrong' | 'silent' | null;

/** A share for each number of deployments a week, and over all of them. */
function shares(seeds: number, judge: (seed: number, setting: Setting) => Judged): readonly string[] {
  const judged = settings.flatMap((setting) =>
    Array.from({ length: seeds }, (_, seed) => ({ setting, outcome: judge(seed, setting) })),
  );
  const share = (weekly: number | null) => {
    const tried = judged.filter(
      ({ setting, outcome }) => outcome !== null && (weekly === null || setting.deploymentsWeekly === weekly),
    );
    const hits = tried.filter(({ outcome }) => outcome === 'right').length;
    return `${((100 * hits) / tried.length).toFixed(1)} % of ${tried.length}`;
  };
  return [...deploymentsWeekly.map(share), share(null)];
}

function isBlamed(history: BlameHistory | null): Judged {
  if (history === null) return null;
  return blameIn(history).kind === 'blamed' ? 'right' : 'silent';
}

function found(change: Omit<Change, 'failuresAfter'>, seed: number, setting: Setting): Judged {
  const one = changed({ ...change, failuresAfter: 10 + 10 * (seed % 3) }, seed, setting);
  if (one === null) return null;
  const finding = blameIn(one.history);
  if (finding.kind !== 'blamed') return 'silent';
  return finding.deployment.uuid === one.uuid ? 'right' : 'wrong';
}

export async function measure(): Promise<TruthSection> {
  const falseBlame = [
    ...unchangedFamilies.map((family) => [
      `false blame: ${family}`,
      ...shares(unchangedSeeds, (seed, setting) => isBlamed(unchanged(family, seed, setting))),
    ]),
    ...[1, 2].map((failures) => [
      `false blame: a fix after ${failures} failed`,
      ...shares(unchangedSeeds, (seed, setting) => isBlamed(fixed(failures, seed, setting))),
    ]),
  ];
  const detection = changes.map((change) => [
    `found: ${100 * change.from} % → ${100 * change.to} %`,
    ...shares(changedSeeds, (seed, setting) => found(change, seed, setting)),
  ]);
  return {
    title: `Blame: every ${everyMinutes.join(', ')} min over ${days} days, by deployments a week`,
    head: ['', ...deploymentsWeekly.map(String), 'all'],
    rows: [...falseBlame, ...detection],
  };
}
