/** Passes deliveries from a receiver to Bolt. Acknowledges each exactly once and throws nothing. */
import type { App, Receiver, ReceiverEvent } from '@slack/bolt';
import { readRecord } from '../../../../shared/json.ts';
import type { Logger } from '../../../../shared/log/logger.ts';
import { describe } from '../../outbound/web-api/errors.ts';

/** Bolt's receiver for either transport, with the additions that the bot needs. */
export type SlackReceiver = Receiver & {
  /** @returns true if Slack can reach this process now */
  readonly isConnected: () => boolean;
  /** Address without a path of a receiver that Slack calls; valid while it listens. */
  readonly origin?: () => string;
  /** Waits until every delivery has been handled. */
  readonly drain: () => Promise<void>;
};

/** A delivery of Slack's, over either transport. */
export type SlackDelivery = {
  readonly body: unknown;
  readonly ack: (payload?: object) => unknown;
  /** Merged into Bolt's context. */
  readonly context?: Readonly<Record<string, unknown>>;
  readonly retryNum?: number | undefined;
  readonly retryReason?: string | undefined;
};

export type Processing = {
  readonly init: (app: App) => void;
  /** Never throws. */
  readonly receive: (delivery: SlackDelivery) => void;
  /** Waits until every delivery has been handled. */
  readonly drain: () => Promise<void>;
};

export function createProcessing({ log }: { readonly log: Logger }): Processing {
  const working = new Set<Promise<void>>();
  let app: App | undefined;
  return {
    init: (bolt) => {
      app = bolt;
    },
    receive: (delivery) => {
      const work = process(app, delivery, log).finally(() => working.delete(work));
      working.add(work);
    },
    drain: async () => {
      await Promise.allSettled(working);
    },
  };
}

/** Sends an empty acknowledgement if no listener sent one. */
async function process(app: App | undefined, delivery: SlackDelivery, log: Logger): Promise<void> {
  const { body, context, retryNum, retryReason } = delivery;
  let isAcknowledged = false;
  const event: ReceiverEvent = {
    body: readRecord(body),
    ack: async (payload?: object) => {
      if (isAcknowledged) return;
      isAcknowledged = true;
      await delivery.ack(payload);
    },
    ...(context && { customProperties: context }),
    ...(retryNum !== undefined && { retryNum }),
    ...(retryReason !== undefined && { retryReason }),
  };
  try {
    await app?.processEvent(event);
  } catch (error) {
    log.error({ error: describe(error) }, 'slack payload could not be handled');
  }
  try {
    await event.ack();
  } catch (error) {
    log.warn({ error: describe(error) }, 'acknowledgement could not be sent');
  }
}
