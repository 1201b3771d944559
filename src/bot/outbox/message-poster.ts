/** Posts the messages of one open delivery, each once: after an attempt without an answer it checks Slack's history first. */
import { createHash, randomUUID } from 'node:crypto';
import type { Logger } from '../../shared/log/logger.ts';
import type { Clock } from '../../shared/time/clock.ts';
import { errorMeans } from '../domain/slack-errors.ts';
import { type OpenDelivery, type OutboxMessage, rootName, type SendOutcome } from '../store/outbox/delivery.ts';
import { listVariant } from '../views/blocks/list-variant.ts';
import type { Message } from '../views/blocks/message.ts';
import type { OutboxPosting, PostTarget } from './ports.ts';
import { type DeliveryServices, lostLease, type SendResult, waitingMessage } from './results.ts';
import { MessageSender } from './send.ts';
import { defaultLimits, defaultTiming, defaultWait, type Wait } from './timing.ts';

export type PosterOptions = {
  readonly outboxPosting: OutboxPosting;
  readonly runtime: { readonly log: Logger; readonly clock: Clock };
  /** Aborted when the bot stops. */
  readonly stopping: AbortSignal;
  readonly wait?: Wait | undefined;
};

/** A history of ten pages is read at the lowest rate that Slack allows. */
const timing = { ...defaultTiming, historyWaitMsMax: 600_000 };

/** For posting the messages of an open delivery. */
export function posterServices(
  { outboxPosting, runtime, stopping, wait }: PosterOptions,
  { outbox, postPermits }: Pick<DeliveryServices, 'outbox' | 'postPermits'>,
): DeliveryServices {
  return {
    ...{ outbox, postPermits, posting: outboxPosting, log: runtime.log, stopping, timing },
    wait: wait ?? defaultWait,
    isUrgent: true,
    limits: defaultLimits,
    uptime: () => performance.now(),
    failpoint: () => undefined,
  };
}

/** Why a message is not posted, or not known to be. */
export type NotPosted = {
  /**
   * `later`: Slack may take it later. `unknown`: it may have been posted. `unchecked`: likewise, by an earlier attempt, and
   * Slack's history may show it later. `uncertain`: likewise, and the history does not show it.
   */
  readonly kind: 'refused' | 'later' | 'unknown' | 'unchecked' | 'uncertain';
  /** An error code of Slack or of the bot. */
  readonly error: string;
};

/** `passed`: another process has the lease. */
export type PostResult = { readonly kind: 'sent'; readonly ts: string } | { readonly kind: 'passed' } | NotPosted;

/** Limits for all waits of one message: while Slack takes nothing, and while its history need not show an attempt. */
const [unsentMsMax, uncheckedMsMax] = [30_000, 600_000];

export class MessagePoster {
  readonly #services: DeliveryServices;
  readonly #delivery: OpenDelivery;
  readonly #messages: Map<string, OutboxMessage>;

  constructor(services: DeliveryServices, delivery: OpenDelivery) {
    this.#services = services;
    this.#delivery = delivery;
    this.#messages = new Map(delivery.messages.map((message) => [message.name, message]));
  }

  find(name: string): OutboxMessage | undefined {
    return this.#messages.get(name);
  }

  /** The root is a message that was there before. @returns false if another process has the lease */
  async adoptRoot(ts: string): Promise<boolean> {
    this.#messages.set(rootName, { ...waitingMessage(newMessage(rootName)), state: 'sent', ts });
    return this.#delivery.lease.adoptRoot(ts);
  }

