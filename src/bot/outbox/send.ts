/** Sends one message: only after a fresh recorded intent, and at most once for each intent. */
import { setTimeout } from 'node:timers/promises';
import { errorMeans } from '../domain/slack-errors.ts';
import { type ClaimedDelivery, type OutboxMessage, rootName, type SendOutcome } from '../store/outbox/delivery.ts';
import { listVariant } from '../views/blocks/list-variant.ts';
import type { Message } from '../views/blocks/message.ts';
import { possiblyRepeated } from '../views/notices/digest-notices.ts';
import type { MessageVariant, PostTarget, Sent } from './ports.ts';
import { channelOf, type DeliveryServices, logFieldsOf, lostLease, type SendResult, type Waiting } from './results.ts';

export type Sending = {
  readonly claimed: ClaimedDelivery;
  /** In state `waiting`. */
  readonly message: Pick<OutboxMessage, 'name' | 'opaqueId' | 'error'>;
  readonly content: Message;
  /** Null for the root itself, and while there is no root. */
  readonly rootTs: string | null;
  /** Recorded with the message, so that a later attempt sees whether its content has changed. */
  readonly contentHash?: string | undefined;
  /** True if a reply that its thread does not take is posted below no root instead. */
  readonly mayLeaveThread: boolean;
};

/** @throws AppError if the store does not answer; the occurrence then waits for the end of its lease */
export async function sendMessage(services: DeliveryServices, sending: Sending): Promise<SendResult> {
  const { claimed, message, content, rootTs } = sending;
  const attemptFor = (error: string | null) => attemptOf(message, error, channelOf(claimed), rootTs);
  const { postIntervalMs, postWaitMsMax } = services.timing;
  for (let attempt = attemptFor(message.error), withinMs = postWaitMsMax; ; withinMs = postIntervalMs + postWaitMsMax) {
    const waiting = await acquirePermit(services, claimed, withinMs);
    if (waiting) return waiting;
    const refusal = await recordIntent(services, sending, attempt);
    if (refusal) return refusal;
    services.failpoint('before send');
    const body = attempt.isRepeat ? possiblyRepeated(content) : content;
    const sent = await services.posting.send(attempt.to, body, message.opaqueId, attempt.variant);
    services.failpoint('after send');
    const simpler = nextAttempt(attempt, sent, sending, attemptFor);
    const result = simpler ? undefined : resultOf(services, claimed, sent);
    if (!(await recordOutcome(services, sending, outcomeOf(sending, sent, simpler ?? attempt, result))))
      return lostLease;
    await backOff(services, claimed, sent);
    services.failpoint('after outcome');
    if (result) return result;
    services.log.warn(
      { ...logFieldsOf(claimed), messageName: message.name, error: sent.kind === 'posted' ? undefined : sent.error },
      'slack refused a message as it was, sending it in another form',
    );
    attempt = simpler ?? attempt;
  }
}

/**
 * Comes before the intent, because an intent does not wait. A message that Slack refused in its first variant waits here for the
 * next permit: a released occurrence would start with that variant again, forever.
 */
async function acquirePermit(
  { postPermits, isUrgent, timing, stopping }: DeliveryServices,
  { key }: ClaimedDelivery,
  withinMs: number,
): Promise<Waiting | undefined> {
  // A bot that stops finishes what a person waits for.
  const isStopping = () => stopping.aborted && !isUrgent;
  if (isStopping()) return { kind: 'wait', afterMs: 0 };
  const permit = isUrgent
    ? postPermits.acquireUrgent(key.teamId)
    : postPermits.acquire(key.teamId, { everyMs: timing.postIntervalMs, withinMs });
  const { isAcquired, waitMs } = await permit;
  if (!isAcquired) return { kind: 'wait', afterMs: waitMs };
  if (waitMs > 0) await setTimeout(waitMs, undefined, { signal: stopping }).catch(() => undefined);
  return isStopping() ? { kind: 'wait', afterMs: 0 } : undefined;
}

