/** Records when each key was last used: collected in memory, written at most once a minute in one statement. */

import type { Logger } from '../../shared/log/logger.ts';
import type { Clock } from '../../shared/time/clock.ts';
import type { KeyRecords } from '../records/keys.ts';

export type LastUse = {
  used(id: string): void;
  /** Writes pending uses. */
  close(): Promise<void>;
};

const everyMs = 60_000;

/** @param deps.everyMs write interval, one minute by default @param deps.log warns if a write fails */
export function createLastUse(deps: {
  readonly keys: Pick<KeyRecords, 'recordUses'>;
  readonly clock: Clock;
  readonly log: Pick<Logger, 'warn'>;
  readonly everyMs?: number;
}): LastUse {
  const uses = new Map<string, number>();
  let timer: NodeJS.Timeout | undefined;
  const flush = async () => {
    const taken = [...uses].map(([id, at]) => ({ id, at }));
    uses.clear();
    try {
      if (taken.length > 0) await deps.keys.recordUses(taken);
    } catch (err) {
      // Another writer held the lock, or the database is down: retried with the next uses.
      deps.log.warn({ err, keys: taken.length }, 'the last use of API keys could not be recorded');
      for (const { id, at } of taken) if (!uses.has(id)) uses.set(id, at);
    }
  };
  const arm = () => {
    timer ??= setTimeout(async () => {
      await flush();
      timer = undefined;
      if (uses.size > 0) arm();
    }, deps.everyMs ?? everyMs).unref();
  };
  return {
    used(id) {
      uses.set(id, deps.clock());
      arm();
    },
    async close() {
      clearTimeout(timer);
      await flush();
    },
  };
}
