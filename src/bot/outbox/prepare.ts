/** Builds the messages of an occurrence once and stores them before anything is sent. A failed build is reported, never shown as quiet. */
import { randomUUID } from 'node:crypto';
import { AppError } from '../../shared/errors.ts';
import { unlessAborted } from '../../shared/time/timeout.ts';
import { dueBefore } from '../domain/schedule.ts';
import { type KeyProblem, waitsForKey } from '../domain/subscription.ts';
import { type ClaimedOccurrence, type OutboxMessage, rootName } from '../store/outbox/delivery.ts';
import type { Outbox } from '../store/repositories/outbox.ts';
import type { Message } from '../views/blocks/message.ts';
import { isOnRequest } from './plan.ts';
import type { DigestMessages } from './ports.ts';
import { type DeliveryServices, type FinishedEnd, logFieldsOf, type OccurrenceEnd, waitingMessage } from './results.ts';
import type { SubscriptionHealth } from './subscription-health.ts';
import type { DeliveryTiming } from './timing.ts';

/** Input for building the messages of an occurrence. */
export type OccurrenceToBuild = {
  readonly claimed: ClaimedOccurrence;
  /** Epoch milliseconds, by the database's clock. */
  readonly now: number;
  readonly isLate: boolean;
};

export type DigestContent = {
  /** @returns null if nothing failed and no all-clear is wanted @throws AppError if the check failed; the signal's reason */
  readonly build: (occurrence: OccurrenceToBuild, signal: AbortSignal) => Promise<DigestMessages | null>;
  readonly couldNotCheck: (
    occurrence: OccurrenceToBuild,
    error: AppError,
    details: CouldNotCheckDetails,
  ) => Promise<DigestMessages>;
};

export type CouldNotCheckDetails = {
  /** Epoch milliseconds: nothing is known from then on. */
  readonly since: number;
  /** True if the next digests are left out until the key works again. */
  readonly isLast: boolean;
};

/** Messages by name; the root first. */
type Payload = ReadonlyMap<string, Message>;

export type Prepared =
  | { readonly kind: 'ready'; readonly payload: Payload; readonly messages: readonly OutboxMessage[] }
  | { readonly kind: 'end'; readonly end: OccurrenceEnd };

export type DigestServices = DeliveryServices & {
  readonly outbox: Outbox;
  readonly content: DigestContent;
  readonly health: SubscriptionHealth;
  /** Called when an occurrence is finished; `rootTs` is null if nothing was posted. */
  readonly onEnd: (claimed: ClaimedOccurrence, end: FinishedEnd, rootTs: string | null) => void;
};

/** @throws any error that is a bug in the bot itself */
export async function prepareOccurrence(
  services: DigestServices,
  claimed: ClaimedOccurrence,
  now: number,
): Promise<Prepared> {
  if (claimed.payload !== null) return stored(services, claimed, claimed.payload, now);
  const built = await build(services, { claimed, now, isLate: isLate(claimed, now, services.timing) });
  if (built === null) return { kind: 'end', end: { kind: 'finish', state: 'quiet' } };
  if ('kind' in built) return { kind: 'end', end: built };
  const named = [
    [rootName, built.root],
    ...built.replies.map(({ name, message }) => [name, message] as const),
  ] as const;
  // An opaque id contains no facts, because the whole workspace can read a message's metadata.
  const messages = named.map(([name]) => ({ name, opaqueId: randomUUID() }));
  if (!(await claimed.lease.savePayload(JSON.stringify(named), messages, built.checkError)))
    return { kind: 'end', end: { kind: 'passed' } };
  services.failpoint('after payload');
  return { kind: 'ready', payload: new Map(named), messages: messages.map(waitingMessage) };
}

/** While two versions of the bot overlap, a payload of the newer one is left to it, but only until the catch-up time ends. */
function stored({ timing, log }: DigestServices, claimed: ClaimedOccurrence, text: string, now: number): Prepared {
  const payload = readPayload(text);
  if (payload) return { kind: 'ready', payload, messages: claimed.messages };
  const error = 'payload_of_another_version';
  if (now - claimed.dueAt >= timing.catchUpMs)
    throw new AppError('internal', `The stored payload cannot be read: ${error}.`);
  log.warn(
    { ...logFieldsOf(claimed), error },
    'a digest was built by another version of the bot, which has to post it',
  );
  return { kind: 'end', end: { kind: 'release', afterMs: timing.rebuildMs, error } };
}

