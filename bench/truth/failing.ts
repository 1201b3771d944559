/** "Failing": how often chance alone makes a workflow that fails at a constant rate be called failing, and how soon an outage is. */
import { type HealthFacts, judgeHealth } from '../../src/bot/insight/health/health.ts';
import { createChance } from '../../test/support/insight/arrivals.ts';
import type { TruthSection } from './section.ts';

const start = Date.parse('2026-03-02T00:00:00Z');
const looks = 40_000;
const outages = 200;
const outageRuns = 60;
const runsADay = [1, 24, 96, 288, 2880] as const;
const rates = [0.01, 0.03, 0.05, 0.1, 0.25] as const;

type Run = NonNullable<HealthFacts['newestExecutions']>[number];

const startedAt = new Date(start).toISOString();
const good: Run = { status: 'SUCCESS', detailedStatus: null, startedAt };
const bad: Run = { status: 'FAILURE', detailedStatus: null, startedAt };

/** @param newest first @param failure of the `total` runs of the last 24 hours */
function isCalledFailing(newest: readonly Run[], failure: number, total: number): boolean {
  const facts = { deploymentStatus: 'ACTIVE', executedAt: start, isPast: false, isSilenceKnown: true };
  const unknown = { silence: null, neverRan: null, streak: null, intermittent: null, recovery: null };
  const counts = { total, failure, success: total - failure };
  return judgeHealth({ ...facts, ...unknown, counts, newestExecutions: newest }).verdict === 'failing';
}

/** Looks after each run from the first whole window on. @returns for each look whether it calls the workflow failing */
function looksAt(failed: readonly boolean[], daily: number): readonly boolean[] {
  let inWindow = 0;
  let newest: readonly Run[] = [];
  return failed.flatMap((hasFailed, at) => {
    inWindow += Number(hasFailed) - Number(failed[at - daily] ?? false);
    newest = [hasFailed ? bad : good, ...newest.slice(0, 4)];
    return at < daily ? [] : [isCalledFailing(newest, inWindow, daily)];
  });
}

type Row = readonly (string | number)[];

function constantRow(rate: number): Row {
  const measured = runsADay.map((daily) => {
    const chance = createChance(daily, Math.round(1000 * rate));
    const failed = Array.from({ length: looks + daily }, () => chance.hits(rate));
    const said = looksAt(failed, daily);
    const begun = said.filter((isSaid, at) => isSaid && said[at - 1] === false).length;
    return { share: said.filter(Boolean).length / looks, begunDaily: (begun * daily) / looks };
  });
  return [
    `${100 * rate} %`,
    ...measured.map(({ share }) => `${(100 * share).toFixed(2)} %`),
    ...measured.map(({ begunDaily }) => begunDaily.toFixed(2)),
  ];
}

/** The rate rises after a whole window. @returns the median and the 95 % quantile of the run, from 1, at which it is first called failing */
function outageRow(from: number, to: number): Row {
  const measured = runsADay.map((daily) => {
    const at = Array.from({ length: outages }, (_, seed) => {
      const chance = createChance(seed, daily + Math.round(1000 * to));
      const failed = Array.from({ length: daily + outageRuns }, (_, run) => chance.hits(run < daily ? from : to));
      return looksAt(failed, daily).indexOf(true) + 1;
    }).toSorted((one, other) => one - other);
    return `run ${at[outages / 2]}, ${at[0.95 * outages]}`;
  });
  return [`${100 * from} → ${100 * to} %: first called failing`, ...measured, ...runsADay.map(() => '')];
}

export async function measure(): Promise<TruthSection> {
  const head = [
    'Failure rate',
    ...runsADay.map((daily) => `${daily} a day: looks`),
    ...runsADay.map(() => 'begins a day'),
  ];
  const rows = [...rates.map(constantRow), ...[0.5, 0.9, 1].map((to) => outageRow(0.01, to))];
  return { title: 'Called failing: by chance, and after the rate rose', head, rows };
}
