/** What the platform failed in several workflows at about the same time: one incident. */
import { isOfPlatform } from '../causes/cause.ts';
import type { CauseTally, Tallied } from './tally.ts';

export type Incident = Omit<Tallied, 'ended'> & {
  /** Names of those that failed of it, two or more. */
  readonly workflows: readonly string[];
};

/** Failures so far apart are of two faults. */
const apartMs = 60 * 60_000;

type Stretch = { count: number; readonly first: number; last: number; hours: bigint };

/** @returns the stretch of time in which the most workflows failed of a cause, one soon after the other; null for one alone */
export function incidentOf({ cause, sample, workflows, hours }: CauseTally): Incident | null {
  // Failures without an error text are alike in that alone.
  if (!isOfPlatform(cause) || sample.errors.length === 0) return null;
  const inOrder = [...workflows].sort(([, one], [, other]) => one.first - other.first);
  const [most] = stretchesOf(hours)
    .map(({ hours: within, ...stretch }) => ({
      ...stretch,
      workflows: inOrder.flatMap(([name, own]) => ((own.hours & within) === 0n ? [] : [name])),
    }))
    .sort((one, other) => other.workflows.length - one.workflows.length || other.count - one.count);
  return most && most.workflows.length > 1 ? most : null;
}

function stretchesOf(hours: CauseTally['hours']): readonly Stretch[] {
  const stretches: Stretch[] = [];
  for (const [hour, { count, first, last }] of [...hours].sort(([one], [other]) => one - other)) {
    const current = stretches.at(-1);
    const bit = 1n << BigInt(hour);
    if (current && first - current.last <= apartMs) {
      current.count += count;
      current.last = last;
      current.hours |= bit;
    } else {
      stretches.push({ count, first, last, hours: bit });
    }
  }
  return stretches;
}
