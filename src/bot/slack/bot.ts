/** The bot in one workspace or in many, over Socket Mode or signed HTTP. */
import { setTimeout as wait } from 'node:timers/promises';
import { AppError } from '../../shared/errors.ts';
import { once, waitUpTo } from '../../shared/time/timeout.ts';
import { createSlackApp, type SlackAppDeps } from './app.ts';
import { pollSlackDate } from './inbound/receivers/clock-check.ts';
import type { SlackReceiver } from './inbound/receivers/processing.ts';
import { createSocketReceiver, defaultReconnecting, type Reconnecting } from './inbound/receivers/socket-receiver.ts';
import type { Access } from './installation/access.ts';
import type { OutboundSlack, OutboundTiming } from './outbound/outbound-slack.ts';
import { type WaitingTimes, waitingTimes } from './waiting-times.ts';

export type SlackBotDeps = Omit<SlackAppDeps, 'waitingTimes' | 'outbound' | 'receiver' | 'wait'> & {
  readonly outbound: OutboundSlack;
  readonly transport: Transport;
  readonly timing?: Partial<SlackBotTiming>;
  /** Takes the date of Slack's answers. If it is set and Slack reaches the bot over HTTP, the bot polls that date. */
  readonly onSlackDate?: (date: string | null) => void;
};

/** Transport between Slack and the bot. */
type Transport =
  | { readonly kind: 'socket'; readonly appToken: string }
  /** The bot starts and stops the receiver, which serves these routes beside its own. */
  | { readonly kind: 'http'; readonly createReceiver: (routes: Access['routes']) => SlackReceiver };

/** Times in milliseconds; tests shorten them. */
type SlackBotTiming = WaitingTimes &
  Pick<OutboundTiming, 'waitBeforeRepeat'> & {
    /** `start` retries this long while Slack cannot be reached. */
    readonly startWithinMs: number;
    /** Running answers get this long when the bot stops. */
    readonly finishWithinMs: number;
    readonly reconnecting: Reconnecting;
  };

const defaultTiming = {
  ...waitingTimes,
  startWithinMs: 15_000,
  finishWithinMs: 8_000,
  reconnecting: defaultReconnecting,
};

export type SlackBot = {
  /** @throws AppError that names the variable to check, if a token is refused or Slack stays out of reach */
  readonly start: () => Promise<void>;
  /** Takes nothing new and finishes running answers; notifications still go out. Never rejects. */
  readonly finish: () => Promise<void>;
  /** As `finish`, then closes everything. */
  readonly stop: () => Promise<void>;
  /** @returns true if Slack can reach this process now */
  readonly isConnected: () => boolean;
  /** As the receiver's. */
  readonly origin: SlackReceiver['origin'];
  readonly notes: SlackReceiver['notes'];
};

export function createSlackBot(deps: SlackBotDeps): SlackBot {
  const { outbound } = deps;
  const { access, stopping } = outbound;
  const timing = { ...defaultTiming, ...deps.timing };
  const receiver = createReceiver(deps, timing.reconnecting);
  const app = createSlackApp({
    ...{ ...deps, receiver },
    waitingTimes: timing,
    ...(timing.waitBeforeRepeat && { wait: timing.waitBeforeRepeat }),
  });
  const finish = once(async () => {
    outbound.stop();
    app.acknowledgements.flush();
    const answered = receiver.stop().then(receiver.drain);
    // The second `access.stop` waits for tokens that the last answers had refreshed.
    await waitUpTo(timing.finishWithinMs, Promise.all([access.stop(), answered.then(access.stop)]));
    app.delivery.stop();
  });
  const stop = async () => {
    await finish();
    await outbound.close();
  };
  return {
    isConnected: receiver.isConnected,
    notes: () => [...receiver.notes(), ...access.notes()],
    origin: receiver.origin,
    start: async () => {
      try {
        await retryUntilDeadline(access.start, timing, stopping);
        await retryUntilDeadline(receiver.start, timing, stopping);
        if (deps.onSlackDate && deps.transport.kind === 'http') pollSlackDate({ ...outbound.web, stopping });
      } catch (error) {
        await stop();
        throw error;
      }
    },
    finish,
    stop,
  };
}

function createReceiver({ transport, outbound, clock }: SlackBotDeps, reconnecting: Reconnecting): SlackReceiver {
  const { access, web, dispatcher } = outbound;
  switch (transport.kind) {
    case 'socket': {
      const { appToken } = transport;
      return createSocketReceiver({ ...web, dispatcher, appToken, refuseApp: access.refuseApp, clock, reconnecting });
    }
    case 'http':
      return transport.createReceiver(access.routes);
  }
}

type StartTiming = Pick<SlackBotTiming, 'startWithinMs'> & {
  readonly reconnecting: Pick<Reconnecting, 'firstDelayMs'>;
};

/** @throws AppError: at once for a refused token; at the deadline or when the signal aborts, a retryable one */
async function retryUntilDeadline(
  step: () => Promise<unknown>,
  { startWithinMs, reconnecting }: StartTiming,
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
