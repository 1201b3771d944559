/** "Failing": how often chance alone makes a workflow that fails at a constant rate be called failing, and how soon an outage is. */
import { type HealthFacts, isUsual, judgeHealth } from '../../src/bot/insight/health/health.ts';
import type { Share } from '../../src/bot/insight/statistics.ts';
import { createChance } from '../../test/support/insight/arrivals.ts';
import type { TruthSection } from './section.ts';

const start = Date.parse('2026-03-02T00:00:00Z');
const looks = 40_000;
const outagesPerRow = 200;
const outageRuns = 60;
const usualDays = 28;
const runsADay = [1, 24, 96, 288, 2880] as const;
const rates = [0.01, 0.03, 0.05, 0.1, 0.15, 0.25, 0.5] as const;

type Run = NonNullable<HealthFacts['newestExecutions']>[number];

const startedAt = new Date(start).toISOString();
const good: Run = { status: 'SUCCESS', detailedStatus: null, startedAt };
const bad: Run = { status: 'FAILURE', detailedStatus: null, startedAt };

/** @param inARow the failures since the last success @param failure of the last 24 hours @param before the 28 days up to that success */
function isCalledFailing(inARow: number, failure: number, daily: number, before: Share): boolean {
  const facts = { deploymentStatus: 'ACTIVE', executedAt: start, isPast: false, isSilenceKnown: true };
  const unknown = { silence: null, neverRan: null, recovery: null, intermittent: null };
  const counts = { total: daily, failure, success: daily - failure };
  const newestExecutions = Array.from({ length: 5 }, (_, index) => (index < inARow ? bad : good));
  const since = { failed: inARow, since: start, isWhole: true, isUsual: inARow < daily && isUsual(inARow, before) };
  const streak = inARow < 2 ? null : { ...since, deployedAt: null, blamed: null, failure: null };
  return judgeHealth({ ...facts, ...unknown, streak, counts, newestExecutions }).verdict === 'failing';
}

/** Looks after each run from run `first` on. @returns for each look whether it calls the workflow failing */
function looksAt(failed: readonly boolean[], daily: number, first: number): readonly boolean[] {
  const upTo = [0];
  for (const [at, hasFailed] of failed.entries()) upTo.push((upTo[at] ?? 0) + Number(hasFailed));
  const failedIn = (from: number, to: number) => (upTo[to] ?? 0) - (upTo[from] ?? 0);
  let inARow = 0;
  return failed.flatMap((hasFailed, at) => {
    inARow = hasFailed ? inARow + 1 : 0;
    const [end, last] = [at + 1, at + 1 - inARow];
    const oldest = Math.max(0, last - usualDays * daily);
    const before = { failed: failedIn(oldest, last), total: last - oldest };
    return at < first ? [] : [isCalledFailing(inARow, failedIn(end - daily, end), daily, before)];
  });
}

type Row = readonly (string | number)[];

/** Looks after 28 days. */
function constantRow(rate: number): Row {
  const measured = runsADay.map((daily) => {
    const chance = createChance(daily, Math.round(1000 * rate));
    const failed = Array.from({ length: looks + usualDays * daily }, () => chance.hits(rate));
    const said = looksAt(failed, daily, usualDays * daily);
    const begun = said.filter((isSaid, at) => isSaid && said[at - 1] === false).length;
    return { share: said.filter(Boolean).length / looks, begunDaily: (begun * daily) / looks };
  });
  return [
    `${100 * rate} %`,
    ...measured.map(({ share }) => `${(100 * share).toFixed(2)} %`),
    ...measured.map(({ begunDaily }) => begunDaily.toFixed(2)),
  ];
}

/** The rate rises after 28 days. @returns the median and the 95 % quantile of the run, from 1, at which it is first called failing */
function outageRow(from: number, to: number): Row {
  const measured = runsADay.map((daily) => {
    const at = Array.from({ length: outagesPerRow }, (_, seed) => {
      const chance = createChance(seed, daily + Math.round(1000 * to));
      const begins = usualDays * daily;
      const failed = Array.from({ length: begins + outageRuns }, (_, run) => chance.hits(run < begins ? from : to));
      return looksAt(failed, daily, begins).indexOf(true) + 1;
    }).toSorted((one, other) => one - other);
    return `run ${at[outagesPerRow / 2]}, ${at[0.95 * outagesPerRow]}`;
  });
  return [`${100 * from} → ${100 * to} %: first called failing`, ...measured, ...runsADay.map(() => '')];
}

export async function measure(): Promise<TruthSection> {
  const head = [
    'Failure rate',
    ...runsADay.map((daily) => `${daily} a day: looks`),
    ...runsADay.map(() => 'begins a day'),
  ];
  const outages = [0.01, 0.1, 0.25].flatMap((from) => [0.5, 0.9, 1].map((to) => outageRow(from, to)));
  const rows = [...rates.map(constantRow), ...outages];
  return { title: 'Called failing: by chance, and after the rate rose', head, rows };
}
