/** After more than one attempt: what came late stands there twice, and of ours we may delete all but one. */
import type { Ledger, Part, SweepablePart } from '../store/ledger.ts';
import type { DigestPosting, PostTarget } from './ports.ts';
import { doubtfulRange, oldestOf } from './reconciling.ts';
import type { WorkDeps } from './work.ts';

export type SweepingDeps = Pick<WorkDeps, 'clock' | 'timing' | 'log' | 'at' | 'stopping'> & {
  readonly ledger: Pick<Ledger, 'now' | 'sweepable' | 'swept'>;
  readonly posting: Pick<DigestPosting, 'find' | 'remove'>;
};

const atOnceMax = 20;
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
  for (const sweepable of await deps.ledger.sweepable(atOnceMax)) {
    if (deps.stopping.aborted) return;
    await sweepPart(deps, sweepable);
  }
}

async function sweepPart(deps: SweepingDeps, { key, channelId, rootTs, part }: SweepablePart): Promise<void> {
  deps.at('before sweep');
  const channel = { teamId: key.teamId, channelId };
  const places = rootTs === null || rootTs === part.ts ? [channel] : [channel, { ...channel, threadTs: rootTs }];
  const isSwept = await Promise.all(places.map((place) => sweepPlace(deps, place, part)));
  const isOld = (await deps.ledger.now()) - (part.lastIntentAt ?? 0) > giveUpAfterMs;
  // The ledger hands it out again after a minute.
  if (!isSwept.every(Boolean) && !isOld) return;
  await deps.ledger.swept(key, part.name);
  deps.at('after sweep');
}

/** @returns false where it is worth another look */
async function sweepPlace({ posting, timing, log, at }: SweepingDeps, place: PostTarget, part: Part): Promise<boolean> {
  const found = await posting.find(place, doubtfulRange(part, timing));
  if ('kind' in found) return found.kind !== 'later';
  const kept = found.find(({ ts }) => ts === part.ts) ?? oldestOf(found, part.opaqueId);
  const extra = found.filter(({ opaqueId, ts }) => opaqueId === part.opaqueId && ts !== kept?.ts);
  const gone = await Promise.all(extra.map(({ ts }) => posting.remove(place, ts)));
  if (extra.length > 0) log.warn({ ...place, part: part.name, gone }, 'a message of a digest stood there twice');
  at('after delete');
  return gone.every(Boolean);
}
