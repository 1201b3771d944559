/** Delivers one claimed occurrence: builds its messages, posts the root, then each reply. */
import { AppError } from '../../shared/errors.ts';
import { pausedByPerson } from '../domain/subscription.ts';
import { type ClaimedOccurrence, type OutboxMessage, rootName } from '../store/outbox/delivery.ts';
import { botWasAway, isOnRequest } from './plan.ts';
import { type DigestServices, prepareOccurrence } from './prepare.ts';
import { reconcileMessage, type UnconfirmedMessage } from './reconcile.ts';
import { extendLease, logFieldsOf, lostLease, type OccurrenceEnd, type SendResult } from './results.ts';
import { sendMessage } from './send.ts';

/** An occurrence past its catch-up time is not posted. The next digest reports it as missed. */
const tooLate = 'too_late';

/** A message of a digest. */
type DigestMessage = UnconfirmedMessage & { readonly claimed: ClaimedOccurrence };

type Unwanted = 'removed' | 'paused';

/** A bug in the bot itself. */
const fault = 'internal';

/** Results of the messages so far. */
type Progress = { rootTs: string | null; readonly results: SendResult[] };

/**
 * Never rejects. Unfinished work stays in the outbox, and can be claimed again when the lease ends.
 * @param onPrepared called once its messages are built, or none are needed
 */
export async function deliverOccurrence(
  services: DigestServices,
  claimed: ClaimedOccurrence,
  onPrepared: () => void,
): Promise<void> {
  const stopExtending = extendLease(services, claimed);
  const progress: Progress = { rootTs: null, results: [] };
  try {
    const end = await workOn(services, claimed, progress, onPrepared).catch((error: unknown) =>
      endOfFault(services, claimed, error),
    );
    await conclude(services, claimed, end, progress);
  } catch (err) {
    services.log.warn(
      { ...logFieldsOf(claimed), err },
      'could not record the result of a digest: the bot’s database does not answer; the digest is taken up again when its lease ends',
    );
  } finally {
    stopExtending();
  }
}

async function workOn(
  services: DigestServices,
  claimed: ClaimedOccurrence,
  progress: Progress,
  onPrepared: () => void,
): Promise<OccurrenceEnd> {
  const now = claimed.claimedAt;
  const isTooLate = now - claimed.dueAt >= services.timing.catchUpMs;
  if (isTooLate && claimed.messages.every(({ state }) => state === 'waiting')) {
    return { kind: 'finish', state: 'missed', error: claimed.error ?? botWasAway };
  }
  const prepared = await prepareOccurrence(services, claimed, now);
  onPrepared();
  if (prepared.kind === 'end') return prepared.end;
  for (const message of prepared.messages) {
    const content = prepared.payload.get(message.name);
    if (!content) throw new AppError('internal', `The payload has no message ${message.name}.`);
    const sending = { claimed, message, content, rootTs: progress.rootTs, mayLeaveThread: true };
    const result = await deliverMessage(services, sending, isTooLate);
    progress.results.push(result);
    if (message.name === rootName && result.kind === 'sent') progress.rootTs = result.ts;
    const end = endOf(message, result, isTooLate);
    if (end) return end;
  }
  return { kind: 'finish', state: 'posted' };
}

async function deliverMessage(
  services: DigestServices,
  unconfirmed: DigestMessage,
  isTooLate: boolean,
): Promise<SendResult> {
  const { state, ts, error } = unconfirmed.message;
  switch (state) {
    case 'waiting':
      return sendWanted(services, unconfirmed, isTooLate);
    case 'intent':
    case 'unknown': {
      const outcome = await reconcileMessage(services, unconfirmed);
      return outcome.kind === 'absent'
        ? sendWanted(services, { ...unconfirmed, message: outcome.message }, isTooLate)
        : outcome;
    }
    case 'sent':
      return ts === null ? lostLease : { kind: 'sent', ts };
    case 'dead':
    case 'uncertain':
      return { kind: 'given_up', state, error: error ?? state };
  }
}

/** Sends a message that Slack does not show. */
function sendWanted(
  services: DigestServices,
  sending: DigestMessage,
  isTooLate: boolean,
): Promise<SendResult> | SendResult {
  const unwanted = isTooLate ? tooLate : unwantedOf(sending.claimed);
  if (unwanted !== undefined && sending.message.name === rootName)
    return { kind: 'given_up', state: 'dead', error: unwanted };
  return sendMessage(services, sending);
}

/** @returns why the digest is no longer wanted; undefined while it is */
function unwantedOf({ key, subscription: { nextDue, pause } }: ClaimedOccurrence): Unwanted | undefined {
  if (nextDue !== null) return undefined;
  if (pause?.reason !== pausedByPerson) return 'removed';
  return isOnRequest(key.occurrenceId) ? undefined : 'paused';
}

/** @returns undefined if the next message follows */
function endOf({ name }: OutboxMessage, result: SendResult, isTooLate: boolean): OccurrenceEnd | undefined {
  const isRoot = name === rootName;
  switch (result.kind) {
    case 'sent':
      return undefined;
    case 'given_up':
      if (!isRoot) return undefined;
      if (result.error === tooLate) return { kind: 'finish', state: 'missed', error: tooLate };
      if (result.error === 'removed' || result.error === 'paused')
        return { kind: 'finish', state: 'cancelled', error: result.error };
      return { kind: 'finish', state: result.state === 'dead' ? 'dead' : 'posted', error: result.error };
    case 'refused':
      return { kind: 'finish', state: isRoot ? 'dead' : 'posted', error: result.error };
    case 'later':
      return isTooLate && !isRoot
        ? { kind: 'finish', state: 'posted', error: result.error }
        : { kind: 'release', afterMs: result.afterMs, error: result.error };
    case 'wait':
    case 'passed':
      return result;
  }
}

/** An occurrence that fails with an internal error on its last attempts is given up, so that it does not block others. */
function endOfFault(
  { limits, timing, log }: DigestServices,
  claimed: ClaimedOccurrence,
  error: unknown,
): OccurrenceEnd {
  if (error instanceof AppError && error.code === 'unavailable') throw error;
  const isLast = claimed.attempts + 1 >= limits.attemptsMax && claimed.error === fault;
  log.error({ ...logFieldsOf(claimed), err: error, isLast }, 'a digest could not be delivered');
  if (isLast) return { kind: 'finish', state: 'dead', error: fault };
  return { kind: 'release', afterMs: timing.rebuildMs, error: fault };
}

async function conclude(
  services: DigestServices,
  claimed: ClaimedOccurrence,
  end: OccurrenceEnd,
  { rootTs, results }: Progress,
): Promise<void> {
  switch (end.kind) {
    case 'passed':
      services.log.info(logFieldsOf(claimed), 'a digest has passed to another process');
      return;
    case 'wait':
      await claimed.lease.defer(Math.ceil(end.afterMs));
      services.failpoint('after release');
      return;
    case 'release':
      await services.health.reportDelay(claimed, end.error);
      await claimed.lease.release(Math.max(0, Math.ceil(end.afterMs)), end.error);
      services.failpoint('after release');
      return;
    case 'finish': {
      // First, because a finished occurrence is never claimed again.
      const isNotified = await services.health.recordEnd(claimed, results, end);
      // If the owner was not reached, the next digest reports this one as missed.
      const state = end.state === 'dead' && !isNotified ? 'missed' : end.state;
      services.failpoint('before finish');
      if (!(await claimed.lease.finish(state, end.error))) return;
      services.failpoint('after finish');
      services.onEnd(claimed, { ...end, state }, rootTs);
    }
  }
}
