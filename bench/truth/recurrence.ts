/** New and resolved causes: how often chance alone makes a cause that goes on failing look like either, and how often a real one is said. */
import { type AgeIn, ageOf } from '../../src/bot/insight/causes/recurrence.ts';
import { goneCauses, judgeCauses } from '../../src/bot/insight/digest/causes.ts';
import { createTally, type FailureTally } from '../../src/bot/insight/digest/tally.ts';
import { createChance } from '../../test/support/insight/arrivals.ts';
import type { TruthSection } from './section.ts';

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
const start = Date.parse('2026-03-02T00:00:00Z');
const weeks = 300;

/** One workflow that runs every quarter of an hour. @param failed times */
function tallyOf(day: number, failed: readonly number[]): FailureTally {
  const window = { from: start + day * dayMs, to: start + (day + 1) * dayMs };
  const tally = createTally({ ...window, zone: 'UTC' });
  for (const at of failed) {
    const startedAt = new Date(at).toISOString();
    const errors = [{ error: 'quorum not reached', count: 3 }];
    const named = { uuid: 'e', workflowName: 'payments', classifiedStatus: 'SYSTEM_ERROR', errors };
    if (at >= window.from && at < window.to) tally.add({ ...named, startedAt, finishedAt: startedAt });
  }
  return tally.result();
}

/** The failures of 16 days; none on the last eight days of a cause that is mended. */
function failuresOf(perDay: number, seed: number, isMended: boolean): readonly number[] {
  const chance = createChance(seed, 1300);
  const runs = Array.from({ length: 16 * 96 }, (_, run) => start + run * (hourMs / 4));
  return runs.filter((at) => chance.hits(perDay / 96) && !(isMended && at >= start + 8 * dayMs));
}

/** By the newest 100 failures before a day; the service keeps a day before the first. */
function ageFrom(failed: readonly number[], day: number): AgeIn {
  const before = failed.filter((at) => at < start + day * dayMs).slice(-100);
  const kept = { isCut: before.length === 100, oldestAt: start - dayMs };
  return (_name, fingerprint, seen) => {
    const firstOf = new Map(before.slice(0, 1).map((at) => [fingerprint, at]));
    return ageOf(seen, fingerprint, { firstOf, ...kept }, null);
  };
}

/** A run every quarter of an hour. */
function runsOf(before: FailureTally, now: FailureTally) {
  const good = ({ count }: FailureTally) => new Map([['payments', 96 - count]]);
  return { successes: good(now), successesBefore: good(before) };
}

type Row = readonly (string | number)[];

function percent(part: number, of: number): string {
  return of === 0 ? '-' : `${((100 * part) / of).toFixed(1)} %`;
}

/** The digest of the eighth day; the cause goes on at its rate. */
function goingOnRow(perDay: number): Row {
  let [seen, newSaid, gone, resolvedSaid, back] = [0, 0, 0, 0, 0];
  for (let seed = 0; seed < weeks; seed += 1) {
    const failed = failuresOf(perDay, seed, false);
    const [before, now] = [tallyOf(7, failed), tallyOf(8, failed)];
    const [cause] = judgeCauses(now, before, ageFrom(failed, 8));
    const hasFailedBefore = failed.some((at) => cause !== undefined && at <= cause.last - dayMs);
    if (cause !== undefined && hasFailedBefore) {
      seen += 1;
      if (cause.recurrence === 'new') newSaid += 1;
    }
    if (before.count === 0) continue;
    gone += 1;
    const ranAt = new Map([['payments', start + 9 * dayMs]]);
    const { resolved } = goneCauses(now, before, { ranAt, ...runsOf(before, now) });
    if (resolved.length === 0) continue;
    resolvedSaid += 1;
    if (failed.some((at) => at >= start + 9 * dayMs)) back += 1;
  }
  return [`goes on, ${perDay} a day`, percent(newSaid, seen), percent(resolvedSaid, gone), percent(back, resolvedSaid)];
}

/** The digest of the first day after it was mended, and of the first day on which it failed. */
function changedRow(perDay: number): Row {
  let [before, resolvedSaid, began, newSaid] = [0, 0, 0, 0];
  for (let seed = 0; seed < weeks; seed += 1) {
    const failed = failuresOf(perDay, seed, true);
    const [last, after] = [tallyOf(7, failed), tallyOf(8, failed)];
    const first = tallyOf(0, failed);
    if (first.count > 0) {
      began += 1;
      if (judgeCauses(first, tallyOf(-1, []), ageFrom(failed, 0))[0]?.recurrence === 'new') newSaid += 1;
    }
    if (last.count === 0) continue;
    before += 1;
    const ranAt = new Map([['payments', start + 9 * dayMs]]);
    const { resolved } = goneCauses(after, last, { ranAt, ...runsOf(last, after) });
    if (resolved.length > 0) resolvedSaid += 1;
  }
  return [`begins and is mended, ${perDay} a day`, percent(newSaid, began), percent(resolvedSaid, before), '-'];
}

const rates = [0.2, 0.5, 1, 2, 3, 5, 10];

export async function measure(): Promise<TruthSection> {
  const head = ['A cause that', 'Said to be new', 'Said to be resolved', 'And back within a week'];
  return { title: 'New and resolved causes', head, rows: [...rates.map(goingOnRow), ...rates.map(changedRow)] };
}