  /** Adds messages that the delivery has not had yet. @returns false if another process has the lease */
  async add(names: readonly string[]): Promise<boolean> {
    const added = names.filter((name) => !this.#messages.has(name)).map(newMessage);
    if (added.length === 0) return true;
    const first = this.#messages.size;
    for (const message of added) this.#messages.set(message.name, waitingMessage(message));
    return this.#delivery.lease.addMessages(added, first);
  }

  /** The message is posted again as a new one. @returns false if another process has the lease */
  async renew(name: string): Promise<boolean> {
    const message = newMessage(name);
    this.#messages.set(name, waitingMessage(message));
    return this.#delivery.lease.renew(message);
  }

  /** Posts a message that was added and is not posted yet. @param isFinal false if an edit replaces the content */
  async post(name: string, content: Message, rootTs: string | null, isFinal = true): Promise<PostResult> {
    const { state, ts = null } = this.#messages.get(name) ?? {};
    if (state === 'sent' && ts !== null) return { kind: 'sent', ts };
    // A new request sends what Slack did not take.
    if (state === 'dead' && !(await this.renew(name))) return { kind: 'passed' };
    const { wait, stopping } = this.#services;
    for (let waitedMs = 0; ; ) {
      const result = await this.#attempt(name, content, rootTs, isFinal);
      if (result === undefined) continue;
      if (result.kind === 'sent' || result.kind === 'passed') return result;
      if (!isWaitedFor(result, content, waitedMs) || stopping.aborted) return notPosted(result);
      await wait(result.afterMs, stopping).catch(() => undefined);
      waitedMs += result.afterMs;
      await this.#readMessages();
    }
  }

  async #readMessages(): Promise<void> {
    for (const message of await this.#delivery.lease.readMessages()) this.#messages.set(message.name, message);
  }

  /** @returns undefined if Slack's history shows that the message was not posted */
  async #attempt(
    name: string,
    content: Message,
    rootTs: string | null,
    isFinal: boolean,
  ): Promise<SendResult | undefined> {
    const message = this.#messages.get(name) ?? waitingMessage(newMessage(name));
    const contentHash = isFinal ? hashOf(content) : undefined;
    const sending = { message, content, rootTs, contentHash, mayLeaveThread: false };
    if (message.state === 'waiting') return new MessageSender(this.#services, this.#delivery).send(sending);
    await this.#readMessages();
    const delivery = { ...this.#delivery, messages: [...this.#messages.values()] };
    const reconciled = await new MessageSender(this.#services, delivery).reconcile(sending);
    // Reading the history may take longer than the lease lasts.
    if (!(await this.#delivery.lease.extend(this.#services.timing.leaseMs))) return lostLease;
    if (reconciled.kind !== 'absent') return reconciled;
    this.#messages.set(name, { ...reconciled.message, state: 'waiting' });
    return undefined;
  }
}

const newMessage = (name: string) => ({ name, opaqueId: randomUUID() });

/**
 * Waits as long as Slack or its history need. After a post without an answer it waits only if a simpler variant may pass;
 * otherwise a new request continues.
 */
function isWaitedFor(
  result: SendResult,
  content: Message,
  waitedMs: number,
): result is Extract<SendResult, { readonly kind: 'later' | 'wait' }> {
  if (result.kind === 'wait') return waitedMs + result.afterMs <= unsentMsMax;
  if (result.kind !== 'later') return false;
  switch (result.why) {
    case 'unsent':
      return !errorMeans(result.error, 'audience_unknown') && waitedMs + result.afterMs <= unsentMsMax;
    case 'early':
      return waitedMs + result.afterMs <= uncheckedMsMax;
    case 'unread':
      return false;
    case 'unknown':
      return errorMeans(result.error, 'fails_on_blocks') && listVariant(content.blocks) !== undefined;
  }
}

function notPosted(result: Exclude<SendResult, { readonly kind: 'sent' | 'passed' }>): NotPosted {
  switch (result.kind) {
    case 'wait':
      return { kind: 'later', error: 'ratelimited' };
    case 'later': {
      const kind = result.why === 'unsent' ? 'later' : result.why === 'unknown' ? 'unknown' : 'unchecked';
      return { kind, error: result.error };
    }
    case 'given_up':
      return { kind: result.state === 'dead' ? 'refused' : 'uncertain', error: result.error };
    case 'refused':
      return { kind: 'refused', error: result.error };
  }
}

export function hashOf(message: Message): string {
  return createHash('sha256').update(JSON.stringify(message)).digest('base64url');
}

/**
 * Posts one message as a delivery that is kept in memory: its content is not stored, so nobody could continue it after a
 * crash, and an answer must come while the bot's database is away. Never rejects. May wait until Slack's history shows whether
 * an earlier form was posted.
 */
export type PostOnce = (to: PostTarget, message: Message) => Promise<PostResult>;

export function createPostOnce(options: PosterOptions): PostOnce {
  const { clock } = options.runtime;
  const permit = { isAcquired: true, waitMs: 0 };
  const postPermits = {
    acquire: async () => permit,
    acquireUrgent: async () => permit,
    backOff: async () => undefined,
  };
  const posting = posterServices(options, { outbox: { now: async () => clock() }, postPermits });
  return (to, message) => {
    const name = to.threadTs === undefined ? rootName : 'reply';
    return new MessagePoster(posting, unstored(to, name, clock)).post(name, message, to.threadTs ?? null);
  };
}

function unstored({ teamId, channelId }: PostTarget, name: string, clock: Clock): OpenDelivery {
  let message = waitingMessage({ name, opaqueId: randomUUID() });
  const done = async () => true;
  const recordIntent = async () => {
    const times = { firstIntentAt: message.firstIntentAt ?? clock(), lastIntentAt: clock() };
    message = { ...message, ...times, state: 'intent', attempts: message.attempts + 1 };
    return true;
  };
  const recordOutcome = async (_: string, { kind, ...outcome }: SendOutcome) => {
    const [state, unsent] = kind === 'unsent' ? (['waiting', 1] as const) : ([kind, 0] as const);
    message = { ...message, ...outcome, contentHash: null, state, attempts: message.attempts - unsent };
    return true;
  };
  return {
    key: { teamId, kind: 'answer', subject: message.opaqueId, occurrenceId: channelId },
    channelId,
    onUncertain: 'hold',
    fencingToken: 1,
    attempts: 0,
    messages: [message],
    files: [],
    openedAt: clock(),
    lease: {
      ...{ recordIntent, recordOutcome, readMessages: async () => [message] },
      ...{ extend: done, finish: done, release: done, defer: done, addMessages: done, adoptRoot: done },
      ...{ recordEdit: done, renew: done, saveFile: async () => undefined, forgetFile: async () => undefined },
    },
  };
}
