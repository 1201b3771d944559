/** Builds the messages of an occurrence once and stores them before anything is sent. A failed build is reported, never shown as quiet. */
import { once } from 'node:events';
import { AppError } from '../../shared/errors.ts';
import type { ClaimedOccurrence, OutboxMessage } from '../store/outbox/occurrence.ts';
import { type Payload, payloadOf, readPayload } from './payload.ts';
import { isOnRequest } from './plan.ts';
import type { DigestMessages } from './ports.ts';
import { isLastToSay, isSilenced, keyProblemOf, waitsForKey } from './refused-key.ts';
import { type DeliveryDeps, logFieldsOf, type OccurrenceEnd } from './results.ts';
import type { SubscriptionHealth } from './subscription-health.ts';
import type { DigestTiming } from './timing.ts';

/** An occurrence as its messages are made from it. */
export type OccurrenceToBuild = {
  readonly claimed: ClaimedOccurrence;
  /** Epoch milliseconds, by the database's clock. */
  readonly now: number;
  readonly isLate: boolean;
};

export type DigestContent = {
  /** @returns null where nothing failed and nobody wants to hear so @throws AppError where it could not look; the signal's reason */
  readonly build: (occurrence: OccurrenceToBuild, signal: AbortSignal) => Promise<DigestMessages | null>;
  readonly couldNotCheck: (occurrence: OccurrenceToBuild, error: AppError, told: CouldNotCheckTold) => DigestMessages;
};

export type CouldNotCheckTold = {
  /** Epoch milliseconds: from when on nothing is known. */
  readonly since: number;
  /** Whether the next ones are left out until the key works again. */
  readonly isLast: boolean;
};

export type Prepared =
  | { readonly kind: 'ready'; readonly payload: Payload; readonly messages: readonly OutboxMessage[] }
  | { readonly kind: 'end'; readonly end: OccurrenceEnd };

export type PreparingDeps = DeliveryDeps & {
  readonly content: DigestContent;
  readonly health: Pick<SubscriptionHealth, 'pause' | 'resume'>;
};

/** @throws whatever is nobody's fault but ours */
export async function prepareOccurrence(
  deps: PreparingDeps,
  claimed: ClaimedOccurrence,
  now: number,
): Promise<Prepared> {
  if (claimed.payload !== null) return kept(deps, claimed, claimed.payload, now);
  const made = await make(deps, { claimed, now, isLate: isLate(claimed, now, deps.timing) });
  if (made === null) return { kind: 'end', end: { kind: 'finish', state: 'quiet' } };
  if ('kind' in made) return { kind: 'end', end: made };
  const { text, messages, payload } = payloadOf(made);
  if (!(await claimed.lease.savePayload(text, messages, made.checkError)))
    return { kind: 'end', end: { kind: 'passed' } };
  deps.failpoint('after payload');
  return { kind: 'ready', payload, messages: messages.map(waiting) };
}

/** While two versions overlap, what a newer one has made is left to it; but not for ever. */
function kept({ timing, log }: PreparingDeps, claimed: ClaimedOccurrence, text: string, now: number): Prepared {
  const payload = readPayload(text);
  if (payload) return { kind: 'ready', payload, messages: claimed.messages };
  const error = 'form_not_known';
  if (now - claimed.dueAt >= timing.catchUpMs)
    throw new AppError('internal', `A payload that cannot be read: ${error}.`);
  log.warn({ ...logFieldsOf(claimed), error }, 'a digest is left to the version of the bot that has made it');
  return { kind: 'end', end: { kind: 'release', afterMs: timing.rebuildMs, error } };
}

function isLate({ isLate: wasLate, dueAt }: ClaimedOccurrence, now: number, { lateAfterMs }: DigestTiming): boolean {
  return wasLate || now - dueAt > lateAfterMs;
}

async function make(
  deps: PreparingDeps,
  occurrence: OccurrenceToBuild,
): Promise<DigestMessages | OccurrenceEnd | null> {
  const { content, timing, log } = deps;
  deps.failpoint('before build');
  try {
    const made = await inTime(deps, (signal) => content.build(occurrence, signal));
    deps.failpoint('after build');
    if (waitsForKey(occurrence.claimed.subscription)) await deps.health.resume(occurrence.claimed);
    return made;
  } catch (error) {
    if (deps.stopping.aborted) return { kind: 'wait', afterMs: 0 };
    if (!(error instanceof AppError) || error.code === 'internal') throw error;
    const { claimed } = occurrence;
    const trouble = keyProblemOf(error);
    if (trouble && isSilenced(claimed, trouble)) return { kind: 'finish', state: 'missed', error: trouble };
    const isPatient = !isOnRequest(claimed.key.occurrenceId) && triedMs(occurrence, timing) < timing.rebuildForMs;
    log.warn({ ...logFieldsOf(claimed), err: error, isPatient }, 'a digest could not be made');
    if (isPatient) return { kind: 'release', afterMs: timing.rebuildMs, error: error.code };
    const since = error.since ?? claimed.dueAt;
    const isLast = trouble !== undefined && isLastToSay(claimed, trouble, since, timing);
    if (isLast) await deps.health.pause(claimed, trouble);
    return { ...content.couldNotCheck(occurrence, error, { since, isLast }), checkError: trouble ?? error.code };
  }
}

/** From when it was due; of one that was planned late, because the bot was away, from then on. */
function triedMs({ claimed, now }: OccurrenceToBuild, { rebuildMs }: DigestTiming): number {
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

function waiting(message: Pick<OutboxMessage, 'name' | 'opaqueId'>): OutboxMessage {
  return { ...message, state: 'waiting', attempts: 0, firstIntentAt: null, lastIntentAt: null, ts: null, error: null };
}
