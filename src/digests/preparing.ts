/** Making what a slot posts, once: it is kept before anything is sent. A failure is told as one, and never as quiet. */
import { setTimeout } from 'node:timers/promises';
import { AppError } from '../core/errors.ts';
import type { ClaimedSlot, Part } from '../store/ledger.ts';
import { type Payload, payloadOf, readPayload } from './payload.ts';
import type { DigestMessages } from './ports.ts';
import type { DigestTiming } from './timing.ts';
import { type SlotEnd, slotFields, type WorkDeps } from './work.ts';

/** A slot as its messages are made from it. */
export type SlotToBuild = {
  readonly claimed: ClaimedSlot;
  /** Epoch milliseconds, by the database's clock. */
  readonly now: number;
  readonly isLate: boolean;
};

export type DigestContent = {
  /** @returns null where nothing failed and nobody wants to hear so @throws AppError where it could not look */
  readonly build: (slot: SlotToBuild) => Promise<DigestMessages | null>;
  /** @param since epoch milliseconds: from when on nothing is known */
  readonly couldNotCheck: (slot: SlotToBuild, error: AppError, since: number) => DigestMessages;
};

export type Prepared =
  | { readonly kind: 'ready'; readonly payload: Payload; readonly parts: readonly Part[] }
  | { readonly kind: 'end'; readonly end: SlotEnd };

export type PreparingDeps = WorkDeps & { readonly content: DigestContent };

/** @throws whatever is nobody's fault but ours */
export async function prepareSlot(deps: PreparingDeps, claimed: ClaimedSlot, now: number): Promise<Prepared> {
  if (claimed.payload !== null) {
    return { kind: 'ready', payload: readPayload(claimed.payload), parts: claimed.parts };
  }
  const made = await make(deps, { claimed, now, isLate: isLate(claimed, now, deps.timing) });
  if (made === null) return { kind: 'end', end: { kind: 'finish', state: 'quiet' } };
  if ('kind' in made) return { kind: 'end', end: made };
  const { text, parts } = payloadOf(made);
  if (!(await claimed.hold.savePayload(text, parts))) return { kind: 'end', end: { kind: 'passed' } };
  deps.at('after payload');
  return { kind: 'ready', payload: readPayload(text), parts: parts.map(waiting) };
}

function isLate({ isLate: wasLate, dueAt }: ClaimedSlot, now: number, { lateAfterMs }: DigestTiming): boolean {
  return wasLate || now - dueAt > lateAfterMs;
}

async function make(deps: PreparingDeps, slot: SlotToBuild): Promise<DigestMessages | SlotEnd | null> {
  const { content, timing, log } = deps;
  deps.at('before build');
  try {
    const made = await within(timing.buildMsMax, deps.stopping, content.build(slot));
    deps.at('after build');
    return made;
  } catch (error) {
    if (deps.stopping.aborted) return { kind: 'release', afterMs: 0, error: 'stopping' };
    if (!(error instanceof AppError) || error.code === 'internal') throw error;
    const { claimed, now } = slot;
    const isPatient = isScheduled(claimed) && now - claimed.dueAt < timing.rebuildForMs;
    log.warn({ ...slotFields(claimed), err: error, isPatient }, 'a digest could not be made');
    if (isPatient) return { kind: 'release', afterMs: timing.rebuildMs, error: error.code };
    return content.couldNotCheck(slot, error, error.since ?? claimed.dueAt);
  }
}

/** Whoever asks for one now is waiting for it. */
function isScheduled({ key }: ClaimedSlot): boolean {
  return /^\d{4}-\d\d-\d\dT\d\d:\d\d$/.test(key.slot);
}

/** A question that never ends keeps no place for ever. */
async function within<Made>(ms: number, stopping: AbortSignal, made: Promise<Made>): Promise<Made> {
  const patience = new AbortController();
  const signal = AbortSignal.any([patience.signal, stopping]);
  const ended = setTimeout(ms, undefined, { signal }).then(
    () =>
      Promise.reject(new AppError('unavailable', 'The query service did not answer in time.', { isRetryable: true })),
    () => Promise.reject(new AppError('unavailable', 'The bot is stopping.')),
  );
  try {
    return await Promise.race([made, ended]);
  } finally {
    patience.abort();
    ended.catch(() => undefined);
  }
}

function waiting(part: Pick<Part, 'name' | 'opaqueId'>): Part {
  return { ...part, state: 'waiting', attempts: 0, firstIntentAt: null, lastIntentAt: null, ts: null, error: null };
}
