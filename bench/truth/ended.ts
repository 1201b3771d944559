/** "None with this cause since": how often a digest says that of a platform incident that goes on, and of one that ended. */
import { judgeCauses } from '../../src/bot/insight/digest/causes.ts';
import { arrivalsOf, createChance } from '../../test/support/insight/arrivals.ts';
import { tallyOf } from './incident.ts';
import type { TruthSection } from './section.ts';

const minuteMs = 60_000;
const dayMs = 1440 * minuteMs;
const start = Date.parse('2026-03-02T00:00:00Z');
const to = start + 2 * dayMs;
/** As `src/bot/views/digest/failing.ts` says it. */
const lastlyMs = 60 * minuteMs;
const digests = 100;

type Case = {
  readonly everyMs: number;
  readonly hit: number;
  /** Share of the runs that fail while the outage lasts. */
  readonly share: number;
  /** From its end to that of the digest; 0 if it goes on. */
  readonly endedMs: number;
};

/** @returns null if no incident is found */
function isSaidEnded({ everyMs, hit, share, endedMs }: Case, seed: number): boolean | null {
  const chance = createChance(seed, 1900);
  const from = to - endedMs - lastlyMs - chance.between(0, dayMs / 4);
  const failed = Array.from({ length: hit }, (_, index) => {
    const span = { from: start + chance.between(0, everyMs), to };
    const starts = arrivalsOf('schedule', span, everyMs, chance);
    return starts
      .filter((at) => at >= from && at < to - endedMs && chance.hits(share))
      .map((at) => ({ name: `workflow ${index}`, at }));
  }).flat();
  const [before, window] = [1, 0].map((day) =>
    tallyOf(
      failed.filter(({ at }) => at >= to - (day + 1) * dayMs && at < to - day * dayMs),
      to - (day + 1) * dayMs,
      to - day * dayMs,
    ),
  );
  if (window === undefined || before === undefined) return null;
  const runRates = new Map(failed.map(({ name }) => [name, 1 / everyMs]));
  const [cause] = judgeCauses(window, before, () => ({ recurrence: 'unread', since: 0 }), runRates);
  if (!cause?.incident) return null;
  return cause.last <= cause.incident.last && to - cause.incident.last >= lastlyMs;
}

type Row = readonly (string | number)[];

function rowOf(label: string, given: Case): Row {
  const said = Array.from({ length: digests }, (_, seed) => isSaidEnded(given, seed)).filter((one) => one !== null);
  return [label, said.length, said.filter(Boolean).length];
}

const schedules = [5, 60, 120] as const;

export async function measure(): Promise<TruthSection> {
  const rows = [3, 5].flatMap((hit) =>
    schedules.flatMap((minutes) => [
      ...[1, 0.5, 0.2].map((share) =>
        rowOf(`goes on, ${hit} workflows every ${minutes} min, ${100 * share} % of runs`, {
          everyMs: minutes * minuteMs,
          hit,
          share,
          endedMs: 0,
        }),
      ),
      rowOf(`ended 90 min ago, ${hit} workflows every ${minutes} min`, {
        everyMs: minutes * minuteMs,
        hit,
        share: 1,
        endedMs: 90 * minuteMs,
      }),
    ]),
  );
  return { title: 'Incidents called ended', head: ['Outage', 'Incidents found', 'Called ended'], rows };
}
