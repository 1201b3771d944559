/** Subscription health: pauses a subscription whose channel takes no digest, notifies its owner at most once a day, and resumes it. */

import { type KeyProblem, pausedByPerson, waitsForKey } from '../domain/subscription.ts';
import type { ClaimedOccurrence } from '../store/outbox/delivery.ts';
import type { Subscriptions } from '../store/repositories/subscriptions.ts';
import { type DigestProblem, digestProblemMessage } from '../views/notices/digest-notices.ts';
import { type DeliveryServices, type FinishedEnd, logFieldsOf, type SendResult } from './results.ts';

type Problem = Pick<DigestProblem, 'kind' | 'error' | 'isPartlyPosted'>;

export class SubscriptionHealth {
  readonly #services: DeliveryServices;
  readonly #subscriptions: Subscriptions;

  constructor(services: DeliveryServices, subscriptions: Subscriptions) {
    this.#services = services;
    this.#subscriptions = subscriptions;
  }

  /** Pauses or resumes the subscription after an occurrence. @returns false if the owner had to be notified and was not reached */
  async recordEnd(claimed: ClaimedOccurrence, results: readonly SendResult[], end: FinishedEnd): Promise<boolean> {
    const refused = results.find(({ kind }) => kind === 'refused');
    const isPaused = refused?.kind === 'refused' && (await this.#pause(claimed, refused.error));
    const isPosted = !refused && results.some(({ kind }) => kind === 'sent');
    // A post about a missing key proves that the channel takes posts, but does not end the pause for the key.
    if (isPosted && !waitsForKey(claimed.subscription)) await this.resume(claimed);
    const problem = problemOf(results, end);
    return problem === undefined || this.#notifyOwner(claimed, problem, isPaused);
  }

  /** Notifies the owner of a released digest that waits for a person, or has waited for a while. */
  async reportDelay(claimed: ClaimedOccurrence, error: string): Promise<void> {
    const { outbox, timing } = this.#services;
    const notifyAfterMs =
      error === 'sharing_needs_scopes' ? 0 : error === 'sharing_unknown' ? timing.lateAfterMs : null;
    if (notifyAfterMs === null || (await outbox.now()) - claimed.dueAt < notifyAfterMs) return;
    await this.#notifyOwner(claimed, { kind: 'delayed', error }, false);
  }

  /**
   * Pauses until a key works. Notifies the owner once if there is no usable key; of a refused key the bot notifies the person who
   * connected it.
   */
  async pauseForKey(claimed: ClaimedOccurrence, error: KeyProblem): Promise<void> {
    await this.#pause(claimed, error);
    if (error !== 'unauthorized') await this.#notifyOwner(claimed, { kind: 'waiting', error }, true);
  }

  /** Ends the pause that the claim came with. A person's pause stays, and so does one that began meanwhile. */
  async resume(claimed: ClaimedOccurrence): Promise<void> {
    const { teamId, id, pause: paused } = claimed.subscription;
    if (paused === null || paused.reason === pausedByPerson) return;
    const isNew = await this.#subscriptions.endPause(teamId, id, paused.reason);
    if (isNew) this.#services.log.info(logFieldsOf(claimed), 'a digest schedule resumed');
  }

  /** @returns whether it was not paused before */
  async #pause(claimed: ClaimedOccurrence, reason: string): Promise<boolean> {
    const { outbox, log } = this.#services;
    const { teamId, id, channelId } = claimed.subscription;
    const pause = { reason, at: await outbox.now(), by: null };
    const isNew = await this.#subscriptions.pause(teamId, id, pause, channelId);
    if (isNew)
      log.warn({ ...logFieldsOf(claimed), reason }, 'a digest schedule is paused until its digest can be posted again');
    return isNew;
  }

  /** @param isFirst whether the pause begins now: the owner is then notified again on the same day @returns whether the owner knows */
  async #notifyOwner(claimed: ClaimedOccurrence, problem: Problem, isFirst: boolean): Promise<boolean> {
    const { outbox, posting, timing, log } = this.#services;
    const { teamId, id, createdBy, channelId, notifiedAt, pause: before } = claimed.subscription;
    const now = await outbox.now();
    const isOther = before !== null && before.reason !== problem.error;
    const isNews = isFirst || (problem.kind === 'refused' && isOther);
    // The earlier notification covers a pause, but not a digest that was given up.
    if (!isNews && notifiedAt !== null && now - notifiedAt < timing.notifyEveryMs) return problem.kind !== 'given_up';
    const { dueAt } = claimed;
    const message = digestProblemMessage({ ...problem, subscriptionId: id, channelId, dueAt });
    const isNotified = await posting.notifyUser({ teamId, userId: createdBy }, message);
    if (isNotified) await this.#subscriptions.recordNotification(teamId, id, now);
    log.warn({ ...logFieldsOf(claimed), ...problem, isNotified }, 'a digest is missing, late or unconfirmed');
    return isNotified;
  }
}

/** @returns the first problem that the owner must know */
function problemOf(results: readonly SendResult[], end: FinishedEnd): Problem | undefined {
  const isPartlyPosted = results.some(({ kind }) => kind === 'sent');
  for (const result of results) {
    if (result.kind === 'refused') return { kind: 'refused', error: result.error, isPartlyPosted };
    if (result.kind === 'given_up' && result.state === 'uncertain') return { kind: 'uncertain', error: result.error };
  }
  return end.state === 'dead' ? { kind: 'given_up', error: end.error ?? 'unknown' } : undefined;
}
