/** Sends one message of a claimed delivery: only after a fresh recorded intent, and at most once for each. Reconciles a send without a known outcome with Slack's history. */
import { setTimeout } from 'node:timers/promises';
import { errorMeans } from '../domain/slack-errors.ts';
import { type ClaimedDelivery, type OutboxMessage, rootName, type SendOutcome } from '../store/outbox/delivery.ts';
import { listVariant } from '../views/blocks/list-variant.ts';
import type { Message } from '../views/blocks/message.ts';
import { possiblyRepeated } from '../views/notices/digest-notices.ts';
import type { FoundIn, FoundMessage, MessageVariant, PostTarget, ReplyCount, Sent, TimeRange } from './ports.ts';
import { channelOf, type DeliveryServices, logFieldsOf, lostLease, type SendResult, type Waiting } from './results.ts';
import type { DeliveryTiming } from './timing.ts';

export type Sending = {
  readonly message: OutboxMessage;
  readonly content: Message;
  /** Null for the root itself, and while there is no root. */
  readonly rootTs: string | null;
  /** Recorded with the message, so that a later attempt sees whether its content has changed. */
  readonly contentHash?: string | undefined;
  /** True if a reply that its thread does not take is posted below no root instead. */
  readonly mayLeaveThread: boolean;
};

/** It was not posted, and waits to be sent again. */
type Absent = { readonly kind: 'absent'; readonly message: OutboxMessage };

export class MessageSender {
  readonly #services: DeliveryServices;
  readonly #claimed: ClaimedDelivery;

  constructor(services: DeliveryServices, claimed: ClaimedDelivery) {
    this.#services = services;
    this.#claimed = claimed;
  }

