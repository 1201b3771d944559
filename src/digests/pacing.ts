/** Slack takes about one message a second in a channel, and what it refuses it wants later: each workspace waits for itself alone. */
import type { Clock } from '../core/clock.ts';

export type PacedPlace = { readonly teamId: string; readonly channelId: string };

export type Pacing = {
  /**
   * Takes a turn, unless that is further away than `maxMs`. @returns how long until the turn, which the caller waits for; or
   * that it was not taken, and how long to stay away
   */
  readonly take: (place: PacedPlace, maxMs: number) => { readonly isTaken: boolean; readonly waitMs: number };
  /** Slack said to come back later. */
  readonly holdOff: (teamId: string, forMs: number) => void;
  /** Workspaces that Slack sent away, and that are still waiting. */
  readonly heldOff: () => readonly string[];
};

export type PacingDeps = {
  /** Steady: it never jumps. */
  readonly clock: Clock;
  /** Between two messages. */
  readonly everyMs: number;
};

/** Places remembered; those whose turn has come are forgotten then. */
const placesMax = 10_000;

export function createPacing({ clock, everyMs }: PacingDeps): Pacing {
  const freeAt = new Map<string, number>();
  const heldUntil = new Map<string, number>();
  const note = (key: string, at: number) => {
    if (freeAt.size >= placesMax) dropPast(freeAt, clock());
    freeAt.set(key, at);
  };
  return {
    take: ({ teamId, channelId }, maxMs) => {
      const now = clock();
      const channelKey = `${teamId} ${channelId}`;
      const turn = Math.max(now, freeAt.get(teamId) ?? 0, freeAt.get(channelKey) ?? 0, heldUntil.get(teamId) ?? 0);
      const waitMs = turn - now;
      if (waitMs > maxMs) return { isTaken: false, waitMs };
      note(teamId, turn + everyMs);
      note(channelKey, turn + everyMs);
      return { isTaken: true, waitMs };
    },
    holdOff: (teamId, forMs) => {
      heldUntil.set(teamId, Math.max(clock() + forMs, heldUntil.get(teamId) ?? 0));
    },
    heldOff: () => {
      dropPast(heldUntil, clock());
      return [...heldUntil.keys()];
    },
  };
}

function dropPast(times: Map<string, number>, now: number): void {
  for (const [key, at] of times) if (at <= now) times.delete(key);
}
