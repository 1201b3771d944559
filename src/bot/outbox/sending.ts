/** Sending one part: never without an intent that is written down and a moment old, and never twice for one intent. */
import { setTimeout } from 'node:timers/promises';
import type { ClaimedSlot, Part, PartOutcome } from '../store/outbox/slot.ts';
import type { Message } from '../views/blocks/message.ts';
import { type Form, formOf, messageIn, nextForm } from './forms.ts';
import type { Sent } from './ports.ts';
import { channelOf, type PartResult, passed, slotFields, type Waiting, type WorkDeps } from './work.ts';

export type Sending = {
  readonly claimed: ClaimedSlot;
  /** Waiting, by the ledger. */
  readonly part: Pick<Part, 'name' | 'opaqueId' | 'error'>;
  readonly message: Message;
  /** Null for the root itself, and while there is none. */
  readonly rootTs: string | null;
};

/** @throws AppError where the store does not answer: the lease then decides who goes on */
export async function sendPart(deps: WorkDeps, sending: Sending): Promise<PartResult> {
  const { claimed, part, message, rootTs } = sending;
  const formFor = (error: string | null) => formOf(part, error, channelOf(claimed), rootTs);
  const { paceMs, paceWaitMsMax } = deps.timing;
  for (let form = formFor(part.error), withinMs = paceWaitMsMax; ; withinMs = paceMs + paceWaitMsMax) {
    const waited = await turn(deps, claimed, withinMs);
    if (waited) return waited;
    const refusal = await intend(deps, sending, form);
    if (refusal) return refusal;
    deps.at('before send');
    const sent = await deps.posting.send(form.to, messageIn(form, message), part.opaqueId, form.form);
    deps.at('after send');
    const simpler = nextForm(form, sent, formFor);
    const result = simpler ? undefined : resultOf(deps, claimed, sent);
    if (!(await settle(deps, sending, outcomeOf(sent, simpler ?? form, result)))) return passed;
    await holdOff(deps, claimed, sent);
    deps.at('after settle');
    if (result) return result;
    deps.log.warn(
      { ...slotFields(claimed), part: part.name, error: errorOf(sent) },
      'slack refused a digest as it was, sending it in another form',
    );
    form = simpler ?? form;
  }
}

/**
 * Slack's pace, before the intent: an intent does not wait. What was refused as it was waits here for the turn after its own:
 * given back, it would be refused as it was once more, and so for ever.
 */
async function turn(
  { ledger, timing, stopping }: WorkDeps,
  { key }: ClaimedSlot,
  withinMs: number,
): Promise<Waiting | undefined> {
  if (stopping.aborted) return { kind: 'wait', afterMs: 0 };
  const { isTaken, waitMs } = await ledger.takeTurn(key.teamId, { everyMs: timing.paceMs, withinMs });
  if (!isTaken) return { kind: 'wait', afterMs: waitMs };
  if (waitMs > 0) await setTimeout(waitMs, undefined, { signal: stopping }).catch(() => undefined);
  return stopping.aborted ? { kind: 'wait', afterMs: 0 } : undefined;
}

/** @returns undefined where it may be sent, now */
async function intend(deps: WorkDeps, { claimed, part }: Sending, form: Form): Promise<PartResult | undefined> {
  const { timing, clock } = deps;
  for (let allowedMs = timing.intentMs; allowedMs <= timing.intentMsMax; allowedMs *= 2) {
    deps.at('before intent');
    const begunAt = clock();
    if (!(await claimed.hold.intend(part.name, timing.sendDeadlineMs + timing.intentMsMax))) return passed;
    deps.at('after intent');
    if (clock() - begunAt <= allowedMs) return undefined;
    // A process that was frozen meanwhile finds its lease gone here; a slow database alone is given longer.
    const error = form.learnt ?? 'intent_too_old';
    if (!(await claimed.hold.settle(part.name, { kind: 'unsent', error }))) return passed;
  }
  return { kind: 'later', afterMs: timing.firstRetryMs, error: 'store_slow' };
}

/** What Slack said must not be forgotten for a moment's trouble with the store; where it is, the history tells. */
async function settle(deps: WorkDeps, { claimed, part }: Sending, outcome: PartOutcome): Promise<boolean> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await claimed.hold.settle(part.name, outcome);
    } catch (error) {
      if (tries === 4) throw error;
      await setTimeout(Math.min(500 * tries, deps.timing.leaseMs / 8));
    }
  }
}

/** Of a workspace that has had too much. What else passes by itself is one channel's trouble, or this process's alone. */
const tooMuch = new Set(['ratelimited', 'rate_limited']);

/** Where Slack takes nothing more for a while, nobody tries. */
async function holdOff({ ledger }: WorkDeps, { key }: ClaimedSlot, sent: Sent): Promise<void> {
  if (sent.kind !== 'not_sent' || sent.retryAfterMs === undefined || !tooMuch.has(sent.error)) return;
  await ledger.holdOff(key.teamId, sent.retryAfterMs);
}

/** What it means for the slot. */
function resultOf({ timing }: WorkDeps, { attempts }: ClaimedSlot, sent: Sent): PartResult {
  switch (sent.kind) {
    case 'posted':
      return { kind: 'sent', ts: sent.ts };
    case 'unknown':
      return { kind: 'later', afterMs: timing.sendDeadlineMs + timing.quietMs, error: sent.error };
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

/** What is written down of the part. @param form the one that is next @param result undefined where the next attempt follows at once */
function outcomeOf(sent: Sent, form: Form, result: PartResult | undefined): PartOutcome {
  if (sent.kind === 'posted') return { kind: 'sent', ts: sent.ts };
  const error = form.learnt ?? sent.error;
  if (!result || sent.kind === 'not_sent') return { kind: 'unsent', error };
  if (sent.kind === 'unknown') return { kind: 'unknown', error };
  return { kind: 'dead', error: sent.error };
}

function errorOf(sent: Sent): string | undefined {
  return sent.kind === 'posted' ? undefined : sent.error;
}
