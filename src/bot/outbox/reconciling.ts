/** A part of which nobody knows whether it was posted: Slack's history tells, once everything that was under way must be in it. */
import type { ClaimedSlot, Part } from '../store/outbox/slot.ts';
import { formOf, isMetadataError, repeatedWord } from './forms.ts';
import type { FoundMessage, TimeRange, Unread } from './ports.ts';
import type { Sending } from './sending.ts';
import type { DigestTiming } from './timing.ts';
import { channelOf, type PartResult, passed, slotFields, type WorkDeps } from './work.ts';

export type Doubtful = Omit<Sending, 'part'> & { readonly part: Part };

/** It does not stand there, and waits to be sent again. */
type Absent = { readonly kind: 'absent'; readonly part: Part };

/** Adopts what stands there. @throws as `sendPart` */
export async function reconcilePart(deps: WorkDeps, doubtful: Doubtful): Promise<PartResult | Absent> {
  const { claimed, part } = doubtful;
  const { timing } = deps;
  const sinceMs = (await deps.ledger.now()) - (part.lastIntentAt ?? 0);
  const afterMs = timing.sendDeadlineMs + timing.quietMs - sinceMs;
  if (afterMs > 0) return { kind: 'later', afterMs, error: part.error ?? 'unknown' };
  deps.at('before reconcile');
  const found = await lookFor(deps, doubtful);
  deps.at('after history');
  if ('kind' in found) {
    const isWorthIt = found.kind === 'later' && -afterMs < timing.catchUpMs;
    return isWorthIt ? laterRead(timing, found) : keepOrRepeat(deps, doubtful, found.error);
  }
  const stands = oldestOf(found, part.opaqueId);
  if (!stands) return afterAbsence(deps, doubtful, sinceMs);
  if (!(await claimed.hold.settle(part.name, { kind: 'sent', ts: stands.ts }))) return passed;
  deps.at('after reconcile');
  deps.log.info({ ...slotFields(claimed), part: part.name }, 'a message of a digest was found in the channel');
  return { kind: 'sent', ts: stands.ts };
}

/** From before the first intent, by any clock, to where the last send must have ended. */
export function doubtfulRange({ firstIntentAt, lastIntentAt }: Part, timing: DigestTiming): TimeRange {
  return {
    from: (firstIntentAt ?? 0) - timing.clockSlackMs,
    to: (lastIntentAt ?? 0) + timing.sendDeadlineMs + timing.quietMs + timing.clockSlackMs,
  };
}

export function oldestOf(found: readonly FoundMessage[], opaqueId: string): FoundMessage | undefined {
  return found.filter((message) => message.opaqueId === opaqueId).sort((a, b) => Number(a.ts) - Number(b.ts))[0];
}

async function lookFor(deps: WorkDeps, { claimed, part, rootTs }: Doubtful): Promise<readonly FoundMessage[] | Unread> {
  // What was posted without its mark cannot be found.
  if (isMetadataError(part.error)) return { kind: 'unreadable', error: part.error ?? 'unmarked' };
  const { to } = formOf(part, part.error, channelOf(claimed), rootTs);
  return deps.posting.find(to, doubtfulRange(part, deps.timing));
}

function laterRead({ quietMs }: DigestTiming, { error, retryAfterMs }: Unread): PartResult {
  return { kind: 'later', afterMs: retryAfterMs ?? quietMs, error: `history_${error}` };
}

/** A Slack that confirms nothing for the second time is left alone for longer each time: it may be unwell for half an hour. */
async function afterAbsence(
  deps: WorkDeps,
  { claimed, part }: Doubtful,
  sinceMs: number,
): Promise<PartResult | Absent> {
  const { timing, limits } = deps;
  const error = part.error ?? 'not_found';
  if (part.attempts >= limits.attemptsMax) return giveUp(claimed, part, 'dead', error);
  const restMs = (timing.sendDeadlineMs + timing.quietMs) * 3 ** (part.attempts - 1) - sinceMs;
  return restMs > 0 ? { kind: 'later', afterMs: restMs, error } : wait(deps, claimed, { ...part, error });
}

/** Where the history cannot be read for good, or was not for hours, the subscription has said what it prefers: perhaps none, or perhaps two. */
async function keepOrRepeat(deps: WorkDeps, { claimed, part }: Doubtful, error: string): Promise<PartResult | Absent> {
  const isRepeat = claimed.subscription.onUncertain === 'repeat' && part.error !== repeatedWord;
  return isRepeat ? wait(deps, claimed, { ...part, error: repeatedWord }) : giveUp(claimed, part, 'uncertain', error);
}

async function wait({ at }: WorkDeps, { hold }: ClaimedSlot, part: Part): Promise<PartResult | Absent> {
  if (!(await hold.settle(part.name, { kind: 'waiting', error: part.error ?? 'not_found' }))) return passed;
  at('after reconcile');
  return { kind: 'absent', part };
}

async function giveUp(
  { hold }: ClaimedSlot,
  { name }: Part,
  state: 'dead' | 'uncertain',
  error: string,
): Promise<PartResult> {
  return (await hold.settle(name, { kind: state, error })) ? { kind: 'given_up', state, error } : passed;
}
