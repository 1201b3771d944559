/** Removes duplicates: after more than one attempt a message may have been posted twice, and all but one are deleted. */

import type { DuplicateCheck, OutboxMessage } from '../store/outbox/occurrence.ts';
import type { Outbox } from '../store/repositories/outbox.ts';
import type { DigestPosting, FoundMessage, PostTarget } from './ports.ts';
import { doubtfulRange, oldestOf } from './reconcile.ts';
import type { DeliveryDeps } from './results.ts';

export type DuplicateCleanupDeps = Pick<DeliveryDeps, 'clock' | 'timing' | 'log' | 'failpoint' | 'stopping'> & {
  readonly outbox: Pick<Outbox, 'now' | 'claimDuplicateChecks' | 'recordDuplicateCheck'>;
  readonly posting: Pick<DigestPosting, 'find' | 'remove'>;
};

/** By then it is known that it cannot be deleted, or not be looked for. */
const giveUpAfterMs = 60 * 60_000;

export type DuplicateCleanup = {
  /** Starts the due duplicate checks, unless the last round ended a moment ago. */
  readonly begin: () => void;
  /** Waits for what is under way; never rejects. */
  readonly stopped: () => Promise<void>;
};

export function createDuplicateCleanup(deps: DuplicateCleanupDeps): DuplicateCleanup {
  let running: Promise<void> | undefined;
  let lookedAt = Number.NEGATIVE_INFINITY;
  return {
    begin: () => {
      if (running || deps.clock() - lookedAt < deps.timing.wakeMsMax) return;
      running = checkDuplicates(deps)
        .catch((err: unknown) => deps.log.warn({ err }, 'messages that stand twice are looked for later'))
        .finally(() => {
          running = undefined;
          lookedAt = deps.clock();
        });
    },
    stopped: async () => running,
  };
}

async function checkDuplicates(deps: DuplicateCleanupDeps): Promise<void> {
  // One by one, so that each is looked for while it is nobody else's.
  while (!deps.stopping.aborted) {
    const [next] = await deps.outbox.claimDuplicateChecks(1);
    if (!next) return;
    await removeDuplicates(deps, next);
  }
}

async function removeDuplicates(
  deps: DuplicateCleanupDeps,
  { key, channelId, rootTs, message, checksDone }: DuplicateCheck,
): Promise<void> {
  deps.failpoint('before duplicate check');
  const channel = { teamId: key.teamId, channelId };
  const places = rootTs === null || rootTs === message.ts ? [channel] : [channel, { ...channel, threadTs: rootTs }];
  const seen = await Promise.all(places.map((place) => deps.posting.find(place, doubtfulRange(message, deps.timing))));
  const isRead = seen.every((found) => !('kind' in found && found.kind === 'later'));
  const found = seen.flatMap((one) => ('kind' in one ? [] : one));
  const isClean = await removeExtra(deps, channel, message, found);
  const isOld = (await deps.outbox.now()) - (message.lastIntentAt ?? 0) > giveUpAfterMs;
  // The outbox hands it out again after a minute.
  if (!(isRead && isClean) && !isOld) return;
  await deps.outbox.recordDuplicateCheck(key, message.name, checksDone);
  deps.failpoint('after duplicate check');
}

/** Wherever they stand, in the channel or below it, one stays. @returns false where it is worth another look */
async function removeExtra(
  { posting, log, failpoint }: DuplicateCleanupDeps,
  channel: PostTarget,
  message: OutboxMessage,
  found: readonly FoundMessage[],
): Promise<boolean> {
  const kept = found.find(({ ts }) => ts === message.ts) ?? oldestOf(found, message.opaqueId);
  const extra = found.filter(({ opaqueId, ts }) => opaqueId === message.opaqueId && ts !== kept?.ts);
  const gone = await Promise.all(extra.map(({ ts }) => posting.remove(channel, ts)));
  if (extra.length > 0)
    log.warn({ ...channel, messageName: message.name, gone }, 'a message of a digest stood there twice');
  failpoint('after delete');
  return gone.every(Boolean);
}
