/** Subscription health: pauses a subscription whose channel takes no digest, notifies its owner at most once a day, and resumes it. */

import type { Logger } from '../../shared/log/logger.ts';
import { pausedByPerson } from '../domain/subscription.ts';
import type { ClaimedOccurrence } from '../store/outbox/occurrence.ts';
import type { Outbox } from '../store/repositories/outbox.ts';
import type { Subscriptions } from '../store/repositories/subscriptions.ts';
import { type DigestProblem, digestProblemMessage } from '../views/notices/digest-notices.ts';
import type { DigestPosting } from './ports.ts';
import { type KeyProblem, notConnected, waitsForKey } from './refused-key.ts';
import { type FinishedEnd, logFieldsOf, type SendResult } from './results.ts';
import type { DigestTiming } from './timing.ts';

export type SubscriptionHealthDeps = {
  readonly subscriptions: Pick<Subscriptions, 'pause' | 'endPause' | 'recordNotification'>;
  readonly outbox: Pick<Outbox, 'now'>;
  readonly posting: Pick<DigestPosting, 'notifyUser'>;
  readonly timing: Pick<DigestTiming, 'notifyEveryMs' | 'lateAfterMs'>;
  readonly log: Logger;
};

export type SubscriptionHealth = {
  /** What an occurrence's end says of its subscription. @returns false where its owner was to be told so, and was not reached */
  readonly recordEnd: (
    claimed: ClaimedOccurrence,
    results: readonly SendResult[],
    end: FinishedEnd,
  ) => Promise<boolean>;
  /** A digest is tried again later. Its owner hears of it where that waits for somebody, or has waited for a while. */
  readonly reportDelay: (claimed: ClaimedOccurrence, error: string) => Promise<void>;
  /** Until there is a key that works. Of one that is refused whoever gave it hears already; of none the owner does. */
  readonly pause: (claimed: ClaimedOccurrence, trouble: KeyProblem) => Promise<void>;
  /** A pause that somebody wanted stays, and so does one that began meanwhile. */
  readonly resume: (claimed: ClaimedOccurrence) => Promise<void>;
};

export function createSubscriptionHealth(deps: SubscriptionHealthDeps): SubscriptionHealth {
  return {
    recordEnd: async (claimed, results, end) => {
      const refused = results.find(({ kind }) => kind === 'refused');
      const isPaused = refused?.kind === 'refused' && (await pause(deps, claimed, refused.error));
      if (!refused && isAcquired(claimed, results)) await resume(deps, claimed);
      const trouble = troubleOf(results, end);
      return trouble === undefined || tellOwner(deps, claimed, trouble, isPaused);
    },
    reportDelay: async (claimed, error) => {
      const tellAfterMs =
        error === 'sharing_needs_scopes' ? 0 : error === 'sharing_unknown' ? deps.timing.lateAfterMs : null;
      if (tellAfterMs === null || (await deps.outbox.now()) - claimed.dueAt < tellAfterMs) return;
      await tellOwner(deps, claimed, { kind: 'delayed', error }, false);
    },
    pause: async (claimed, error) => {
      await pause(deps, claimed, error);
      // That it waits is said once, as it begins.
      if (error === notConnected) await tellOwner(deps, claimed, { kind: 'waiting', error }, true);
    },
    resume: (...which) => resume(deps, ...which),
  };
}

/** A post that says that there is no key is a post, too: what it ends is the trouble with the channel. */
function isAcquired({ subscription }: ClaimedOccurrence, results: readonly SendResult[]): boolean {
  return results.some(({ kind }) => kind === 'sent') && !waitsForKey(subscription);
}

/** The first that counts. */
function troubleOf(
  results: readonly SendResult[],
  end: FinishedEnd,
): Pick<DigestProblem, 'kind' | 'error'> | undefined {
  for (const result of results) {
    if (result.kind === 'refused') return { kind: 'refused', error: result.error };
    if (result.kind === 'given_up' && result.state === 'uncertain') return { kind: 'uncertain', error: result.error };
  }
  return end.state === 'dead' ? { kind: 'given_up', error: end.error ?? 'unknown' } : undefined;
}

/** @returns whether it was not paused before */
async function pause(
  { subscriptions, outbox, log }: SubscriptionHealthDeps,
  claimed: ClaimedOccurrence,
  reason: string,
): Promise<boolean> {
  const { teamId, id, channelId } = claimed.subscription;
  const isNew = await subscriptions.pause(teamId, id, { reason, at: await outbox.now(), by: null }, channelId);
  if (isNew)
    log.warn({ ...logFieldsOf(claimed), reason }, 'a subscription is paused until its digest can be posted again');
  return isNew;
}

async function resume({ subscriptions, log }: SubscriptionHealthDeps, claimed: ClaimedOccurrence): Promise<void> {
  const { teamId, id, pause: paused } = claimed.subscription;
  if (paused === null || paused.reason === pausedByPerson) return;
  const isNew = await subscriptions.endPause(teamId, id, paused.reason);
  if (isNew) log.info(logFieldsOf(claimed), 'a subscription goes on');
}

/** @param isBeginning whether it is paused from now on, of which its owner hears whatever was told today @returns whether the owner knows */
async function tellOwner(
  deps: SubscriptionHealthDeps,
  claimed: ClaimedOccurrence,
  trouble: Pick<DigestProblem, 'kind' | 'error'>,
  isBeginning: boolean,
): Promise<boolean> {
  const { teamId, id, createdBy, channelId, notifiedAt, pause: before } = claimed.subscription;
  const now = await deps.outbox.now();
  const isOther = before !== null && before.reason !== trouble.error;
  const isNews = isBeginning || (trouble.kind === 'refused' && isOther);
  // That it is paused the owner knows by then; of a digest that was given up nobody has told.
  if (!isNews && notifiedAt !== null && now - notifiedAt < deps.timing.notifyEveryMs)
    return trouble.kind !== 'given_up';
  const { dueAt } = claimed;
  const told = digestProblemMessage({ ...trouble, subscriptionId: id, channelId, dueAt });
  const isTold = await deps.posting.notifyUser({ teamId, userId: createdBy }, told);
  if (isTold) await deps.subscriptions.recordNotification(teamId, id, now);
  deps.log.warn({ ...logFieldsOf(claimed), ...trouble, isTold }, 'a digest is in trouble');
  return isTold;
}
