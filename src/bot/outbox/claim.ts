/** Claims due occurrences within the concurrency limits: few builds at once, few per workspace, more that wait to post. */

import type { ClaimedOccurrence } from '../store/outbox/occurrence.ts';
import type { Outbox } from '../store/repositories/outbox.ts';
import { type DeliveringDeps, deliverOccurrence } from './deliver.ts';
import type { DeliveryDeps } from './results.ts';

export type ClaimerDeps = Omit<DeliveringDeps, 'outbox' | 'onPrepared'> & {
  readonly outbox: DeliveryDeps['outbox'] & Pick<Outbox, 'claim'>;
  /** There is room again. */
  readonly onRoom: () => void;
};

export type Claimer = {
  /** @returns how many occurrences were claimed, and whether there may be more */
  readonly claim: () => Promise<{ readonly count: number; readonly isFull: boolean }>;
  /** Waits for all that is under way. */
  readonly stopped: () => Promise<void>;
};

export function createClaimer(deps: ClaimerDeps): Claimer {
  const { limits } = deps;
  const building = new Set<ClaimedOccurrence>();
  const underWay = new Map<ClaimedOccurrence, Promise<void>>();
  const onPrepared = (claimed: ClaimedOccurrence) => {
    if (building.delete(claimed)) deps.onRoom();
  };
  const begin = (claimed: ClaimedOccurrence) => {
    building.add(claimed);
    const work = deliverOccurrence({ ...deps, onPrepared }, claimed).finally(() => {
      building.delete(claimed);
      underWay.delete(claimed);
      deps.onRoom();
    });
    underWay.set(claimed, work);
  };
  return {
    claim: async () => {
      const max = Math.min(limits.buildsMax - building.size, limits.occurrencesMax - underWay.size);
      if (max <= 0) return { count: 0, isFull: true };
      const exceptTeams = teamsAtLimit(underWay.keys(), limits.occurrencesPerTeamMax);
      const options = { max, leaseMs: deps.timing.leaseMs, perTeam: limits.occurrencesPerTeamMax, exceptTeams };
      deps.failpoint('before claim');
      const claimed = await deps.outbox.claim(options);
      deps.failpoint('after claim');
      for (const occurrence of claimed) begin(occurrence);
      return { count: claimed.length, isFull: claimed.length === max };
    },
    stopped: async () => void (await Promise.all(underWay.values())),
  };
}

function teamsAtLimit(occurrences: Iterable<ClaimedOccurrence>, max: number): readonly string[] {
  const counts = new Map<string, number>();
  for (const { key } of occurrences) counts.set(key.teamId, (counts.get(key.teamId) ?? 0) + 1);
  return [...counts].filter(([, count]) => count >= max).map(([teamId]) => teamId);
}
