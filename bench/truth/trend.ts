/** How often a trend is called better or worse although no rate changed, and how often a real change is. */

import { type Counts, trendOf } from '../../src/bot/insight/health/health.ts';
import { type DayCounts, historyMs, logChanceOfMore } from '../../src/bot/insight/statistics.ts';
import {
  arrivalFamilies,
  arrivalsOf,
  createChance,
  type FailureFamily,
  failureFamilies,
  failuresOfStarts,
} from '../../test/support/insight/arrivals.ts';
import type { TruthSection } from './section.ts';

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;
const start = Date.parse('2026-01-05T00:00:00Z');
const seeds = 10;

type Run = { readonly at: number; readonly isFailure: boolean };
type Span = { readonly from: number; readonly to: number };
type Directions = {
  readonly known: string;
  readonly unknown: string;
  readonly week: string;
  readonly independent: boolean;
};

function countsIn(runs: readonly Run[], { from, to }: Span): Counts {
  const within = runs.filter(({ at }) => at >= from && at < to);
  const failure = within.filter(({ isFailure }) => isFailure).length;
  return { total: within.length, failure, success: within.length - failure };
}

/** As the service counts: UTC days, the first and the last cut to the span. */
function daysIn(runs: readonly Run[], { from, to }: Span): readonly DayCounts[] {
  const days = new Map<number, { successCount: number; failureCount: number }>();
  for (const { at, isFailure } of runs) {
    if (at < from || at >= to) continue;
    const day = days.get(Math.floor(at / dayMs)) ?? { successCount: 0, failureCount: 0 };
    days.set(Math.floor(at / dayMs), day);
    if (isFailure) day.failureCount += 1;
    else day.successCount += 1;
  }
  return [...days.values()];
}

function judge(runs: readonly Run[], to: number, windowMs: number): Directions {
  const now = countsIn(runs, { from: to - windowMs, to });
  const before = countsIn(runs, { from: to - 2 * windowMs, to: to - windowMs });
  const days = daysIn(runs, { from: to - windowMs - historyMs, to: to - windowMs });
  const shares = [now, before].map(({ failure, total }) => ({ failed: failure, total }));
  const [here = shares[0], there = here] = shares;
  const isChance = (one: typeof here, other: typeof here) =>
    one === undefined || other === undefined || logChanceOfMore(one, other) > Math.log(0.025);
  return {
    known: trendOf(now, before, '', days).direction,
    week: trendOf(now, before, '', daysIn(runs, { from: to - windowMs - 7 * dayMs, to: to - windowMs })).direction,
    unknown: trendOf(now, before, '', null).direction,
    independent: !isChance(here, there) || !isChance(there, here),
  };
}

/** One result for each arrival family, period, rate and seed; nothing changes. */
function pairsOf(failures: FailureFamily, windowMs: number): readonly Directions[] {
  const cases = arrivalFamilies.flatMap((arrivals, index) =>
    [5 * minuteMs, hourMs].flatMap((everyMs) => [0.01, 0.05, 0.2].map((rate) => ({ arrivals, index, everyMs, rate }))),
  );
  return cases.flatMap(({ arrivals, index, everyMs, rate }) =>
    Array.from({ length: seeds }, (_, seed) => {
      const chance = createChance(seed, index * 1000 + Math.round(rate * 100) + everyMs / minuteMs);
      // The windows begin at any hour.
      const from = start + seed * 1.3 * dayMs;
      const to = from + historyMs + windowMs;
      const starts = arrivalsOf(arrivals, { from, to }, everyMs, chance);
      const failed = failuresOfStarts(failures, starts, rate, chance);
      return judge(
        starts.map((at, run) => ({ at, isFailure: failed[run] === true })),
        to,
        windowMs,
      );
    }),
  );
}

/** The rate changes at the beginning of the window. */
function changesOf(
  [from, to]: readonly [number, number],
  everyMs: number,
  failures: FailureFamily,
): readonly Directions[] {
  return Array.from({ length: 5 * seeds }, (_, seed) => {
    const chance = createChance(seed, 99);
    const end = start + historyMs + dayMs;
    const starts = arrivalsOf('schedule', { from: start, to: end }, everyMs, chance);
    const earlier = starts.filter((at) => at < end - dayMs);
    const failed = [
      ...failuresOfStarts(failures, earlier, from, chance),
      ...failuresOfStarts(failures, starts.slice(earlier.length), to, chance),
    ];
    return judge(
      starts.map((at, run) => ({ at, isFailure: failed[run] === true })),
      end,
      dayMs,
    );
  });
}

const isSaid = (direction: string) => direction === 'better' || direction === 'worse';

function rowOf(label: string, results: readonly Directions[]): readonly (string | number)[] {
  const share = (isMeant: (one: Directions) => boolean) =>
    `${((100 * results.filter(isMeant).length) / results.length).toFixed(1)} %`;
  const before = share(({ independent }) => independent);
  return [
    label,
    results.length,
    before,
    share(({ known }) => isSaid(known)),
    share(({ week }) => isSaid(week)),
    share(({ unknown }) => isSaid(unknown)),
  ];
}

const changes: readonly (readonly [string, readonly [number, number], number, FailureFamily])[] = [
  ['hourly, 0 to 40 %', [0, 0.4], hourMs, 'independent'],
  ['hourly, 20 to 50 %', [0.2, 0.5], hourMs, 'independent'],
  ['every 5 min, 2 to 10 %', [0.02, 0.1], 5 * minuteMs, 'independent'],
  ['every 5 min, 2 to 20 %, bursty', [0.02, 0.2], 5 * minuteMs, 'bursty'],
  ['every 5 min, 5 to 50 %, overdispersed', [0.05, 0.5], 5 * minuteMs, 'overdispersed'],
];

export async function measure(): Promise<TruthSection> {
  const head = [
    'Pairs of windows',
    'Number',
    'Said, as if independent',
    'Said',
    'Said with 7 known days',
    'Said with none',
  ];
  const rows = [
    ...failureFamilies.flatMap((failures) =>
      [1, 7].map((days) => rowOf(`no change, ${failures}, ${days} d`, pairsOf(failures, days * dayMs))),
    ),
    ...changes.map(([label, rates, everyMs, failures]) =>
      rowOf(`change, ${label}, 1 d`, changesOf(rates, everyMs, failures)),
    ),
  ];
  return { title: 'Trend words', head, rows };
}