/** @returns undefined if the message may be sent now */
async function recordIntent(
  services: DeliveryServices,
  { claimed, message }: Sending,
  attempt: Attempt,
): Promise<SendResult | undefined> {
  const { timing, uptime } = services;
  for (let allowedMs = timing.intentAgeMs; allowedMs <= timing.intentAgeMsMax; allowedMs *= 2) {
    services.failpoint('before intent');
    const startedAt = uptime();
    if (!(await claimed.lease.recordIntent(message.name, timing.sendDeadlineMs + timing.intentAgeMsMax)))
      return lostLease;
    services.failpoint('after intent');
    if (uptime() - startedAt <= allowedMs) return undefined;
    // A process that was frozen meanwhile has lost its lease here. A slow database only gets more time.
    const error = attempt.fallbackReason ?? 'intent_too_old';
    if (!(await claimed.lease.recordOutcome(message.name, { kind: 'unsent', error }))) return lostLease;
  }
  return { kind: 'later', why: 'unsent', afterMs: timing.firstRetryMs, error: 'store_slow' };
}

/** Retries while the store fails for a moment. If it fails for longer, Slack's history has the outcome. */
async function recordOutcome(
  services: DeliveryServices,
  { claimed, message }: Sending,
  outcome: SendOutcome,
): Promise<boolean> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await claimed.lease.recordOutcome(message.name, outcome);
    } catch (error) {
      if (tries === 4) throw error;
      await setTimeout(Math.min(500 * tries, services.timing.leaseMs / 8));
    }
  }
}

/** Stops all processes from sending to a rate-limited workspace. */
async function backOff({ postPermits }: DeliveryServices, { key }: ClaimedDelivery, sent: Sent): Promise<void> {
  if (sent.kind !== 'not_sent' || sent.retryAfterMs === undefined || !errorMeans(sent.error, 'rate_limited')) return;
  await postPermits.backOff(key.teamId, sent.retryAfterMs);
}

/** The result for the occurrence. */
function resultOf({ timing }: DeliveryServices, { attempts }: ClaimedDelivery, sent: Sent): SendResult {
  switch (sent.kind) {
    case 'posted':
      return { kind: 'sent', ts: sent.ts };
    case 'unknown':
      return {
        ...{ kind: 'later', why: 'unknown', error: sent.error },
        afterMs: timing.sendDeadlineMs + timing.historyLagMs,
      };
    case 'not_sent': {
      const backoffMs = Math.min(timing.firstRetryMs * 2 ** Math.min(attempts, 20), timing.retryMsMax);
      return { kind: 'later', why: 'unsent', afterMs: sent.retryAfterMs ?? backoffMs, error: sent.error };
    }
    case 'content':
      return { kind: 'given_up', state: 'dead', error: sent.error };
    case 'permanent':
      return { kind: 'refused', error: sent.error };
  }
}

/** The outcome for the message. @param attempt the next one @param result undefined if another attempt follows at once */
function outcomeOf(
  { contentHash }: Sending,
  sent: Sent,
  attempt: Attempt,
  result: SendResult | undefined,
): SendOutcome {
  if (sent.kind === 'posted') return { kind: 'sent', ts: sent.ts, contentHash };
  const error = attempt.fallbackReason ?? sent.error;
  if (!result || sent.kind === 'not_sent') return { kind: 'unsent', error };
  if (sent.kind === 'unknown') return { kind: 'unknown', error };
  return { kind: 'dead', error: sent.error };
}

/** The message may be posted already, and the subscription prefers a possible repeat to a gap. */
export const repeatedError = 'possibly_repeated';

type Attempt = {
  readonly to: PostTarget;
  readonly variant: MessageVariant;
  readonly isRepeat: boolean;
  /** The error that led to this variant. It is stored with the message, so that another process uses the same. */
  readonly fallbackReason: string | undefined;
};

/** @param error of the last attempt @param rootTs null while there is no root */
export function attemptOf(
  { name }: Pick<OutboxMessage, 'name'>,
  error: string | null,
  channel: PostTarget,
  rootTs: string | null,
): Attempt {
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
