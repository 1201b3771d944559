/** Rate limiter for reading history: limits each method in each workspace to the rate that Slack's refusals asked for. */

import { createLruCache } from '../../../../shared/cache/lru-cache.ts';
import type { Clock } from '../../../../shared/time/clock.ts';

export type RateLimiter = {
  /** @returns 0 if the call may be made now; otherwise the milliseconds to wait before the next `acquire` */
  readonly acquire: (key: string) => number;
  /** Records Slack's refusal and its `retry-after`. */
  readonly slowDown: (key: string, retryAfterMs: number) => void;
};

/**
 * Apps outside of Slack's Marketplace get one call a minute (https://docs.slack.dev/apis/web-api/rate-limits). Without
 * a limiter, Slack would refuse every second call.
 */
const rememberedMs = 600_000;
const ratesMax = 10_000;
/** Bounds for a `retry-after` that is implausibly short or long. */
const waitMinMs = 1_000;
const waitMaxMs = 3_600_000;

type Rate = { readonly everyMs: number; readonly nextAt: number; readonly until: number };

export function createRateLimiter(clock: Clock): RateLimiter {
  const rates = createLruCache<Rate>({ clock, ttlMs: rememberedMs, entriesMax: ratesMax });
  return {
    acquire: (key) => {
      const rate = rates.get(key);
      const now = clock();
      if (!rate) return 0;
      if (now < rate.nextAt) return rate.nextAt - now;
      if (now < rate.until) rates.set(key, { ...rate, nextAt: now + rate.everyMs });
      else rates.delete(key);
      return 0;
    },
    slowDown: (key, retryAfterMs) => {
      const [waitMs, now] = [Math.min(Math.max(retryAfterMs, waitMinMs), waitMaxMs), clock()];
      // A refusal in the middle of an interval asks only for the rest of it.
      const everyMs = Math.max(waitMs, rates.get(key)?.everyMs ?? 0);
      rates.set(key, { everyMs, nextAt: now + waitMs, until: now + rememberedMs });
    },
  };
}
