/** Reconciles a message whose send has no known outcome with Slack's history, once every earlier send must be visible there. */
import { errorMeans } from '../domain/slack-errors.ts';
import { type ClaimedDelivery, type OutboxMessage, rootName } from '../store/outbox/delivery.ts';
import type { FoundIn, FoundMessage, ReplyCount, TimeRange } from './ports.ts';
import { channelOf, type DeliveryServices, logFieldsOf, lostLease, type SendResult } from './results.ts';
import { attemptOf, repeatedError, type Sending } from './send.ts';
import type { DeliveryTiming } from './timing.ts';

export type UnconfirmedMessage = Omit<Sending, 'message'> & { readonly message: OutboxMessage };

/** It was not posted, and waits to be sent again. */
type Absent = { readonly kind: 'absent'; readonly message: OutboxMessage };

/** Records a posted message as sent. @throws as `sendMessage` */
export async function reconcileMessage(
  services: DeliveryServices,
  unconfirmed: UnconfirmedMessage,
): Promise<SendResult | Absent> {
  const { claimed, message } = unconfirmed;
  const { timing } = services;
  const sinceMs = (await services.outbox.now()) - (message.lastIntentAt ?? 0);
  const afterMs = timing.sendDeadlineMs + timing.historyLagMs - sinceMs;
  if (afterMs > 0) return { kind: 'later', why: 'early', afterMs, error: message.error ?? 'unknown' };
  services.failpoint('before reconcile');
  const found = await find(services, unconfirmed);
  services.failpoint('after history');
  if ('error' in found) {
    const isWorthIt = found.kind === 'later' && -afterMs < timing.catchUpMs;
    if (!isWorthIt) return giveUpOrResend(services, unconfirmed, found.error);
    const { error, retryAfterMs = timing.historyLagMs } = found;
    return { kind: 'later', why: 'unread', afterMs: retryAfterMs, error: `history_${error}` };
  }
  if ('kind' in found && !isAbsentAmong(found, unconfirmed))
    return giveUp(claimed, message, 'uncertain', 'replies_not_shown');
  const posted = 'kind' in found ? undefined : oldestOf(found, message.opaqueId);
  if (!posted) return afterAbsence(services, unconfirmed, sinceMs);
  if (!(await claimed.lease.recordOutcome(message.name, { kind: 'sent', ts: posted.ts }))) return lostLease;
  services.failpoint('after reconcile');
  const fields = { ...logFieldsOf(claimed), messageName: message.name };
  services.log.info(fields, 'a message was found in the channel');
  return { kind: 'sent', ts: posted.ts };
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

/** @returns true if all replies of the thread are known, or if the last one was posted before this message was attempted */
function isAbsentAmong({ count, lastTs }: ReplyCount, { claimed, message }: UnconfirmedMessage): boolean {
  const { messages, files } = claimed;
  const replies = messages.filter(({ name, ts }) => name !== rootName && ts !== null);
  const shared = files.filter(({ contentHash }) => contentHash !== null);
  const index = messages.findIndex(({ name }) => name === message.name);
  const lastAt = messages.find(({ ts }, at) => at < index && ts === lastTs)?.lastIntentAt ?? Number.POSITIVE_INFINITY;
  return count === replies.length + shared.length || lastAt <= (message.firstIntentAt ?? 0);
}

async function find(services: DeliveryServices, { claimed, message, rootTs }: UnconfirmedMessage): Promise<FoundIn> {
  // A message without metadata cannot be found.
  if (errorMeans(message.error, 'metadata_refused')) return { kind: 'unreadable', error: message.error ?? 'unmarked' };
  const { to } = attemptOf(message, message.error, channelOf(claimed), rootTs);
  return services.posting.find(to, unconfirmedRange(message, services.timing), services.timing.historyWaitMsMax);
}

/** From the second unconfirmed send on, each wait is longer: Slack may have a problem for half an hour. */
async function afterAbsence(
  services: DeliveryServices,
  { claimed, message }: UnconfirmedMessage,
  sinceMs: number,
): Promise<SendResult | Absent> {
  const { timing, limits } = services;
  const error = message.error ?? 'no_ts';
  if (message.attempts >= limits.attemptsMax) return giveUp(claimed, message, 'dead', error);
  const restMs = (timing.sendDeadlineMs + timing.historyLagMs) * 3 ** (message.attempts - 1) - sinceMs;
  return restMs > 0
    ? { kind: 'later', why: 'early', afterMs: restMs, error }
    : sendAgain(services, claimed, { ...message, error });
}

/** For a history that cannot be read, or was not for hours: the delivery prefers a possible gap or a possible repeat. */
async function giveUpOrResend(
  services: DeliveryServices,
  { claimed, message }: UnconfirmedMessage,
  error: string,
): Promise<SendResult | Absent> {
  const isRepeat = claimed.onUncertain === 'repeat' && message.error !== repeatedError;
  return isRepeat
    ? sendAgain(services, claimed, { ...message, error: repeatedError })
    : giveUp(claimed, message, 'uncertain', error);
}

async function sendAgain(
  { failpoint }: DeliveryServices,
  { lease }: ClaimedDelivery,
  message: OutboxMessage,
): Promise<SendResult | Absent> {
  if (!(await lease.recordOutcome(message.name, { kind: 'waiting', error: message.error ?? 'no_ts' })))
    return lostLease;
  failpoint('after reconcile');
  return { kind: 'absent', message };
}

async function giveUp(
  { lease }: ClaimedDelivery,
  { name }: OutboxMessage,
  state: 'dead' | 'uncertain',
  error: string,
): Promise<SendResult> {
  return (await lease.recordOutcome(name, { kind: state, error })) ? { kind: 'given_up', state, error } : lostLease;
}
