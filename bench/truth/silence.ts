/** Silence: how often a workflow that still runs is called silent, and how soon one that stopped is. */
import {
  arrivalFamilies,
  arrivalsOf,
  type Chance,
  createChance,
  type Span,
} from '../../test/support/insight/arrivals.ts';
import { firstFrom, judgeStarts } from '../../test/support/insight/silences.ts';
import type { TruthSection } from './section.ts';

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;
const weekMs = 7 * dayMs;
const monday = Date.parse('2026-08-03T00:00:00Z');

const weeksOfHistory = [1, 4, 12];
const intervalsMs = [5 * minuteMs, 15 * minuteMs, hourMs, 6 * hourMs, dayMs];
const workflowsEach = 20;
const momentsEach = 60;
const stopsEach = 2;
/** A stopped workflow is watched for so long. */
const watchedMs = 14 * dayMs;

type Family = {
  readonly name: string;
  readonly arrivals: (span: Span, everyMs: number, chance: Chance) => readonly number[];
};

const hourOf = (at: number) => new Date(at).getUTCHours();
const isDaytime = (at: number) => hourOf(at) >= 7 && hourOf(at) < 19;

/** The last three are not among the families by which the rule was made. */
const families: readonly Family[] = [
  ...arrivalFamilies.map((name): Family => ({ name, arrivals: (...of) => arrivalsOf(name, ...of) })),
  { name: 'Poisson by day', arrivals: (...of) => arrivalsOf('Poisson', ...of).filter(isDaytime) },
  {
    name: 'one run in 100 left out',
    arrivals: (span, everyMs, chance) => arrivalsOf('schedule', span, everyMs, chance).filter(() => !chance.hits(0.01)),
  },
  { name: 'regular bursts', arrivals: regularBursts },
];

/** Seventy runs at one interval, then a pause of any length. */
function regularBursts({ from, to }: Span, everyMs: number, chance: Chance): readonly number[] {
  const starts: number[] = [];
  for (let at = from + chance.exponential(20 * everyMs); at < to; at += chance.exponential(20 * everyMs)) {
    for (let left = 70; left > 0 && at < to; left -= 1, at += everyMs / 20) starts.push(Math.round(at));
  }
  return starts;
}

type Rates = { looks: number; called: number; readonly delays: number[]; stops: number };

export async function measure(): Promise<TruthSection> {
  const rows = families.flatMap((family) => weeksOfHistory.map((weeks) => rowOf(family, weeks)));
  return {
    title: 'Silence and rest',
    head: [
      'family',
      'weeks of history',
      'looks',
      'false',
      'stops',
      'noticed in 14 d',
      'after the missed run, in intervals',
    ],
    rows,
  };
}

function rowOf(family: Family, weeks: number): readonly (string | number)[] {
  const rates: Rates = { looks: 0, called: 0, delays: [], stops: 0 };
  for (const [which, everyMs] of intervalsMs.entries()) {
    for (let workflow = 0; workflow < workflowsEach; workflow += 1) {
      addWorkflow(rates, family, { weeks, everyMs, seed: 1000 * which + workflow });
    }
  }
  const delays = rates.delays.toSorted((one, other) => one - other);
  const at = (share: number) => delays[Math.floor(share * (delays.length - 1))]?.toFixed(1) ?? '-';
  const noticed = `${Math.round((100 * delays.length) / Math.max(1, rates.stops))} %`;
  const share = `${((100 * rates.called) / rates.looks).toFixed(2)} %`;
  return [family.name, weeks, rates.looks, share, rates.stops, noticed, `${at(0.5)} (9 of 10: ${at(0.9)})`];
}

type Simulated = { readonly weeks: number; readonly everyMs: number; readonly seed: number };

function addWorkflow(rates: Rates, { arrivals }: Family, { weeks, everyMs, seed }: Simulated): void {
  const chance = createChance(seed, weeks);
  const since = monday + chance.between(0, 7 * 24 * 60 - 1) * minuteMs;
  const starts = arrivals({ from: since, to: since + (weeks + 1) * weekMs }, everyMs, chance);
  const moment = () => since + weeks * weekMs + chance.unit() * weekMs;
  for (let look = 0; look < momentsEach; look += 1) {
    rates.looks += 1;
    if (judgeStarts(starts, since, moment())) rates.called += 1;
  }
  for (let stop = 0; stop < stopsEach; stop += 1) {
    const end = firstFrom(starts, moment());
    const missed = starts[end];
    if (missed === undefined || end === 0) continue;
    rates.stops += 1;
    const delayMs = delayOf(starts.slice(0, end), since, { missed, stepMs: Math.max(minuteMs, everyMs / 20) });
    if (delayMs !== null) rates.delays.push(delayMs / everyMs);
  }
}

type Watched = { readonly missed: number; readonly stepMs: number };

/** @returns the time from the missed run until the workflow is called silent; null if it is not */
function delayOf(starts: readonly number[], since: number, { missed, stepMs }: Watched): number | null {
  let step = stepMs;
  for (let now = missed; now < missed + watchedMs; now += step) {
    if (judgeStarts(starts, since, now)) return now - missed;
    // Late notices need no exact time.
    step *= 1.05;
  }
  return null;
}