/** @returns undefined for a payload in a form that this version does not know */
function readPayload(text: string): Payload | undefined {
  const named: unknown = JSON.parse(text);
  return Array.isArray(named) && named.every(isNamed) ? new Map(named) : undefined;
}

function isNamed(one: unknown): one is readonly [string, Message] {
  if (!Array.isArray(one) || typeof one[0] !== 'string') return false;
  const message: unknown = one[1];
  if (typeof message !== 'object' || message === null) return false;
  return 'text' in message && typeof message.text === 'string' && 'blocks' in message && Array.isArray(message.blocks);
}

function isLate({ isLate: wasLate, dueAt }: ClaimedOccurrence, now: number, { lateAfterMs }: DeliveryTiming): boolean {
  return wasLate || now - dueAt > lateAfterMs;
}

async function build(
  services: DigestServices,
  occurrence: OccurrenceToBuild,
): Promise<DigestMessages | OccurrenceEnd | null> {
  const { content, timing, log } = services;
  services.failpoint('before build');
  try {
    const built = await withDeadline(services, (signal) => content.build(occurrence, signal));
    services.failpoint('after build');
    if (waitsForKey(occurrence.claimed.subscription)) await services.health.resume(occurrence.claimed);
    return built;
  } catch (error) {
    if (services.stopping.aborted) return { kind: 'wait', afterMs: 0 };
    if (!(error instanceof AppError) || error.code === 'internal') throw error;
    const { claimed } = occurrence;
    const problem = keyProblemOf(error);
    const isScheduled = !isOnRequest(claimed.key.occurrenceId);
    // An earlier one was the last report about this key problem.
    if (problem && isScheduled && claimed.subscription.pause?.reason === problem)
      return { kind: 'finish', state: 'missed', error: problem };
    // Since it was due; if it was planned late, because the bot was away, since the first attempt.
    const triedMs = claimed.isLate ? claimed.attempts * timing.rebuildMs : occurrence.now - claimed.dueAt;
    const isRetried = isScheduled && triedMs < timing.rebuildForMs;
    log.warn({ ...logFieldsOf(claimed), err: error, isRetried }, 'a digest could not be made');
    if (isRetried) return { kind: 'release', afterMs: timing.rebuildMs, error: error.code };
    const since = error.since ?? claimed.dueAt;
    const isLast = problem !== undefined && isLastReport(claimed, problem, since, timing);
    if (isLast) await services.health.pauseForKey(claimed, problem);
    const messages = await content.couldNotCheck(occurrence, error, { since, isLast });
    return { ...messages, checkError: problem ?? error.code };
  }
}

/** Ends a build at its deadline and when the bot stops. */
async function withDeadline<Built>(
  { timing, stopping }: DigestServices,
  buildWith: (signal: AbortSignal) => Promise<Built>,
): Promise<Built> {
  stopping.throwIfAborted();
  const ending = new AbortController();
  // Timer and listener are removed afterwards: until then they keep the digest in memory.
  const stop = () => ending.abort(stopping.reason);
  const timer = setTimeout(() => ending.abort(tooLong()), timing.buildMsMax);
  stopping.addEventListener('abort', stop);
  try {
    return await unlessAborted(ending.signal, buildWith(ending.signal));
  } catch (error) {
    throw ending.signal.aborted ? ending.signal.reason : error;
  } finally {
    clearTimeout(timer);
    stopping.removeEventListener('abort', stop);
  }
}

function tooLong(): AppError {
  return new AppError('unavailable', 'Reading all failures took too long.', {
    hint: 'Choose fewer workflows, or set up several digests.',
    isRetryable: true,
  });
}

/** @returns undefined for any other error */
function keyProblemOf({ code, reason }: AppError): KeyProblem | undefined {
  if (code !== 'unauthorized') return undefined;
  return reason === 'not_connected' || reason === 'not_listed' ? reason : code;
}

/**
 * Returns true if this is the last digest about the key problem: the first without a usable key, and the third due time of a refused one.
 * @param since epoch milliseconds: the first refusal of the key, maybe while the first of the three was built
 */
function isLastReport(
  { subscription, key }: ClaimedOccurrence,
  problem: KeyProblem,
  since: number,
  timing: DeliveryTiming,
): boolean {
  if (isOnRequest(key.occurrenceId)) return false;
  if (problem !== 'unauthorized') return true;
  const { schedule } = subscription;
  const first = dueBefore(schedule, dueBefore(schedule, key.occurrenceId).localTime);
  return since < first.at + timing.rebuildForMs;
}
