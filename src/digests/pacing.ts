/** Slack takes about one message a second in a channel, and what it refuses it wants later: each workspace waits for itself alone. */
import type { Clock } from '../core/clock.ts';

export type PacedPlace = { readonly teamId: string; readonly channelId: string };

export type Pacing = {
  /**
   * Takes a turn, unless that is further away than `maxMs`. @returns how long until the turn, which the caller waits for; or
   * that it was not taken, and how long to stay away
   */
  readonly take: (place: PacedPlace, maxMs: number) => { readonly isTaken: boolean; readonly waitMs: number };
  /** How long until a turn could be taken. */
  readonly waitMs: (place: PacedPlace) => number;
  /** Slack said to come back later. */
  readonly holdOff: (teamId: string, forMs: number) => void;
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
  const note = (times: Map<string, number>, key: string, at: number) => {
    if (times.size >= placesMax) dropPast(times, clock());
    times.set(key, at);
  };
  const waitMs = ({ teamId, channelId }: PacedPlace) => {
    const turns = [freeAt.get(teamId), freeAt.get(`${teamId} ${channelId}`), heldUntil.get(teamId)];
    return Math.max(0, ...turns.map((at = 0) => at - clock()));
  };
  return {
    waitMs,
    take: (place, maxMs) => {
      const untilTurn = waitMs(place);
      if (untilTurn > maxMs) return { isTaken: false, waitMs: untilTurn };
      const next = clock() + untilTurn + everyMs;
      note(freeAt, place.teamId, next);
      note(freeAt, `${place.teamId} ${place.channelId}`, next);
      return { isTaken: true, waitMs: untilTurn };
    },
    holdOff: (teamId, forMs) => {
      note(heldUntil, teamId, Math.max(clock() + forMs, heldUntil.get(teamId) ?? 0));
    },
  };
}

function dropPast(times: Map<string, number>, now: number): void {
  for (const [key, at] of times) if (at <= now) times.delete(key);
}
