/** Deletes executions that are older than the retention time, in small batches while the service runs. */
import { setTimeout as wait } from 'node:timers/promises';
import type { Logger } from '../shared/log/logger.ts';
import type { Clock } from '../shared/time/clock.ts';
import type { RecordWriter } from './records/port.ts';
import { dayMs, hourMs } from './records/reads/periods.ts';

export type RetentionDeps = {
  readonly writer: Pick<RecordWriter, 'forgetExecutions'>;
  readonly clock: Clock;
  readonly log: Logger;
  /** Number of days after its start that an execution is kept. */
  readonly days: number;
};

export type Retention = {
  /** Deletes every expired execution. Resolves with their number; never rejects. */
  readonly run: () => Promise<number>;
  /** Ends a run after its current transaction. */
  readonly stop: () => Promise<void>;
};

/** A SQLite transaction blocks the event loop, so batches are small. */
const batchSize = 500;
const pauseMs = 20;

/** Runs now and every hour until stopped. Several processes may run it on one database. */
export function startRetention({ writer, clock, log, days }: RetentionDeps): Retention {
  const stopped = new AbortController();
  let current = Promise.resolve(0);
  const forget = async () => {
    let total = 0;
    try {
      const startedBefore = clock() - days * dayMs;
      for (let count = -1; count !== 0 && !stopped.signal.aborted; total += count) {
        count = await writer.forgetExecutions(startedBefore, batchSize);
        if (count > 0) await wait(pauseMs);
      }
      if (total > 0) log.info({ executions: total, days }, 'old executions deleted');
    } catch (err) {
      log.error({ err }, 'old executions could not be deleted');
    }
    return total;
  };
  /** Runs one at a time. */
  const run = () => {
    current = current.then(forget);
    return current;
  };
  const timer = setInterval(run, hourMs);
  void run();
  return {
    run,
    async stop() {
      clearInterval(timer);
      stopped.abort();
      await current;
    },
  };
}
