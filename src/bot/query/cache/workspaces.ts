/** Health of each workspace's service: failing since when, paused until when, and which fields it lacks. */
import type { Clock } from '../../../shared/time/clock.ts';
import { type Fault, retryAfterDefaultMs } from '../client/fault.ts';
import { type Adaptation, createAdaptation, createPrinter } from '../client/lacking-fields.ts';

export type WorkspaceHealth = {
  readonly adaptation: Adaptation;
  readonly succeeded: () => void;
  /** @returns epoch milliseconds since when it has been failing like this */
  readonly failed: (fault: Fault) => number;
  /** Milliseconds for which the service asked not to be asked. */
  readonly pauseMs: () => number;
};

export type Workspaces = { readonly get: (key: string) => WorkspaceHealth };

/** Beyond this, the workspace that has not asked for longest is forgotten. */
const workspacesMax = 10_000;

export function createWorkspaces(clock: Clock): Workspaces {
  const known = new Map<string, WorkspaceHealth>();
  const printFull = createPrinter();
  return {
    get: (key) => {
      const health = known.get(key) ?? createHealth(clock, createAdaptation(printFull));
      known.delete(key);
      known.set(key, health);
      if (known.size > workspacesMax) known.delete(known.keys().next().value ?? key);
      return health;
    },
  };
}

function createHealth(clock: Clock, adaptation: Adaptation): WorkspaceHealth {
  let failingSince: number | undefined;
  let refusedSince: number | undefined;
  let pausedUntil = 0;
  return {
    adaptation,
    succeeded: () => {
      failingSince = undefined;
      refusedSince = undefined;
      pausedUntil = 0;
    },
    failed: ({ kind, retryAfterMs }) => {
      const now = clock();
      if (kind === 'rate_limited') pausedUntil = now + (retryAfterMs ?? retryAfterDefaultMs);
      if (kind === 'rate_limited' || kind === 'refused_question') return now;
      if (kind === 'unauthorized') {
        refusedSince ??= now;
        return refusedSince;
      }
      failingSince ??= now;
      return failingSince;
    },
    pauseMs: () => Math.max(0, pausedUntil - clock()),
  };
}
