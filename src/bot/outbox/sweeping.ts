/** After more than one attempt: what came late stands there twice, and of ours we may delete all but one. */

import type { Part, SweepablePart } from '../store/outbox/slot.ts';
import type { Ledger } from '../store/repositories/ledger.ts';
import type { DigestPosting, FoundMessage, PostTarget } from './ports.ts';
import { doubtfulRange, oldestOf } from './reconciling.ts';
import type { WorkDeps } from './work.ts';

export type SweepingDeps = Pick<WorkDeps, 'clock' | 'timing' | 'log' | 'at' | 'stopping'> & {
  readonly ledger: Pick<Ledger, 'now' | 'sweepable' | 'swept'>;
  readonly posting: Pick<DigestPosting, 'find' | 'remove'>;
};

/** By then it is known that it cannot be deleted, or not be looked for. */
const giveUpAfterMs = 60 * 60_000;

export type Sweeping = {
  /** Sweeps what is due to be swept, unless that was looked at a moment ago. */
  readonly begin: () => void;
  /** Waits for what is under way; never rejects. */
  readonly settled: () => Promise<void>;
};

export function createSweeping(deps: SweepingDeps): Sweeping {
  let running: Promise<void> | undefined;
  let lookedAt = Number.NEGATIVE_INFINITY;
  return {
    begin: () => {
      if (running || deps.clock() - lookedAt < deps.timing.wakeMsMax) return;
      running = sweep(deps)
        .catch((err: unknown) => deps.log.warn({ err }, 'messages that stand twice are looked for later'))
        .finally(() => {
          running = undefined;
          lookedAt = deps.clock();
        });
    },
    settled: async () => running,
  };
}

async function sweep(deps: SweepingDeps): Promise<void> {
  // One by one, so that each is looked for while it is nobody else's.
  while (!deps.stopping.aborted) {
    const [next] = await deps.ledger.sweepable(1);
    if (!next) return;
    await sweepPart(deps, next);
  }
}

async function sweepPart(deps: SweepingDeps, { key, channelId, rootTs, part, looks }: SweepablePart): Promise<void> {
  deps.at('before sweep');
  const channel = { teamId: key.teamId, channelId };
  const places = rootTs === null || rootTs === part.ts ? [channel] : [channel, { ...channel, threadTs: rootTs }];
  const seen = await Promise.all(places.map((place) => deps.posting.find(place, doubtfulRange(part, deps.timing))));
  const isRead = seen.every((found) => !('kind' in found && found.kind === 'later'));
  const found = seen.flatMap((one) => ('kind' in one ? [] : one));
  const isClean = await removeExtra(deps, channel, part, found);
  const isOld = (await deps.ledger.now()) - (part.lastIntentAt ?? 0) > giveUpAfterMs;
  // The ledger hands it out again after a minute.
  if (!(isRead && isClean) && !isOld) return;
  await deps.ledger.swept(key, part.name, looks);
  deps.at('after sweep');
}

/** Wherever they stand, in the channel or below it, one stays. @returns false where it is worth another look */
async function removeExtra(
  { posting, log, at }: SweepingDeps,
  channel: PostTarget,
  part: Part,
  found: readonly FoundMessage[],
): Promise<boolean> {
  const kept = found.find(({ ts }) => ts === part.ts) ?? oldestOf(found, part.opaqueId);
  const extra = found.filter(({ opaqueId, ts }) => opaqueId === part.opaqueId && ts !== kept?.ts);
  const gone = await Promise.all(extra.map(({ ts }) => posting.remove(channel, ts)));
  if (extra.length > 0) log.warn({ ...channel, part: part.name, gone }, 'a message of a digest stood there twice');
  at('after delete');
  return gone.every(Boolean);
}
