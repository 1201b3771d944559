/** Making what a slot posts, once: it is kept before anything is sent. A failure is told as one, and never as quiet. */
import { once } from 'node:events';
import { AppError } from '../../shared/errors.ts';
import type { ClaimedSlot, Part } from '../store/outbox/slot.ts';
import { type Payload, payloadOf, readPayload } from './payload.ts';
import { isAskedFor } from './planning.ts';
import type { DigestMessages } from './ports.ts';
import { isLastToSay, isSilenced, keyTroubleOf, waitsForKey } from './refused-key.ts';
import type { DigestTiming } from './timing.ts';
import type { Troubles } from './troubles.ts';
import { type SlotEnd, slotFields, type WorkDeps } from './work.ts';

/** A slot as its messages are made from it. */
export type SlotToBuild = {
  readonly claimed: ClaimedSlot;
  /** Epoch milliseconds, by the database's clock. */
  readonly now: number;
  readonly isLate: boolean;
};

export type DigestContent = {
  /** @returns null where nothing failed and nobody wants to hear so @throws AppError where it could not look; the signal's reason */
  readonly build: (slot: SlotToBuild, signal: AbortSignal) => Promise<DigestMessages | null>;
  readonly couldNotCheck: (slot: SlotToBuild, error: AppError, told: CouldNotCheckTold) => DigestMessages;
};

export type CouldNotCheckTold = {
  /** Epoch milliseconds: from when on nothing is known. */
  readonly since: number;
  /** Whether the next ones are left out until the key works again. */
  readonly isLast: boolean;
};

export type Prepared =
  | { readonly kind: 'ready'; readonly payload: Payload; readonly parts: readonly Part[] }
  | { readonly kind: 'end'; readonly end: SlotEnd };

export type PreparingDeps = WorkDeps & {
  readonly content: DigestContent;
  readonly troubles: Pick<Troubles, 'pause' | 'resume'>;
};

/** @throws whatever is nobody's fault but ours */
export async function prepareSlot(deps: PreparingDeps, claimed: ClaimedSlot, now: number): Promise<Prepared> {
  if (claimed.payload !== null) return kept(deps, claimed, claimed.payload, now);
  const made = await make(deps, { claimed, now, isLate: isLate(claimed, now, deps.timing) });
  if (made === null) return { kind: 'end', end: { kind: 'finish', state: 'quiet' } };
  if ('kind' in made) return { kind: 'end', end: made };
  const { text, parts, payload } = payloadOf(made);
  if (!(await claimed.hold.savePayload(text, parts, made.couldNotLook)))
    return { kind: 'end', end: { kind: 'passed' } };
  deps.at('after payload');
  return { kind: 'ready', payload, parts: parts.map(waiting) };
}

/** While two versions overlap, what a newer one has made is left to it; but not for ever. */
function kept({ timing, log }: PreparingDeps, claimed: ClaimedSlot, text: string, now: number): Prepared {
  const payload = readPayload(text);
  if (payload) return { kind: 'ready', payload, parts: claimed.parts };
  const error = 'form_not_known';
  if (now - claimed.dueAt >= timing.catchUpMs)
    throw new AppError('internal', `A payload that cannot be read: ${error}.`);
  log.warn({ ...slotFields(claimed), error }, 'a digest is left to the version of the bot that has made it');
  return { kind: 'end', end: { kind: 'release', afterMs: timing.rebuildMs, error } };
}

function isLate({ isLate: wasLate, dueAt }: ClaimedSlot, now: number, { lateAfterMs }: DigestTiming): boolean {
  return wasLate || now - dueAt > lateAfterMs;
}

async function make(deps: PreparingDeps, slot: SlotToBuild): Promise<DigestMessages | SlotEnd | null> {
  const { content, timing, log } = deps;
  deps.at('before build');
  try {
    const made = await inTime(deps, (signal) => content.build(slot, signal));
    deps.at('after build');
    if (waitsForKey(slot.claimed.subscription)) await deps.troubles.resume(slot.claimed);
    return made;
  } catch (error) {
    if (deps.stopping.aborted) return { kind: 'wait', afterMs: 0 };
    if (!(error instanceof AppError) || error.code === 'internal') throw error;
    const { claimed } = slot;
    const trouble = keyTroubleOf(error);
    if (trouble && isSilenced(claimed, trouble)) return { kind: 'finish', state: 'missed', error: trouble };
    const isPatient = !isAskedFor(claimed.key.slot) && triedMs(slot, timing) < timing.rebuildForMs;
    log.warn({ ...slotFields(claimed), err: error, isPatient }, 'a digest could not be made');
    if (isPatient) return { kind: 'release', afterMs: timing.rebuildMs, error: error.code };
    const since = error.since ?? claimed.dueAt;
    const isLast = trouble !== undefined && isLastToSay(claimed, trouble, since, timing);
    if (isLast) await deps.troubles.pause(claimed, trouble);
    return { ...content.couldNotCheck(slot, error, { since, isLast }), couldNotLook: trouble ?? error.code };
  }
}

/** From when it was due; of one that was planned late, because the bot was away, from then on. */
function triedMs({ claimed, now }: SlotToBuild, { rebuildMs }: DigestTiming): number {
  return claimed.isLate ? claimed.attempts * rebuildMs : now - claimed.dueAt;
}

/** A question that never ends keeps no place for ever, and no bot from stopping. */
async function inTime<Made>(
  { timing, stopping }: PreparingDeps,
  make: (signal: AbortSignal) => Promise<Made>,
): Promise<Made> {
  stopping.throwIfAborted();
  const ending = new AbortController();
  // Both let go when it is made: a signal that ends later would keep every digest in memory until then.
  const stop = () => ending.abort(stopping.reason);
  const timer = setTimeout(() => ending.abort(tooLong()), timing.buildMsMax);
  stopping.addEventListener('abort', stop);
  try {
    const ended = once(ending.signal, 'abort').then(() => Promise.reject(ending.signal.reason));
    return await Promise.race([make(ending.signal), ended]);
  } catch (error) {
    throw ending.signal.aborted ? ending.signal.reason : error;
  } finally {
    clearTimeout(timer);
    stopping.removeEventListener('abort', stop);
  }
}

function tooLong(): AppError {
  return new AppError('unavailable', 'Reading all failures took too long.', { isRetryable: true });
}

function waiting(part: Pick<Part, 'name' | 'opaqueId'>): Part {
  return { ...part, state: 'waiting', attempts: 0, firstIntentAt: null, lastIntentAt: null, ts: null, error: null };
}
