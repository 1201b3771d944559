/** "Not alone": how often workflows that fail independently are said to fail together, and how often an outage is found. */
import { judgeMeeting } from '../../src/bot/insight/digest/incident.ts';
import {
  arrivalsOf,
  type Chance,
  createChance,
  type FailureFamily,
  failuresOfStarts,
} from '../../test/support/insight/arrivals.ts';
import type { TruthSection } from './section.ts';

const minuteMs = 60_000;
const dayMs = 1440 * minuteMs;
const start = Date.parse('2026-03-02T00:00:00Z');
/** As the bot looks around a failure, and at the days before. */
const withinMs = 15 * minuteMs;
const usualMs = 3 * dayMs;
const looksEach = 500;

type Case = {
  readonly workflows: number;
  readonly everyMs: number;
  readonly rate: number;
  readonly family: FailureFamily;
  /** Number of other workflows that an outage makes fail at the same time. */
  readonly hit: number;
};

/** @returns for each workflow its failures of one cause, over four days, in order */
function failuresOf({ workflows, everyMs, rate, family }: Case, chance: Chance): readonly (readonly number[])[] {
  const span = { from: start, to: start + 4 * dayMs };
  return Array.from({ length: workflows }, () => {
    const offsetMs = chance.between(0, everyMs);
    const starts = arrivalsOf('schedule', { from: span.from + offsetMs, to: span.to }, everyMs, chance);
    const failed = failuresOfStarts(family, starts, rate, chance);
    return starts.filter((_, run) => failed[run]);
  });
}

/** @returns if other workflows are said to fail together with one that fails at a random moment */
function judge(given: Case, chance: Chance): boolean {
  const others = failuresOf(given, chance);
  const at = start + usualMs + withinMs + chance.between(0, dayMs - 2 * withinMs);
  const outage = others.map((times, index) =>
    index < given.hit ? [...times, at + chance.between(0, withinMs)] : times,
  );
  const from = at - withinMs;
  const near = outage.filter((times) => times.some((time) => time >= from && time < at + withinMs)).length;
  const earlier = outage.map((times) => times.filter((time) => time >= from - usualMs && time < from));
  const known = outage.flatMap((times, index) => {
    const isNear = times.some((time) => time >= from && time < at + withinMs);
    const before = earlier[index] ?? [];
    return isNear || before.length > 0 ? [before] : [];
  });
  return near > 0 && !judgeMeeting(known, near, usualMs / (2 * withinMs)).isChance;
}

function rowOf(label: string, given: Case, seed: number): readonly (string | number)[] {
  const said = Array.from({ length: looksEach }, (_, look) => judge(given, createChance(look, 900 + seed)));
  return [label, given.family, looksEach, `${((100 * said.filter(Boolean).length) / looksEach).toFixed(1)} %`];
}

const shapes: readonly (readonly [string, Pick<Case, 'workflows' | 'everyMs' | 'rate'>])[] = [
  ['2 others, 5 %, every 15 min', { workflows: 2, everyMs: 15 * minuteMs, rate: 0.05 }],
  ['10 others, 1 %, every 15 min', { workflows: 10, everyMs: 15 * minuteMs, rate: 0.01 }],
  ['10 others, 5 %, hourly', { workflows: 10, everyMs: 60 * minuteMs, rate: 0.05 }],
  ['50 others, 0.5 %, hourly', { workflows: 50, everyMs: 60 * minuteMs, rate: 0.005 }],
  ['100 others, 0.1 %, hourly', { workflows: 100, everyMs: 60 * minuteMs, rate: 0.001 }],
];

export async function measure(): Promise<TruthSection> {
  const rows = shapes.flatMap(([label, shape], index) => [
    ...(['independent', 'bursty', 'overdispersed'] as const).map((family, which) =>
      rowOf(`independent: ${label}`, { ...shape, family, hit: 0 }, 10 * index + which),
    ),
    ...[1, 2, 3]
      .filter((hit) => hit <= shape.workflows)
      .map((hit) =>
        rowOf(`${hit} more in an outage: ${label}`, { ...shape, family: 'independent', hit }, 10 * index + 3 + hit),
      ),
  ]);
  return { title: 'Not alone', head: ['Workflows', 'Failures', 'Looks', 'Said to fail together'], rows };
}
