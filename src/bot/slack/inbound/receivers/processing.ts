/** Passes deliveries from a receiver to Bolt. Acknowledges each exactly once and throws nothing. */
import type { App, Receiver, ReceiverEvent } from '@slack/bolt';
import { createLruCache, type LruCache } from '../../../../shared/cache/lru-cache.ts';
import { readRecord } from '../../../../shared/json.ts';
import type { Logger } from '../../../../shared/log/logger.ts';
import type { Clock } from '../../../../shared/time/clock.ts';
import { describe } from '../../outbound/web-api/errors.ts';
import { readDeliveryId } from '../middleware/read-payload.ts';

/** Bolt's receiver for either transport, with the additions that the bot needs. */
export type SlackReceiver = Receiver & {
  /** @returns true if Slack can reach this process now */
  readonly isConnected: () => boolean;
  /** Address without a path of a receiver that Slack calls; valid while it listens. */
  readonly origin?: () => string;
  /** Waits until every delivery has been handled. */
  readonly drain: () => Promise<void>;
  /** Lines for the operator about what does not arrive. */
  readonly notes: () => readonly string[];
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
  readonly notes: () => readonly string[];
};

type ProcessingDeps = { readonly log: Logger; readonly clock: Clock };

/** Longer than Slack repeats a delivery. */
const repeatedMs = 10 * 60_000;
/** At most 8 MB of answers. */
const answersMax = 500;

/** The answers in acknowledgements, by delivery: undefined if there is none. */
type Answers = LruCache<Promise<object | undefined>>;

export function createProcessing({ log, clock }: ProcessingDeps): Processing {
  const working = new Set<Promise<void>>();
  const answers: Answers = createLruCache({ clock, ttlMs: repeatedMs, entriesMax: answersMax });
  const limited = createLimitedNote({ log, clock });
  let app: App | undefined;
  return {
    init: (bolt) => {
      app = bolt;
    },
    receive: (delivery) => {
      if (readRecord(delivery.body)['type'] === 'app_rate_limited') limited.onLimited();
      const work = process(app, delivery, { log, answers }).finally(() => working.delete(work));
      working.add(work);
    },
    drain: async () => {
      await Promise.allSettled(working);
    },
    notes: limited.notes,
  };
}

const limitedNotedMs = 60 * 60_000;

/** Slack drops events above 30,000 an hour of a workspace: https://docs.slack.dev/apis/events-api/#rate-limiting */
function createLimitedNote({ log, clock }: ProcessingDeps) {
  let limitedAt: number | undefined;
  return {
    onLimited: () => {
      limitedAt = clock();
      log.warn({}, 'slack limits the events of a workspace: some never arrive');
    },
    notes: () => {
      if (limitedAt === undefined || clock() - limitedAt > limitedNotedMs) return [];
      return [`slack: limited the events of a workspace at ${new Date(limitedAt).toISOString()}, some never arrived`];
    },
  };
}

/** Sends an empty acknowledgement if no listener sent one. A repeated delivery gets the answer of the first one again. */
async function process(
  app: App | undefined,
  delivery: SlackDelivery,
  { log, answers }: { readonly log: Logger; readonly answers: Answers },
): Promise<void> {
  const { context, retryNum, retryReason } = delivery;
  const body = readRecord(delivery.body);
  const key = body['type'] === 'block_suggestion' ? undefined : readDeliveryId(body);
  const earlier = key === undefined ? undefined : answers.get(key);
  const answered = Promise.withResolvers<object | undefined>();
  if (key !== undefined && earlier === undefined) answers.set(key, answered.promise);
  let isAcknowledged = false;
  const event: ReceiverEvent = {
    body,
    ack: async (payload?: object) => {
      if (isAcknowledged) return;
      isAcknowledged = true;
      try {
        await delivery.ack(payload);
        answered.resolve(payload);
      } finally {
        answered.resolve(undefined);
      }
    },
    ...(context && { customProperties: context }),
    ...(retryNum !== undefined && { retryNum }),
    ...(retryReason !== undefined && { retryReason }),
  };
  try {
    const answer = await earlier;
    if (answer === undefined) await app?.processEvent(event);
    else await event.ack(answer);
  } catch (error) {
    log.error({ error: describe(error) }, 'slack payload could not be handled');
  }
  try {
    await event.ack();
  } catch (error) {
    log.warn({ error: describe(error) }, 'acknowledgement could not be sent');
  }
}
