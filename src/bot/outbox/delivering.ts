/** One slot from its claim to its end: its messages are made, the root goes first, each reply is a delivery of its own. */
import { AppError } from '../../shared/errors.ts';
import { pausedByPerson } from '../domain/subscription.ts';
import type { ClaimedSlot, Part } from '../store/outbox/slot.ts';
import { rootName } from './payload.ts';
import { away, isAskedFor } from './planning.ts';
import { type PreparingDeps, prepareSlot } from './preparing.ts';
import { type Doubtful, reconcilePart } from './reconciling.ts';
import { sendPart } from './sending.ts';
import type { Troubles } from './troubles.ts';
import { type FinishedEnd, type PartResult, passed, type SlotEnd, slotFields } from './work.ts';

export type DeliveringDeps = PreparingDeps & {
  readonly troubles: Troubles;
  /** Its messages are made, or there are none. */
  readonly onPrepared: (claimed: ClaimedSlot) => void;
  /** How a slot ended for good. */
  readonly onEnd: (claimed: ClaimedSlot, end: FinishedEnd, rootTs: string | null) => void;
};

/** A digest of the morning is no use in the evening: the next one tells that it was missed. */
const tooLate = 'too_late';

type Unwanted = 'removed' | 'paused';

/** Nobody's but ours. */
const fault = 'internal';

/** What came of the parts so far. */
type Progress = { rootTs: string | null; readonly results: PartResult[] };

/** Never rejects: what is left undone stands in the ledger. */
export async function deliverSlot(deps: DeliveringDeps, claimed: ClaimedSlot): Promise<void> {
  const stopExtending = keepExtending(deps, claimed);
  const progress: Progress = { rootTs: null, results: [] };
  try {
    const end = await workOn(deps, claimed, progress).catch((error: unknown) => endOfFault(deps, claimed, error));
    await conclude(deps, claimed, end, progress);
  } catch (err) {
    deps.log.warn({ ...slotFields(claimed), err }, 'a slot is left to its lease: the store does not answer');
  } finally {
    stopExtending();
  }
}

async function workOn(deps: DeliveringDeps, claimed: ClaimedSlot, progress: Progress): Promise<SlotEnd> {
  const now = claimed.claimedAt;
  const isTooLate = now - claimed.dueAt >= deps.timing.catchUpMs;
  if (isTooLate && claimed.parts.every(({ state }) => state === 'waiting')) {
    return { kind: 'finish', state: 'missed', error: claimed.error ?? away };
  }
  const prepared = await prepareSlot(deps, claimed, now);
  deps.onPrepared(claimed);
  if (prepared.kind === 'end') return prepared.end;
  for (const part of prepared.parts) {
    const message = prepared.payload.get(part.name);
    if (!message) throw new AppError('internal', `The payload has no part ${part.name}.`);
    const sending = { claimed, part, message, rootTs: progress.rootTs };
    const result = await deliverPart(deps, sending, isTooLate);
    progress.results.push(result);
    if (part.name === rootName && result.kind === 'sent') progress.rootTs = result.ts;
    const end = endOf(part, result, isTooLate);
    if (end) return end;
  }
  return { kind: 'finish', state: 'posted' };
}

async function deliverPart(deps: DeliveringDeps, doubtful: Doubtful, isTooLate: boolean): Promise<PartResult> {
  const { state, ts, error } = doubtful.part;
  switch (state) {
    case 'waiting':
      return sendWanted(deps, doubtful, isTooLate);
    case 'intent':
    case 'unknown': {
      const outcome = await reconcilePart(deps, doubtful);
      return outcome.kind === 'absent' ? sendWanted(deps, { ...doubtful, part: outcome.part }, isTooLate) : outcome;
    }
    case 'sent':
      return ts === null ? passed : { kind: 'sent', ts };
    case 'dead':
    case 'uncertain':
      return { kind: 'given_up', state, error: error ?? state };
  }
}

/** What does not stand there, for all that is known. */
function sendWanted(deps: DeliveringDeps, sending: Doubtful, isTooLate: boolean): Promise<PartResult> | PartResult {
  const unwanted = isTooLate ? tooLate : unwantedOf(sending.claimed);
  if (unwanted !== undefined && sending.part.name === rootName)
    return { kind: 'given_up', state: 'dead', error: unwanted };
  return sendPart(deps, sending);
}

/** @returns why nobody wants it any more, who wanted it as it was begun */
function unwantedOf({ key, subscription: { nextDue, pause } }: ClaimedSlot): Unwanted | undefined {
  if (nextDue !== null) return undefined;
  if (pause?.reason !== pausedByPerson) return 'removed';
  return isAskedFor(key.slot) ? undefined : 'paused';
}

function isUnwanted(error: string): error is Unwanted {
  return error === 'removed' || error === 'paused';
}

/** @returns undefined where the next part's turn has come */
function endOf({ name }: Part, result: PartResult, isTooLate: boolean): SlotEnd | undefined {
  const isRoot = name === rootName;
  switch (result.kind) {
    case 'sent':
      return undefined;
    case 'given_up':
      if (!isRoot) return undefined;
      if (result.error === tooLate) return { kind: 'finish', state: 'missed', error: tooLate };
      if (isUnwanted(result.error)) return { kind: 'finish', state: 'cancelled', error: result.error };
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

/** A subscription whose digests always fail is given up after a while, and keeps nobody else waiting; one fault is none yet. */
function endOfFault({ limits, timing, log }: DeliveringDeps, claimed: ClaimedSlot, error: unknown): SlotEnd {
  if (error instanceof AppError && error.code === 'unavailable') throw error;
  const isLast = claimed.attempts + 1 >= limits.attemptsMax && claimed.error === fault;
  log.error({ ...slotFields(claimed), err: error, isLast }, 'a slot could not be worked on');
  if (isLast) return { kind: 'finish', state: 'dead', error: fault };
  return { kind: 'release', afterMs: timing.rebuildMs, error: fault };
}

async function conclude(
  deps: DeliveringDeps,
  claimed: ClaimedSlot,
  end: SlotEnd,
  { rootTs, results }: Progress,
): Promise<void> {
  switch (end.kind) {
    case 'passed':
      deps.log.info(slotFields(claimed), 'a slot has passed to another process');
      return;
    case 'wait':
      await claimed.hold.giveBack(Math.ceil(end.afterMs));
      deps.at('after release');
      return;
    case 'release':
      await deps.troubles.held(claimed, end.error);
      await claimed.hold.release(Math.max(0, Math.ceil(end.afterMs)), end.error);
      deps.at('after release');
      return;
    case 'finish': {
      // First, because nobody comes back to what is finished.
      const isHeard = await deps.troubles.note(claimed, results, end);
      // Of what its owner could not be told the next digest tells.
      const state = end.state === 'dead' && !isHeard ? 'missed' : end.state;
      deps.at('before finish');
      if (!(await claimed.hold.finish(state, end.error))) return;
      deps.at('after finish');
      deps.onEnd(claimed, { ...end, state }, rootTs);
    }
  }
}

/** @returns how to end it */
function keepExtending({ timing, at, log }: DeliveringDeps, claimed: ClaimedSlot): () => void {
  const timer = setInterval(() => {
    at('before extend');
    claimed.hold.extend(timing.leaseMs).then(
      () => at('after extend'),
      (err: unknown) => log.warn({ ...slotFields(claimed), err }, 'a lease could not be extended'),
    );
  }, timing.leaseMs / 3);
  return () => clearInterval(timer);
}
