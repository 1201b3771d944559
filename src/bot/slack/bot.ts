/** The bot in one workspace or in many, over Socket Mode or signed HTTP. */
import { setTimeout as wait } from 'node:timers/promises';
import { AppError } from '../../shared/errors.ts';
import { once, waitUpTo } from '../../shared/time/timeout.ts';
import { createSlackApp } from './app.ts';
import { pollSlackDate } from './inbound/receivers/clock-check.ts';
import type { SlackReceiver } from './inbound/receivers/processing.ts';
import { defaultReconnecting } from './inbound/receivers/socket-receiver.ts';
import type { InboundServices } from './inbound/services.ts';
import { waitingTimes } from './waiting-times.ts';

export type SlackBotOptions = {
  /** Takes Slack's requests; the bot starts and stops it. */
  readonly receiver: SlackReceiver;
  readonly timing?: Partial<SlackBotTiming>;
  /** True if the bot polls the date of Slack's answers, which it otherwise learns from the calls that it makes. */
  readonly pollsSlackDate?: boolean;
};

/** Times in milliseconds; tests shorten them. */
const defaultTiming = {
  ...waitingTimes,
  /** `start` retries this long while Slack cannot be reached. */
  startWithinMs: 15_000,
  /** Running answers get this long when the bot stops. */
  finishWithinMs: 8_000,
  reconnecting: defaultReconnecting,
};
type SlackBotTiming = Readonly<typeof defaultTiming>;

export type SlackBot = {
  /** @throws AppError that names the variable to check, if a token is refused or Slack stays out of reach */
  readonly start: () => Promise<void>;
  /** Takes nothing new and finishes running answers; notifications still go out. Never rejects. */
  readonly finish: () => Promise<void>;
  /** As `finish`, then closes everything. */
  readonly stop: () => Promise<void>;
  /** @returns true if Slack can reach this process now */
  readonly isConnected: () => boolean;
  /** Address without a path, if Slack calls this process. */
  readonly origin: () => string | undefined;
  readonly notes: SlackReceiver['notes'];
};

export function createSlackBot(
  services: Omit<InboundServices, 'waitingTimes'>,
  { receiver, pollsSlackDate = false, ...options }: SlackBotOptions,
): SlackBot {
  const { slack } = services;
  const { access, delivery, stopping, web } = slack;
  const timing = { ...defaultTiming, ...options.timing };
  const { acknowledgements } = createSlackApp(receiver, { ...services, waitingTimes: timing });
  const finish = once(async () => {
    slack.stop();
    acknowledgements.flush();
    const answered = receiver.stop().then(() => receiver.drain());
    // The second `access.stop` waits for tokens that the last answers had refreshed.
    await waitUpTo(timing.finishWithinMs, Promise.all([access.stop(), answered.then(access.stop)]));
    delivery.stop();
  });
  const stop = async () => {
    await finish();
    await slack.close();
  };
  return {
    isConnected: () => receiver.isConnected(),
    notes: () => [...receiver.notes(), ...access.notes()],
    origin: () => receiver.origin?.(),
    start: async () => {
      try {
        await retryUntilDeadline(access.start, timing, stopping);
        await retryUntilDeadline(() => receiver.start(), timing, stopping);
        if (pollsSlackDate) pollSlackDate(web, stopping);
      } catch (error) {
        await stop();
        throw error;
      }
    },
    finish,
    stop,
  };
}

/** @throws AppError: at once for a refused token; at the deadline or when the signal aborts, a retryable one */
async function retryUntilDeadline(
  step: () => Promise<unknown>,
  { startWithinMs, reconnecting }: SlackBotTiming,
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
