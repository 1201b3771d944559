/** Health of each workspace's query service: since when it fails, until when it pauses, and which fields it lacks. */
import { createLruCache } from '../../../shared/cache/lru-cache.ts';
import type { Clock } from '../../../shared/time/clock.ts';
import { type Fault, retryAfterDefaultMs } from '../client/fault.ts';
import { type Adaptation, createAdaptation, createPrinter } from '../client/lacking-fields.ts';

export type WorkspaceHealth = {
  readonly adaptation: Adaptation;
  readonly succeeded: () => void;
  /** @returns since when it fails like this, epoch milliseconds */
  readonly failed: (fault: Fault) => number;
  /** Rest of the pause that the service asked for, milliseconds. */
  readonly pauseMs: () => number;
};

export type WorkspaceHealths = { readonly get: (key: string) => WorkspaceHealth };

const workspacesMax = 10_000;

export function createWorkspaceHealths(clock: Clock): WorkspaceHealths {
  const known = createLruCache<WorkspaceHealth>({ entriesMax: workspacesMax });
  const printFull = createPrinter();
  return {
    get: (key) => {
      const health = known.get(key) ?? createHealth(clock, createAdaptation(printFull));
      known.set(key, health);
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
