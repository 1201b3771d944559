/** Sends one message: only after a fresh recorded intent, and at most once for each intent. */
import { setTimeout } from 'node:timers/promises';
import type { ClaimedOccurrence, OutboxMessage, SendOutcome } from '../store/outbox/occurrence.ts';
import type { Message } from '../views/blocks/message.ts';
import { type Form, formOf, messageIn, nextForm } from './forms.ts';
import type { Sent } from './ports.ts';
import { channelOf, type DeliveryDeps, logFieldsOf, lostLease, type SendResult, type Waiting } from './results.ts';

export type Sending = {
  readonly claimed: ClaimedOccurrence;
  /** Waiting, by the outbox. */
  readonly message: Pick<OutboxMessage, 'name' | 'opaqueId' | 'error'>;
  readonly content: Message;
  /** Null for the root itself, and while there is none. */
  readonly rootTs: string | null;
};

/** @throws AppError where the store does not answer: the lease then decides who goes on */
export async function sendMessage(deps: DeliveryDeps, sending: Sending): Promise<SendResult> {
  const { claimed, message, content, rootTs } = sending;
  const formFor = (error: string | null) => formOf(message, error, channelOf(claimed), rootTs);
  const { postIntervalMs, postWaitMsMax } = deps.timing;
  for (let form = formFor(message.error), withinMs = postWaitMsMax; ; withinMs = postIntervalMs + postWaitMsMax) {
    const waited = await acquirePermit(deps, claimed, withinMs);
    if (waited) return waited;
    const refusal = await recordIntent(deps, sending, form);
    if (refusal) return refusal;
    deps.failpoint('before send');
    const sent = await deps.posting.send(form.to, messageIn(form, content), message.opaqueId, form.form);
    deps.failpoint('after send');
    const simpler = nextForm(form, sent, formFor);
    const result = simpler ? undefined : resultOf(deps, claimed, sent);
    if (!(await recordOutcome(deps, sending, outcomeOf(sent, simpler ?? form, result)))) return lostLease;
    await backOff(deps, claimed, sent);
    deps.failpoint('after outcome');
    if (result) return result;
    deps.log.warn(
      { ...logFieldsOf(claimed), messageName: message.name, error: errorOf(sent) },
      'slack refused a digest as it was, sending it in another form',
    );
    form = simpler ?? form;
  }
}

/**
 * Slack's pace, before the intent: an intent does not wait. What was refused as it was waits here for the turn after its own:
 * given back, it would be refused as it was once more, and so for ever.
 */
async function acquirePermit(
  { rateLimiter, timing, stopping }: DeliveryDeps,
  { key }: ClaimedOccurrence,
  withinMs: number,
): Promise<Waiting | undefined> {
  if (stopping.aborted) return { kind: 'wait', afterMs: 0 };
  const { isAcquired, waitMs } = await rateLimiter.acquire(key.teamId, { everyMs: timing.postIntervalMs, withinMs });
  if (!isAcquired) return { kind: 'wait', afterMs: waitMs };
  if (waitMs > 0) await setTimeout(waitMs, undefined, { signal: stopping }).catch(() => undefined);
  return stopping.aborted ? { kind: 'wait', afterMs: 0 } : undefined;
}

/** @returns undefined where it may be sent, now */
async function recordIntent(
  deps: DeliveryDeps,
  { claimed, message }: Sending,
  form: Form,
): Promise<SendResult | undefined> {
  const { timing, clock } = deps;
  for (let allowedMs = timing.intentAgeMs; allowedMs <= timing.intentAgeMsMax; allowedMs *= 2) {
    deps.failpoint('before intent');
    const begunAt = clock();
    if (!(await claimed.lease.recordIntent(message.name, timing.sendDeadlineMs + timing.intentAgeMsMax)))
      return lostLease;
    deps.failpoint('after intent');
    if (clock() - begunAt <= allowedMs) return undefined;
    // A process that was frozen meanwhile finds its lease gone here; a slow database alone is given longer.
    const error = form.learnt ?? 'intent_too_old';
    if (!(await claimed.lease.recordOutcome(message.name, { kind: 'unsent', error }))) return lostLease;
  }
  return { kind: 'later', afterMs: timing.firstRetryMs, error: 'store_slow' };
}

/** What Slack said must not be forgotten for a moment's trouble with the store; where it is, the history tells. */
async function recordOutcome(
  deps: DeliveryDeps,
  { claimed, message }: Sending,
  outcome: SendOutcome,
): Promise<boolean> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await claimed.lease.recordOutcome(message.name, outcome);
    } catch (error) {
      if (tries === 4) throw error;
      await setTimeout(Math.min(500 * tries, deps.timing.leaseMs / 8));
    }
  }
}

/** Of a workspace that has had too much. What else passes by itself is one channel's trouble, or this process's alone. */
const tooMuch = new Set(['ratelimited', 'rate_limited']);

/** Where Slack takes nothing more for a while, nobody tries. */
async function backOff({ rateLimiter }: DeliveryDeps, { key }: ClaimedOccurrence, sent: Sent): Promise<void> {
  if (sent.kind !== 'not_sent' || sent.retryAfterMs === undefined || !tooMuch.has(sent.error)) return;
  await rateLimiter.backOff(key.teamId, sent.retryAfterMs);
}

/** What it means for the occurrence. */
function resultOf({ timing }: DeliveryDeps, { attempts }: ClaimedOccurrence, sent: Sent): SendResult {
  switch (sent.kind) {
    case 'posted':
      return { kind: 'sent', ts: sent.ts };
    case 'unknown':
      return { kind: 'later', afterMs: timing.sendDeadlineMs + timing.historyLagMs, error: sent.error };
    case 'not_sent': {
      const backoffMs = Math.min(timing.firstRetryMs * 2 ** Math.min(attempts, 20), timing.retryMsMax);
      return { kind: 'later', afterMs: sent.retryAfterMs ?? backoffMs, error: sent.error };
    }
    case 'content':
      return { kind: 'given_up', state: 'dead', error: sent.error };
    case 'permanent':
      return { kind: 'refused', error: sent.error };
  }
}

/** What is written down of the message. @param form the one that is next @param result undefined where the next attempt follows at once */
function outcomeOf(sent: Sent, form: Form, result: SendResult | undefined): SendOutcome {
  if (sent.kind === 'posted') return { kind: 'sent', ts: sent.ts };
  const error = form.learnt ?? sent.error;
  if (!result || sent.kind === 'not_sent') return { kind: 'unsent', error };
  if (sent.kind === 'unknown') return { kind: 'unknown', error };
  return { kind: 'dead', error: sent.error };
}

function errorOf(sent: Sent): string | undefined {
  return sent.kind === 'posted' ? undefined : sent.error;
}
