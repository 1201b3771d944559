/** Claims what there is room for, and works on it: few builds at once, more that only wait for their turn to post, few of one workspace. */

import type { ClaimedSlot } from '../store/outbox/slot.ts';
import type { Ledger } from '../store/repositories/ledger.ts';
import { type DeliveringDeps, deliverSlot } from './delivering.ts';
import type { WorkDeps } from './work.ts';

export type ClaimingDeps = Omit<DeliveringDeps, 'ledger' | 'onPrepared'> & {
  readonly ledger: WorkDeps['ledger'] & Pick<Ledger, 'claim'>;
  /** There is room again. */
  readonly onRoom: () => void;
};

export type Claiming = {
  /** @returns how many slots were claimed, and whether there may be more */
  readonly claim: () => Promise<{ readonly count: number; readonly isFull: boolean }>;
  /** Waits for all that is under way. */
  readonly settled: () => Promise<void>;
};

export function createClaiming(deps: ClaimingDeps): Claiming {
  const { limits } = deps;
  const building = new Set<ClaimedSlot>();
  const underWay = new Map<ClaimedSlot, Promise<void>>();
  const onPrepared = (claimed: ClaimedSlot) => {
    if (building.delete(claimed)) deps.onRoom();
  };
  const begin = (claimed: ClaimedSlot) => {
    building.add(claimed);
    const work = deliverSlot({ ...deps, onPrepared }, claimed).finally(() => {
      building.delete(claimed);
      underWay.delete(claimed);
      deps.onRoom();
    });
    underWay.set(claimed, work);
  };
  return {
    claim: async () => {
      const max = Math.min(limits.buildsMax - building.size, limits.slotsMax - underWay.size);
      if (max <= 0) return { count: 0, isFull: true };
      const exceptTeams = fullTeams(underWay.keys(), limits.slotsPerTeamMax);
      const options = { max, leaseMs: deps.timing.leaseMs, perTeam: limits.slotsPerTeamMax, exceptTeams };
      deps.at('before claim');
      const claimed = await deps.ledger.claim(options);
      deps.at('after claim');
      for (const slot of claimed) begin(slot);
      return { count: claimed.length, isFull: claimed.length === max };
    },
    settled: async () => void (await Promise.all(underWay.values())),
  };
}

function fullTeams(slots: Iterable<ClaimedSlot>, max: number): readonly string[] {
  const counts = new Map<string, number>();
  for (const { key } of slots) counts.set(key.teamId, (counts.get(key.teamId) ?? 0) + 1);
  return [...counts].filter(([, count]) => count >= max).map(([teamId]) => teamId);
}
