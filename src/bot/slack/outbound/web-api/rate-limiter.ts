/** Rate limiter for reading history: limits each workspace to the rate that Slack's last refusal asked for. */

import { createLruCache } from '../../../../shared/cache/lru-cache.ts';
import type { Clock } from '../../../../shared/time/clock.ts';

export type RateLimiter = {
  /** @returns 0 if the call may be made now; otherwise the milliseconds to wait before the next `acquire` */
  readonly acquire: (teamId: string) => number;
  /** Records Slack's refusal and its `retry-after`. */
  readonly slowDown: (teamId: string, retryAfterMs: number) => void;
};

/**
 * Apps outside of Slack's Marketplace get one call a minute (https://docs.slack.dev/apis/web-api/rate-limits). Without
 * a limiter, Slack would refuse every second call.
 */
const rememberedMs = 600_000;
const teamsMax = 5_000;
/** Bounds for a `retry-after` that is implausibly short or long. */
const waitMinMs = 1_000;
const waitMaxMs = 3_600_000;

type Rate = { readonly everyMs: number; readonly nextAt: number; readonly until: number };

export function createRateLimiter(clock: Clock): RateLimiter {
  const rates = createLruCache<Rate>({ clock, ttlMs: rememberedMs, entriesMax: teamsMax });
  return {
    acquire: (teamId) => {
      const rate = rates.get(teamId);
      const now = clock();
      if (!rate) return 0;
      if (now < rate.nextAt) return rate.nextAt - now;
      if (now < rate.until) rates.set(teamId, { ...rate, nextAt: now + rate.everyMs });
      else rates.delete(teamId);
      return 0;
    },
    slowDown: (teamId, retryAfterMs) => {
      const [everyMs, now] = [Math.min(Math.max(retryAfterMs, waitMinMs), waitMaxMs), clock()];
      rates.set(teamId, { everyMs, nextAt: now + everyMs, until: now + rememberedMs });
    },
  };
}
