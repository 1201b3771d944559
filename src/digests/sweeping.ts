/** After more than one attempt: what came late stands there twice, and of ours we may delete all but one. */
import type { Ledger, SweepablePart } from '../store/ledger.ts';
import type { DigestPosting, PostTarget } from './ports.ts';
import { doubtfulRange, oldestOf } from './reconciling.ts';
import type { WorkDeps } from './work.ts';

export type SweepingDeps = Pick<WorkDeps, 'clock' | 'timing' | 'log' | 'at' | 'stopping'> & {
  readonly ledger: Pick<Ledger, 'sweepable' | 'swept'>;
  readonly posting: Pick<DigestPosting, 'find' | 'remove'>;
};

const atOnceMax = 20;
const triesMax = 3;

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
  const { ledger, posting, timing, log, at } = deps;
  const channel = { teamId: key.teamId, channelId };
  at('before sweep');
  const places = rootTs === null || rootTs === part.ts ? [channel] : [channel, { ...channel, threadTs: rootTs }];
  for (const place of places) {
    const found = await posting.find(place, doubtfulRange(part, timing));
    if ('kind' in found && found.kind === 'later') return;
    if ('kind' in found) continue;
    const kept = found.find(({ ts }) => ts === part.ts) ?? oldestOf(found, part.opaqueId);
    const extra = found.filter(({ opaqueId, ts }) => opaqueId === part.opaqueId && ts !== kept?.ts);
    for (const { ts } of extra) {
      const isGone = await remove(posting, place, ts);
      at('after delete');
      log.warn({ ...key, part: part.name, isGone }, 'a message of a digest stood there twice');
    }
  }
  await ledger.swept(key, part.name);
  at('after sweep');
}

async function remove(posting: Pick<DigestPosting, 'remove'>, place: PostTarget, ts: string): Promise<boolean> {
  for (let tries = 1; tries <= triesMax; tries += 1) if (await posting.remove(place, ts)) return true;
  return false;
}
