/** Removes duplicates: after more than one attempt a message may have been posted twice, and all but one are deleted. */

import type { DuplicateCheck, OutboxMessage } from '../store/outbox/delivery.ts';
import type { Outbox } from '../store/repositories/outbox.ts';
import type { FoundMessage, OutboxPosting, PostTarget } from './ports.ts';
import { oldestOf, unconfirmedRange } from './reconcile.ts';
import type { DeliveryDeps } from './results.ts';

export type DuplicateCleanupDeps = Pick<DeliveryDeps, 'timing' | 'uptime' | 'log' | 'failpoint' | 'stopping'> & {
  readonly outbox: Pick<Outbox, 'now' | 'claimDuplicateChecks' | 'recordDuplicateCheck'>;
  readonly posting: Pick<OutboxPosting, 'find' | 'remove'>;
};

/** A check that still fails after this time is given up. */
const giveUpAfterMs = 60 * 60_000;

export type DuplicateCleanup = {
  /** Starts the due duplicate checks, unless the last round ended a moment ago. */
  readonly begin: () => void;
  /** Waits for the running round; never rejects. */
  readonly stopped: () => Promise<void>;
};

export function createDuplicateCleanup(deps: DuplicateCleanupDeps): DuplicateCleanup {
  let running: Promise<void> | undefined;
  let checkedAt = Number.NEGATIVE_INFINITY;
  return {
    begin: () => {
      if (running || deps.uptime() - checkedAt < deps.timing.wakeMsMax) return;
      running = checkDuplicates(deps)
        .catch((err: unknown) =>
          deps.log.warn({ err }, 'the duplicate check of messages failed and is tried again later'),
        )
        .finally(() => {
          running = undefined;
          checkedAt = deps.uptime();
        });
    },
    stopped: async () => running,
  };
}

async function checkDuplicates(deps: DuplicateCleanupDeps): Promise<void> {
  // One at a time, so that its claim does not end before its check.
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
  const targets = rootTs === null || rootTs === message.ts ? [channel] : [channel, { ...channel, threadTs: rootTs }];
  const range = unconfirmedRange(message, deps.timing);
  const histories = await Promise.all(
    targets.map((target) => deps.posting.find(target, range, deps.timing.historyWaitMsMax)),
  );
  const isRead = histories.every((found) => !('kind' in found && found.kind === 'later'));
  const found = histories.flatMap((one) => ('kind' in one ? [] : one));
  const isClean = await removeExtra(deps, channel, message, found);
  const isOld = (await deps.outbox.now()) - (message.lastIntentAt ?? 0) > giveUpAfterMs;
  // A check that is not recorded can be claimed again after a minute.
  if (!(isRead && isClean) && !isOld) return;
  await deps.outbox.recordDuplicateCheck(key, message.name, checksDone);
  deps.failpoint('after duplicate check');
}

/** Keeps one copy, in the channel or in the thread. @returns false if a copy could not be deleted */
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
    log.warn({ ...channel, messageName: message.name, gone }, 'a message of a digest was posted more than once');
  failpoint('after delete');
  return gone.every(Boolean);
}
