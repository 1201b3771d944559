/** Builds the messages of a digest: a root and one reply for each cause; null when all is quiet and no all-clear is wanted. */
import type { AppError } from '../../shared/errors.ts';
import { withoutMasking } from '../../shared/redaction/masking.ts';
import type { SubscriptionPlan } from '../domain/subscription.ts';
import type { DigestMessages } from '../outbox/ports.ts';
import type { QueryClient } from '../query/query-client.ts';
import { digestCauseMessage } from '../views/digest/cause.ts';
import { type DigestFacts, type DigestFrame, fellSilent, verdictOf } from '../views/digest/facts.ts';
import { type CouldNotCheck, couldNotCheckMessage, digestRootMessage } from '../views/digest/root.ts';
import { gatherFacts } from './facts.ts';

export type DigestRequest = {
  readonly teamId: string;
  readonly plan: Pick<SubscriptionPlan, 'workflows' | 'hasAllClear'>;
  /** IANA: the window is told in it. */
  readonly zone: string;
  /** Epoch milliseconds; the end is not within. */
  readonly window: { readonly from: number; readonly to: number };
  readonly isLate: boolean;
  readonly dueAt: number;
  /** Digests that never came and were not told of yet. */
  readonly missed: readonly { readonly dueAt: number }[];
  readonly now: number;
  /** Whether what looks like a secret is masked, as the workspace's admins have it. */
  readonly isRedacting: boolean;
};

/**
 * @param signal ends the reading when it is aborted
 * @returns null where nothing failed, nothing fell silent, none was missed before, and no all-clear is wanted
 * @throws AppError where it could not look; the signal's reason
 */
export async function buildDigest(
  ask: QueryClient,
  request: DigestRequest,
  signal?: AbortSignal,
): Promise<DigestMessages | null> {
  const facts = await readingTogether(signal, (ending) => gatherFacts(ask, frameOf(request), request.now, ending));
  const isAwaited = request.plan.hasAllClear || request.missed.length > 0;
  if (isQuiet(facts) && !isAwaited) return null;
  return maskedAs(request, () => ({
    root: digestRootMessage(facts),
    replies: facts.shown.map((cause, index) => ({ name: `cause-${index + 1}`, message: digestCauseMessage(cause) })),
  }));
}

/** Several things are read at once: where one cannot be had, nobody reads on for the others. */
async function readingTogether<Made>(
  signal: AbortSignal | undefined,
  read: (ending: AbortSignal) => Promise<Made>,
): Promise<Made> {
  const ending = new AbortController();
  try {
    return await read(signal ? AbortSignal.any([signal, ending.signal]) : ending.signal);
  } finally {
    ending.abort();
  }
}

/** @param told.since epoch milliseconds: from when on nothing is known */
export function couldNotCheck(
  request: DigestRequest,
  error: AppError,
  told: Pick<CouldNotCheck, 'since' | 'isLast'>,
): DigestMessages {
  return maskedAs(request, () => ({
    root: couldNotCheckMessage({ ...frameOf(request), ...told, error }),
    replies: [],
  }));
}

function frameOf({ plan, window, zone, dueAt, isLate, missed }: DigestRequest): DigestFrame {
  return { about: plan.workflows, window, zone, dueAt, isLate, missed };
}

/** What was silent before this window was told before. Without the list of workflows nobody looked at what has stopped. */
function isQuiet(facts: DigestFacts): boolean {
  switch (verdictOf(facts)) {
    case 'clear':
    case 'nothing_ran':
      return facts.workflowCount !== null;
    case 'silent':
      return fellSilent(facts).length === 0;
    case 'failed':
    case 'doubtful':
      return false;
  }
}

function maskedAs<Made>({ isRedacting }: Pick<DigestRequest, 'isRedacting'>, make: () => Made): Made {
  return isRedacting ? make() : withoutMasking(make);
}
