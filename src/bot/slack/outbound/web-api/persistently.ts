/** A step of the bot's start, repeated while Slack cannot be reached. */
import { setTimeout as wait } from 'node:timers/promises';
import { AppError } from '../../../../shared/errors.ts';
import type { Reconnecting } from '../../inbound/receivers/socket-receiver.ts';

export type Persistence = {
  readonly startWithinMs: number;
  readonly reconnecting: Pick<Reconnecting, 'firstDelayMs'>;
};

/** @throws AppError: that of a refused token at once, any other when there is no time left or the signal says so */
export async function persistently(
  step: () => Promise<unknown>,
  { startWithinMs, reconnecting }: Persistence,
  signal: AbortSignal,
): Promise<void> {
  const deadline = performance.now() + startWithinMs;
  for (;;) {
    try {
      await step();
      return;
    } catch (error) {
      if (!(error instanceof AppError && error.isRetryable)) throw error;
      const delayMs = Math.max(reconnecting.firstDelayMs, error.retryAfterMs ?? 0);
      if (signal.aborted || performance.now() + delayMs > deadline) throw error;
      await wait(delayMs, undefined, { signal }).catch(() => undefined);
    }
  }
}
