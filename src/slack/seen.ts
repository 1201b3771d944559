/** What was seen a short while ago: Slack delivers some things twice, people press some buttons twice. */
import type { Clock } from '../core/clock.ts';
import { createRecent } from '../core/recent.ts';

/** As long as a signed request is accepted: five minutes either way. Slack repeats a delivery for five. */
const rememberedMs = 10 * 60_000;
/** Within that time; about 15 MB of them. */
const keysMax = 50_000;

/** @returns whether this is the first to come with this key. Never rejects: one process remembers, or a store for several */
export type Claim = (key: string) => boolean | Promise<boolean>;

export type Seen = {
  /** @returns whether this key is new, and remembers it */
  readonly isFirst: (key: string) => boolean;
  readonly forget: (key: string) => void;
};

export function createSeen(clock: Clock): Seen {
  const seen = createRecent<true>({ clock, forMs: rememberedMs, keysMax });
  return {
    isFirst: (key) => {
      if (seen.get(key)) return false;
      seen.set(key, true);
      return true;
    },
    forget: seen.delete,
  };
}
