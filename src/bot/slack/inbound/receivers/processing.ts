/** The part of a receiver that both transports share: passes deliveries to Bolt, acknowledges each exactly once, throws nothing. */
import type { App, Receiver, ReceiverEvent } from '@slack/bolt';
import { createLruCache, type LruCache } from '../../../../shared/cache/lru-cache.ts';
import { readRecord } from '../../../../shared/json.ts';
import type { Runtime } from '../../../domain/runtime.ts';
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
  readonly context: Readonly<Record<string, unknown>>;
};

/** Longer than Slack repeats a delivery. */
const repeatedMs = 10 * 60_000;
/** At most 8 MB of answers. */
const answersMax = 500;

/** The answers in acknowledgements, by delivery: undefined if there is none. */
type Answers = LruCache<Promise<object | undefined>>;

const limitedNotedMs = 60 * 60_000;

export abstract class Processing implements Pick<SlackReceiver, 'init' | 'drain' | 'notes'> {
  protected readonly runtime: Runtime;
  readonly #working = new Set<Promise<void>>();
  readonly #answers: Answers;
  #limitedAt: number | undefined;
  #app: App | undefined;

  constructor(runtime: Runtime) {
    this.runtime = runtime;
    this.#answers = createLruCache({ clock: runtime.clock, ttlMs: repeatedMs, entriesMax: answersMax });
  }

  init(app: App): void {
    this.#app = app;
  }

  /** Never throws. */
  protected receive(delivery: SlackDelivery): void {
    if (readRecord(delivery.body)['type'] === 'app_rate_limited') {
      this.#limitedAt = this.runtime.clock();
      this.runtime.log.warn({}, 'slack limits the events of a workspace: some never arrive');
    }
    const work = this.#process(delivery).finally(() => this.#working.delete(work));
    this.#working.add(work);
  }

  /** Waits until every delivery has been handled. */
  async drain(): Promise<void> {
    await Promise.allSettled(this.#working);
  }

  /** Slack drops events above 30,000 an hour of a workspace: https://docs.slack.dev/apis/events-api/#rate-limiting */
  notes(): readonly string[] {
    const limitedAt = this.#limitedAt;
    if (limitedAt === undefined || this.runtime.clock() - limitedAt > limitedNotedMs) return [];
    return [`slack: limited the events of a workspace at ${new Date(limitedAt).toISOString()}, some never arrived`];
  }

  /** Sends an empty acknowledgement if no listener sent one. A repeated delivery gets the answer of the first one again. */
  async #process(delivery: SlackDelivery): Promise<void> {
    const { log } = this.runtime;
    const body = readRecord(delivery.body);
    const key = body['type'] === 'block_suggestion' ? undefined : readDeliveryId(body);
    const earlier = key === undefined ? undefined : this.#answers.get(key);
    const answered = Promise.withResolvers<object | undefined>();
    if (key !== undefined && earlier === undefined) this.#answers.set(key, answered.promise);
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
      customProperties: delivery.context,
    };
    try {
      const answer = await earlier;
      if (answer === undefined) await this.#app?.processEvent(event);
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
}
