/** What was seen a short while ago: Slack delivers some things twice, people press some buttons twice. */
import type { Clock } from '../core/clock.ts';

/** As long as a signed request is accepted: five minutes either way. Slack repeats a delivery for five. */
const rememberedMs = 10 * 60_000;
/** About 15 MB of them. */
const keysMax = 100_000;

/** @returns whether this is the first to come with this key. Never rejects: one process remembers, or a store for several */
export type Claim = (key: string) => boolean | Promise<boolean>;

export type Seen = {
  /** @returns whether this key is new, and remembers it */
  readonly isFirst: (key: string) => boolean;
  readonly forget: (key: string) => void;
};

export function createSeen(clock: Clock): Seen {
  const seenAt = new Map<string, number>();
  return {
    isFirst: (key) => {
      const now = clock();
      for (const [oldest, at] of seenAt) {
        if (at > now - rememberedMs && seenAt.size < keysMax) break;
        seenAt.delete(oldest);
      }
      if (seenAt.has(key)) return false;
      seenAt.set(key, now);
      return true;
    },
    forget: (key) => {
      seenAt.delete(key);
    },
  };
}
