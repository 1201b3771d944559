/** Rate limiter per person: ten commands within ten seconds. */

import { createLruCache } from '../../../shared/cache/lru-cache.ts';
import { AppError } from '../../../shared/errors.ts';
import type { Clock } from '../../../shared/time/clock.ts';

const commandsMax = 10;
const spanMs = 10_000;
/** People counted at once. */
const peopleMax = 50_000;

export type RateLimiter = {
  /** @throws AppError `rate_limited` for the eleventh command of one person within ten seconds */
  readonly acquire: (person: string) => void;
};

export function createRateLimiter({ clock }: { readonly clock: Clock }): RateLimiter {
  const timesByPerson = createLruCache<readonly number[]>({ clock, ttlMs: spanMs, entriesMax: peopleMax });
  return {
    acquire: (person) => {
      const now = clock();
      const times = (timesByPerson.get(person) ?? []).filter((at) => at > now - spanMs);
      const isTooFast = times.length >= commandsMax;
      timesByPerson.set(person, isTooFast ? times : [...times, now]);
      if (!isTooFast) return;
      const retryAfterMs = (times[0] ?? now) + spanMs - now;
      const seconds = Math.max(1, Math.ceil(retryAfterMs / 1000));
      throw new AppError(
        'rate_limited',
        `That is more than ${commandsMax} commands in ten seconds. Please wait ${seconds} s; nothing was lost.`,
      );
    },
  };
}
