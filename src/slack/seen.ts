/** What was seen a short while ago: Slack delivers some things twice, people press some buttons twice. */
import type { Clock } from '../core/clock.ts';

/** Longer than Slack repeats a delivery (5 min) and than a signed request is accepted. */
const rememberedMs = 10 * 60_000;
const keysMax = 20_000;

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