  /** For a message in state `waiting`. @throws AppError if the store does not answer; the occurrence then waits for the end of its lease */
  async send(sending: Sending): Promise<SendResult> {
    const { message, content, contentHash } = sending;
    const { timing, failpoint, posting, log } = this.#services;
    const { postIntervalMs, postWaitMsMax } = timing;
    const attemptFor = (error: string | null) => this.#attemptOf(sending, error);
    for (
      let attempt = attemptFor(message.error), withinMs = postWaitMsMax;
      ;
      withinMs = postIntervalMs + postWaitMsMax
    ) {
      const waiting = await this.#acquirePermit(withinMs);
      if (waiting) return waiting;
      const refusal = await this.#recordIntent(message.name, attempt);
      if (refusal) return refusal;
      failpoint('before send');
      const body = attempt.isRepeat ? possiblyRepeated(content) : content;
      const sent = await posting.send(attempt.to, body, message.opaqueId, attempt.variant);
      failpoint('after send');
      const simpler = nextAttempt(attempt, sent, sending, attemptFor);
      const result = simpler ? undefined : this.#resultOf(sent);
      const outcome = outcomeOf(sent, simpler ?? attempt, result, contentHash);
      if (!(await this.#recordOutcome(message.name, outcome))) return lostLease;
      await this.#backOff(sent);
      failpoint('after outcome');
      if (result) return result;
      log.warn(
        { ...this.#logFields(message), error: sent.kind === 'posted' ? undefined : sent.error },
        'slack refused a message as it was, sending it in another form',
      );
      attempt = simpler ?? attempt;
    }
  }

  /** Once every earlier send must be visible in the history. Records a posted message as sent. @throws as `send` */
  async reconcile(sending: Sending): Promise<SendResult | Absent> {
    const { message } = sending;
    const { timing, failpoint, outbox, log } = this.#services;
    const { name } = message;
    const sinceMs = (await outbox.now()) - (message.lastIntentAt ?? 0);
    const afterMs = timing.sendDeadlineMs + timing.historyLagMs - sinceMs;
    if (afterMs > 0) return { kind: 'later', why: 'early', afterMs, error: message.error ?? 'unknown' };
    failpoint('before reconcile');
    const found = await this.#find(sending);
    failpoint('after history');
    if ('error' in found) {
      const isWorthIt = found.kind === 'later' && -afterMs < timing.catchUpMs;
      if (!isWorthIt) return this.#giveUpOrResend(message, found.error);
      const { error, retryAfterMs = timing.historyLagMs } = found;
      return { kind: 'later', why: 'unread', afterMs: retryAfterMs, error: `history_${error}` };
    }
    if ('kind' in found && !this.#isAbsentAmong(found, message))
      return this.#giveUp(name, 'uncertain', 'replies_not_shown');
    const posted = 'kind' in found ? undefined : oldestOf(found, message.opaqueId);
    if (!posted) return this.#afterAbsence(message, sinceMs);
    if (!(await this.#claimed.lease.recordOutcome(name, { kind: 'sent', ts: posted.ts }))) return lostLease;
    failpoint('after reconcile');
    log.info(this.#logFields(message), 'a message was found in the channel');
    return { kind: 'sent', ts: posted.ts };
  }

  #logFields({ name: messageName }: OutboxMessage) {
    return { ...logFieldsOf(this.#claimed), messageName };
  }

  /**
   * Comes before the intent, because an intent does not wait. A message that Slack refused in its first variant waits here for the
   * next permit: a released occurrence would start with that variant again, forever.
   */
  async #acquirePermit(withinMs: number): Promise<Waiting | undefined> {
    const { postPermits, isUrgent, timing, stopping } = this.#services;
    const { teamId } = this.#claimed.key;
    // A bot that stops finishes what a person waits for.
    const isStopping = () => stopping.aborted && !isUrgent;
    if (isStopping()) return { kind: 'wait', afterMs: 0 };
    const permit = isUrgent
      ? postPermits.acquireUrgent(teamId)
      : postPermits.acquire(teamId, { everyMs: timing.postIntervalMs, withinMs });
    const { isAcquired, waitMs } = await permit;
    if (!isAcquired) return { kind: 'wait', afterMs: waitMs };
    if (waitMs > 0) await setTimeout(waitMs, undefined, { signal: stopping }).catch(() => undefined);
    return isStopping() ? { kind: 'wait', afterMs: 0 } : undefined;
  }

  /** @returns undefined if the message may be sent now */
  async #recordIntent(name: string, attempt: Attempt): Promise<SendResult | undefined> {
    const { timing, uptime, failpoint } = this.#services;
    const { lease } = this.#claimed;
    for (let allowedMs = timing.intentAgeMs; allowedMs <= timing.intentAgeMsMax; allowedMs *= 2) {
      failpoint('before intent');
      const startedAt = uptime();
      if (!(await lease.recordIntent(name, timing.sendDeadlineMs + timing.intentAgeMsMax))) return lostLease;
      failpoint('after intent');
      if (uptime() - startedAt <= allowedMs) return undefined;
      // A process that was frozen meanwhile has lost its lease here. A slow database only gets more time.
      const error = attempt.fallbackReason ?? 'intent_too_old';
      if (!(await lease.recordOutcome(name, { kind: 'unsent', error }))) return lostLease;
    }
    return { kind: 'later', why: 'unsent', afterMs: timing.firstRetryMs, error: 'store_slow' };
  }

  /** Retries while the store fails for a moment. If it fails for longer, Slack's history has the outcome. */
  async #recordOutcome(name: string, outcome: SendOutcome): Promise<boolean> {
    for (let tries = 1; ; tries += 1) {
      try {
        return await this.#claimed.lease.recordOutcome(name, outcome);
      } catch (error) {
        if (tries === 4) throw error;
        await setTimeout(Math.min(500 * tries, this.#services.timing.leaseMs / 8));
      }
    }
  }

  /** Stops all processes from sending to a rate-limited workspace. */
  async #backOff(sent: Sent): Promise<void> {
    if (sent.kind !== 'not_sent' || sent.retryAfterMs === undefined || !errorMeans(sent.error, 'rate_limited')) return;
    await this.#services.postPermits.backOff(this.#claimed.key.teamId, sent.retryAfterMs);
  }

  /** The result for the occurrence. */
  #resultOf(sent: Sent): SendResult {
    const { timing } = this.#services;
    switch (sent.kind) {
      case 'posted':
        return { kind: 'sent', ts: sent.ts };
      case 'unknown':
        return {
          ...{ kind: 'later', why: 'unknown', error: sent.error },
          afterMs: timing.sendDeadlineMs + timing.historyLagMs,
        };
      case 'not_sent': {
        const backoffMs = Math.min(timing.firstRetryMs * 2 ** Math.min(this.#claimed.attempts, 20), timing.retryMsMax);
        return { kind: 'later', why: 'unsent', afterMs: sent.retryAfterMs ?? backoffMs, error: sent.error };
      }
      case 'content':
        return { kind: 'given_up', state: 'dead', error: sent.error };
      case 'permanent':
        return { kind: 'refused', error: sent.error };
    }
  }

  /** @param error of the last attempt */
  #attemptOf({ message: { name }, rootTs }: Sending, error: string | null): Attempt {
    const channel = channelOf(this.#claimed);
    const isUnmarked = errorMeans(error, 'metadata_refused');
    const isOutsideThread = errorMeans(error, 'thread_closed');
    const isRepeat = error === repeatedError;
    const isFailing = errorMeans(error, 'fails_on_blocks');
    return {
      to: name === rootName || rootTs === null || isOutsideThread ? channel : { ...channel, threadTs: rootTs },
      variant: isUnmarked ? 'unmarked' : isFailing ? 'lists' : 'whole',
      isRepeat,
      fallbackReason: isUnmarked || isOutsideThread || isRepeat || isFailing ? (error ?? undefined) : undefined,
    };
  }

  /** @returns true if all replies of the thread are known, or if the last one was posted before this message was attempted */
  #isAbsentAmong({ count, lastTs }: ReplyCount, message: OutboxMessage): boolean {
    const { messages, files } = this.#claimed;
    const replies = messages.filter(({ name, ts }) => name !== rootName && ts !== null);
    const shared = files.filter(({ contentHash }) => contentHash !== null);
    const index = messages.findIndex(({ name }) => name === message.name);
    const lastAt = messages.find(({ ts }, at) => at < index && ts === lastTs)?.lastIntentAt ?? Number.POSITIVE_INFINITY;
    return count === replies.length + shared.length || lastAt <= (message.firstIntentAt ?? 0);
  }

  async #find(sending: Sending): Promise<FoundIn> {
    const { message } = sending;
    const { posting, timing } = this.#services;
    // A message without metadata cannot be found.
    if (errorMeans(message.error, 'metadata_refused'))
      return { kind: 'unreadable', error: message.error ?? 'unmarked' };
    const { to } = this.#attemptOf(sending, message.error);
    return posting.find(to, unconfirmedRange(message, timing), timing.historyWaitMsMax);
  }

  /** From the second unconfirmed send on, each wait is longer: Slack may have a problem for half an hour. */
  async #afterAbsence(message: OutboxMessage, sinceMs: number): Promise<SendResult | Absent> {
    const { timing, limits } = this.#services;
    const error = message.error ?? 'no_ts';
    if (message.attempts >= limits.attemptsMax) return this.#giveUp(message.name, 'dead', error);
    const restMs = (timing.sendDeadlineMs + timing.historyLagMs) * 3 ** (message.attempts - 1) - sinceMs;
    return restMs > 0
      ? { kind: 'later', why: 'early', afterMs: restMs, error }
      : this.#sendAgain({ ...message, error });
  }

  /** For a history that cannot be read, or was not for hours: the delivery prefers a possible gap or a possible repeat. */
  #giveUpOrResend(message: OutboxMessage, error: string): Promise<SendResult | Absent> {
    const isRepeat = this.#claimed.onUncertain === 'repeat' && message.error !== repeatedError;
    return isRepeat
      ? this.#sendAgain({ ...message, error: repeatedError })
      : this.#giveUp(message.name, 'uncertain', error);
  }

  async #sendAgain(message: OutboxMessage): Promise<SendResult | Absent> {
    const outcome = { kind: 'waiting', error: message.error ?? 'no_ts' } as const;
    if (!(await this.#claimed.lease.recordOutcome(message.name, outcome))) return lostLease;
    this.#services.failpoint('after reconcile');
    return { kind: 'absent', message };
  }

  async #giveUp(name: string, state: 'dead' | 'uncertain', error: string): Promise<SendResult> {
    const isRecorded = await this.#claimed.lease.recordOutcome(name, { kind: state, error });
    return isRecorded ? { kind: 'given_up', state, error } : lostLease;
  }
}

/** From before the first intent, by any clock, to the end of the last send. */
export function unconfirmedRange({ firstIntentAt, lastIntentAt }: OutboxMessage, timing: DeliveryTiming): TimeRange {
  return {
    from: (firstIntentAt ?? 0) - timing.clockSlackMs,
    to: (lastIntentAt ?? 0) + timing.sendDeadlineMs + timing.historyLagMs + timing.clockSlackMs,
  };
}

export function oldestOf(found: readonly FoundMessage[], opaqueId: string): FoundMessage | undefined {
  return found.filter((message) => message.opaqueId === opaqueId).sort((a, b) => Number(a.ts) - Number(b.ts))[0];
}

/** The outcome for the message. @param attempt the next one @param result undefined if another attempt follows at once */
function outcomeOf(sent: Sent, attempt: Attempt, result: SendResult | undefined, contentHash?: string): SendOutcome {
  if (sent.kind === 'posted') return { kind: 'sent', ts: sent.ts, contentHash };
  const error = attempt.fallbackReason ?? sent.error;
  if (!result || sent.kind === 'not_sent') return { kind: 'unsent', error };
  if (sent.kind === 'unknown') return { kind: 'unknown', error };
  return { kind: 'dead', error: sent.error };
}

/** The message may be posted already, and the subscription prefers a possible repeat to a gap. */
const repeatedError = 'possibly_repeated';

type Attempt = {
  readonly to: PostTarget;
  readonly variant: MessageVariant;
  readonly isRepeat: boolean;
  /** The error that led to this variant. It is stored with the message, so that another process uses the same. */
  readonly fallbackReason: string | undefined;
};

/** @param attemptFor the attempt that an error leads to @returns the next one, at once after a refusal; undefined if none is left */
function nextAttempt(
  refused: Attempt,
  sent: Sent,
  { content, mayLeaveThread }: Sending,
  attemptFor: (error: string) => Attempt,
): Attempt | undefined {
  if (sent.kind !== 'content' && sent.kind !== 'permanent') return undefined;
  const { error, kind } = sent;
  const isThreadError = mayLeaveThread && refused.to.threadTs !== undefined && errorMeans(error, 'thread_closed');
  const isFormError = errorMeans(error, 'metadata_refused') || isThreadError;
  if (isFormError) {
    const isFirst = refused.fallbackReason === undefined || errorMeans(refused.fallbackReason, 'fails_on_blocks');
    return isFirst ? attemptFor(error) : undefined;
  }
  if (kind !== 'content') return undefined;
  if (refused.variant === 'whole' && listVariant(content.blocks)) return { ...refused, variant: 'lists' };
  return refused.variant === 'whole' || refused.variant === 'lists' ? { ...refused, variant: 'text' } : undefined;
}
