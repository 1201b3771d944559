/** What was seen a short while ago: Slack delivers some things twice, people press some buttons twice. */

import { createLruCache } from '../../../../shared/cache/lru-cache.ts';
import type { Logger } from '../../../../shared/log/logger.ts';
import type { Clock } from '../../../../shared/time/clock.ts';
import { withTimeout } from '../../../../shared/time/timeout.ts';
import type { SeenDeliveries } from '../../../store/repositories/seen.ts';
import { describe } from '../../outbound/web-api/errors.ts';

/** As long as a signed request is accepted: five minutes either way. Slack repeats a delivery for five. */
const rememberedMs = 10 * 60_000;
/** Within that time; about 15 MB of them. */
const keysMax = 50_000;

/** @returns whether this is the first to come with this key. Never rejects: one process remembers, or a store for several */
export type Claim = (teamId: string, key: string) => boolean | Promise<boolean>;

export type Seen = {
  /** @returns whether this key is new, and remembers it */
  readonly isFirst: (key: string) => boolean;
  readonly forget: (key: string) => void;
};

/** For one process. */
export function createClaim(clock: Clock): Claim {
  const { isFirst } = createSeen(clock);
  return (teamId, key) => isFirst(`${teamId}:${key}`);
}

export type SharedClaimDeps = {
  readonly deliveries: SeenDeliveries;
  readonly clock: Clock;
  readonly log: Logger;
};

/** Slack waits for the acknowledgement meanwhile: seeing something twice is better than that it gives up. */
const patienceMs = 250;

/** For all processes with one store. What this one has seen needs no store; what the store does not say counts as new. */
export function createSharedClaim({ deliveries, clock, log }: SharedClaimDeps): Claim {
  const isFirstHere = createClaim(clock);
  return async (teamId, key) => {
    if (!isFirstHere(teamId, key)) return false;
    try {
      const claimed = deliveries.claim(teamId, key, clock(), rememberedMs);
      return await withTimeout(patienceMs, claimed, 'The store did not answer in time.');
    } catch (error) {
      log.warn({ teamId, error: describe(error) }, 'store does not say whether a delivery is new');
      return true;
    }
  };
}

export function createSeen(clock: Clock): Seen {
  const seen = createLruCache<true>({ clock, forMs: rememberedMs, keysMax });
  return {
    isFirst: (key) => {
      if (seen.get(key)) return false;
      seen.set(key, true);
      return true;
    },
    forget: seen.delete,
  };
}
