/** How often chance makes a platform incident in a daily digest of independent workflows, and how soon an outage is found. */

import { judgeCauses } from '../../src/bot/insight/digest/causes.ts';
import type { RunRates } from '../../src/bot/insight/digest/incident.ts';
import { createTally } from '../../src/bot/insight/digest/tally.ts';
import {
  type ArrivalFamily,
  arrivalFamilies,
  arrivalsOf,
  createChance,
  type FailureFamily,
  failureFamilies,
  failuresOfStarts,
} from '../../test/support/insight/arrivals.ts';
import type { TruthSection } from './section.ts';

const minuteMs = 60_000;
const dayMs = 1440 * minuteMs;
const start = Date.parse('2026-03-02T00:00:00Z');

type Failure = { readonly name: string; readonly at: number };
type Case = {
  readonly workflows: number;
  readonly rate: number;
  readonly everyMs: number;
  readonly arrivals: ArrivalFamily;
  readonly failures: FailureFamily;
};

export function tallyOf(failures: readonly Failure[], from: number, to: number) {
  const tally = createTally({ from, to, zone: 'UTC' });
  for (const { name, at } of failures) {
    const startedAt = new Date(at).toISOString();
    const errors = [{ error: 'quorum not reached', count: 3 }];
    tally.add({
      uuid: name,
      workflowName: name,
      startedAt,
      finishedAt: startedAt,
      classifiedStatus: 'SYSTEM_ERROR',
      errors,
    });
  }
  return tally.result();
}

/** An outage at midnight of every day, in which each run of some workflows fails; the digest is of the 24 hours before its end. */
type Outage = { readonly hit: number; readonly forMs: number };

/** @returns the number of days with an incident */
function daysWithIncident(
  { workflows, rate, everyMs, arrivals, failures }: Case,
  days: number,
  seed: number,
  outage: Outage = { hit: 0, forMs: 0 },
): number {
  const span = { from: start, to: start + (days + 1) * dayMs };
  const runRates = new Map<string, number>();
  const failed = Array.from({ length: workflows }, (_, index): readonly Failure[] => {
    const chance = createChance(seed, index);
    const starts = arrivalsOf(arrivals, span, everyMs, chance);
    const name = `workflow ${index}`;
    runRates.set(name, starts.length / (span.to - span.from));
    const outcome = failuresOfStarts(failures, starts, rate, chance);
    const isHit = (at: number) => index < outage.hit && (at - start) % dayMs < outage.forMs;
    return starts.flatMap((at, run) => (outcome[run] || isHit(at) ? [{ name, at }] : []));
  }).flat();
  if (outage.hit > 0) return daysFound(failed, runRates, days, outage);
  const tallies = Array.from({ length: days + 1 }, (_, day) => {
    const from = start + day * dayMs;
    const within = failed.filter(({ at }) => at >= from && at < from + dayMs);
    return tallyOf(within, from, from + dayMs);
  });
  return tallies.slice(1).filter((tally, day) => hasIncident(tally, tallies[day] ?? null, runRates)).length;
}

/** The outage of the day before the window is left out: it is the first. @returns the number of days whose outage was found */
function daysFound(failed: readonly Failure[], runRates: RunRates, days: number, { forMs }: Outage): number {
  return Array.from({ length: days }, (_, day) => {
    const to = start + (day + 1) * dayMs + forMs;
    const isEarlier = (at: number) => at < to - forMs && (at - start) % dayMs < forMs;
    const [before, window] = [to - 2 * dayMs, to - dayMs].map((from) =>
      tallyOf(
        failed.filter(({ at }) => at >= from && at < from + dayMs && !isEarlier(at)),
        from,
        from + dayMs,
      ),
    );
    return before !== undefined && window !== undefined && hasIncident(window, before, runRates);
  }).filter(Boolean).length;
}

type Tally = ReturnType<typeof tallyOf>;

function hasIncident(tally: Tally, before: Tally | null, runRates: RunRates): boolean {
  const known = before === null || before.count === 0 ? null : before;
  return judgeCauses(tally, known, () => ({ recurrence: 'unread', since: 0 }), runRates).some(
    ({ incident }) => incident !== null,
  );
}

const shapes: readonly (readonly [string, Pick<Case, 'workflows' | 'rate' | 'everyMs'>])[] = [
  ['2 workflows, 1 %, every 5 min', { workflows: 2, rate: 0.01, everyMs: 5 * minuteMs }],
  ['10 workflows, 0.3 %, every 5 min', { workflows: 10, rate: 0.003, everyMs: 5 * minuteMs }],
  ['10 workflows, 5 %, hourly', { workflows: 10, rate: 0.05, everyMs: 60 * minuteMs }],
  ['10 workflows, 10 %, daily', { workflows: 10, rate: 0.1, everyMs: dayMs }],
  ['50 workflows, 0.1 %, every 5 min', { workflows: 50, rate: 0.001, everyMs: 5 * minuteMs }],
];

export async function measure(): Promise<TruthSection> {
  const days = 100;
  const rows = shapes.flatMap(([label, shape]) =>
    failureFamilies.map((failures, family) => {
      const counts = arrivalFamilies.map((arrivals, index) =>
        daysWithIncident({ ...shape, arrivals, failures }, days, 100 * family + index),
      );
      const all = counts.reduce((sum, count) => sum + count, 0);
      const worst = Math.max(...counts);
      return [label, failures, all, days * counts.length, arrivalFamilies[counts.indexOf(worst)] ?? '', worst];
    }),
  );
  const hit = [
    ['5 min into an outage of 2 of 10 workflows, 0.3 %, every 5 min', 2, 5],
    ['10 min into an outage of 3 of 10 workflows, 0.3 %, every 5 min', 3, 10],
    ['20 min into an outage of 5 of 10 workflows, 0.3 %, every 5 min', 5, 20],
  ] as const;
  for (const [label, workflows, minutes] of hit) {
    const shape = { workflows: 10, rate: 0.003, everyMs: 5 * minuteMs };
    const outage = { hit: workflows, forMs: minutes * minuteMs };
    const found = daysWithIncident({ ...shape, arrivals: 'schedule', failures: 'independent' }, days, 7, outage);
    rows.push([label, 'independent', found, days, 'schedule', found]);
  }
  const head = ['Days', 'Failures', 'Days with an incident', 'Of', 'Worst arrivals', `Of their ${days} days`];
  return { title: 'Incidents by chance', head, rows };
}
