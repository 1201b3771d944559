/** Delivers one claimed occurrence: builds its messages, posts the root, then each reply. */
import { AppError } from '../../shared/errors.ts';
import { pausedByPerson } from '../domain/subscription.ts';
import { type ClaimedOccurrence, type OutboxMessage, rootName } from '../store/outbox/delivery.ts';
import { botWasAway, isOnRequest } from './plan.ts';
import { type DigestServices, prepareOccurrence } from './prepare.ts';
import { extendLease, logFieldsOf, lostLease, type OccurrenceEnd, type SendResult } from './results.ts';
import { MessageSender, type Sending } from './send.ts';

/** An occurrence past its catch-up time is not posted. The next digest reports it as missed. */
const tooLate = 'too_late';

/** A bug in the bot itself. */
const fault = 'internal';

export class OccurrenceDelivery {
  readonly #services: DigestServices;
  readonly #claimed: ClaimedOccurrence;
  readonly #sender: MessageSender;
  readonly #isTooLate: boolean;
  readonly #results: SendResult[] = [];
  #rootTs: string | null = null;

  constructor(services: DigestServices, claimed: ClaimedOccurrence) {
    this.#services = services;
    this.#claimed = claimed;
    this.#sender = new MessageSender(services, claimed);
    this.#isTooLate = claimed.claimedAt - claimed.dueAt >= services.timing.catchUpMs;
  }

  /**
   * Never rejects. Unfinished work stays in the outbox, and can be claimed again when the lease ends.
   * @param onPrepared called once its messages are built, or none are needed
   */
  async run(onPrepared: () => void): Promise<void> {
    const stopExtending = extendLease(this.#services, this.#claimed);
    try {
      const end = await this.#work(onPrepared).catch((error: unknown) => this.#endOfFault(error));
      await this.#conclude(end);
    } catch (err) {
      this.#services.log.warn(
        { ...logFieldsOf(this.#claimed), err },
        'could not record the result of a digest: the bot’s database does not answer; the digest is taken up again when its lease ends',
      );
    } finally {
      stopExtending();
    }
  }

  async #work(onPrepared: () => void): Promise<OccurrenceEnd> {
    const { claimedAt, messages, error } = this.#claimed;
    if (this.#isTooLate && messages.every(({ state }) => state === 'waiting')) {
      return { kind: 'finish', state: 'missed', error: error ?? botWasAway };
    }
    const prepared = await prepareOccurrence(this.#services, this.#claimed, claimedAt);
    onPrepared();
    if (prepared.kind === 'end') return prepared.end;
    for (const message of prepared.messages) {
      const content = prepared.payload.get(message.name);
      if (!content) throw new AppError('internal', `The payload has no message ${message.name}.`);
      const result = await this.#deliver({ message, content, rootTs: this.#rootTs, mayLeaveThread: true });
      this.#results.push(result);
      if (message.name === rootName && result.kind === 'sent') this.#rootTs = result.ts;
      const end = endOf(message, result, this.#isTooLate);
      if (end) return end;
    }
    return { kind: 'finish', state: 'posted' };
  }

  async #deliver(sending: Sending): Promise<SendResult> {
    const { state, ts, error } = sending.message;
    switch (state) {
      case 'waiting':
        return this.#sendWanted(sending);
      case 'intent':
      case 'unknown': {
        const outcome = await this.#sender.reconcile(sending);
        return outcome.kind === 'absent' ? this.#sendWanted({ ...sending, message: outcome.message }) : outcome;
      }
      case 'sent':
        return ts === null ? lostLease : { kind: 'sent', ts };
      case 'dead':
      case 'uncertain':
        return { kind: 'given_up', state, error: error ?? state };
    }
  }

  /** Sends a message that Slack does not show. */
  async #sendWanted(sending: Sending): Promise<SendResult> {
    const unwanted = this.#isTooLate ? tooLate : unwantedOf(this.#claimed);
    return unwanted !== undefined && sending.message.name === rootName
      ? { kind: 'given_up', state: 'dead', error: unwanted }
      : this.#sender.send(sending);
  }

  /** An occurrence that fails with an internal error on its last attempts is given up, so that it does not block others. */
  #endOfFault(error: unknown): OccurrenceEnd {
    if (error instanceof AppError && error.code === 'unavailable') throw error;
    const { limits, timing, log } = this.#services;
    const isLast = this.#claimed.attempts + 1 >= limits.attemptsMax && this.#claimed.error === fault;
    log.error({ ...logFieldsOf(this.#claimed), err: error, isLast }, 'a digest could not be delivered');
    if (isLast) return { kind: 'finish', state: 'dead', error: fault };
    return { kind: 'release', afterMs: timing.rebuildMs, error: fault };
  }

  async #conclude(end: OccurrenceEnd): Promise<void> {
    const { log, health, failpoint, onEnd } = this.#services;
    const { lease } = this.#claimed;
    switch (end.kind) {
      case 'passed':
        log.info(logFieldsOf(this.#claimed), 'a digest has passed to another process');
        return;
      case 'wait':
        await lease.defer(Math.ceil(end.afterMs));
        failpoint('after release');
        return;
      case 'release':
        await health.reportDelay(this.#claimed, end.error);
        await lease.release(Math.max(0, Math.ceil(end.afterMs)), end.error);
        failpoint('after release');
        return;
      case 'finish': {
        // First, because a finished occurrence is never claimed again.
        const isNotified = await health.recordEnd(this.#claimed, this.#results, end);
        // If the owner was not reached, the next digest reports this one as missed.
        const state = end.state === 'dead' && !isNotified ? 'missed' : end.state;
        failpoint('before finish');
        if (!(await lease.finish(state, end.error))) return;
        failpoint('after finish');
        onEnd(this.#claimed, { ...end, state }, this.#rootTs);
      }
    }
  }
}

/** @returns why the digest is no longer wanted; undefined while it is */
function unwantedOf({ key, subscription: { nextDue, pause } }: ClaimedOccurrence): 'removed' | 'paused' | undefined {
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
