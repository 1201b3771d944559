/** How often a workspace's history may be read: as Slack says when it refuses, and no more often than that for a while. */

import { createLruCache } from '../../../../shared/cache/lru-cache.ts';
import type { Clock } from '../../../../shared/time/clock.ts';

export type ReadingPace = {
  /** Takes the next turn. @returns 0 for a turn; else the milliseconds until there is one, and nothing is taken */
  readonly waitMs: (teamId: string) => number;
  /** Slack has refused, and asked to wait so long. */
  readonly slowDown: (teamId: string, retryAfterMs: number) => void;
};

/**
 * Apps that are distributed outside of Slack's Marketplace get one call a minute
 * (https://docs.slack.dev/apis/web-api/rate-limits): to them every second call would be a refused one.
 */
const rememberedMs = 600_000;
const teamsMax = 5_000;
/** For a refusal that asks for less, or for more than can be meant. */
const waitMinMs = 1_000;
const waitMaxMs = 3_600_000;

type Pace = { readonly everyMs: number; readonly nextAt: number; readonly until: number };

export function createReadingPace(clock: Clock): ReadingPace {
  const paces = createLruCache<Pace>({ clock, forMs: rememberedMs, keysMax: teamsMax });
  return {
    waitMs: (teamId) => {
      const pace = paces.get(teamId);
      const now = clock();
      if (!pace) return 0;
      if (now < pace.nextAt) return pace.nextAt - now;
      if (now < pace.until) paces.set(teamId, { ...pace, nextAt: now + pace.everyMs });
      else paces.delete(teamId);
      return 0;
    },
    slowDown: (teamId, retryAfterMs) => {
      const [everyMs, now] = [Math.min(Math.max(retryAfterMs, waitMinMs), waitMaxMs), clock()];
      paces.set(teamId, { everyMs, nextAt: now + everyMs, until: now + rememberedMs });
    },
  };
}
