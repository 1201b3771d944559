/** Builds the messages of a digest from fresh data for its window: a root, and one reply for each cause. */
import type { AppError } from '../../shared/errors.ts';
import { withoutMasking } from '../../shared/redaction/masking.ts';
import type { ChosenWorkflows } from '../domain/subscription.ts';
import type { WorkspaceSettings } from '../domain/workspace-settings.ts';
import { isOnRequest } from '../outbox/plan.ts';
import type { DigestMessages } from '../outbox/ports.ts';
import type { CouldNotCheckDetails, DigestContent, OccurrenceToBuild } from '../outbox/prepare.ts';
import type { QueryOptions } from '../query/parameters.ts';
import type { QueryClient } from '../query/query-client.ts';
import { couldNotCheckMessage } from '../views/digest/could-not-check.ts';
import {
  type DigestFacts,
  type DigestFrame,
  fellSilent,
  freshlyNeverRan,
  rejectedDeployments,
  verdictOf,
} from '../views/digest/facts.ts';
import { digestCauseMessage, digestSilentMessage } from '../views/digest/replies.ts';
import { digestRootMessage } from '../views/digest/root.ts';
import { gatherFacts } from './facts.ts';

export type DigestRequest = Omit<DigestFrame, 'about'> & {
  readonly plan: { readonly workflows: ChosenWorkflows; readonly hasAllClear: boolean };
  readonly now: number;
  /** True if text that looks like a secret is masked: a setting of the workspace. */
  readonly isRedacting: boolean;
};

/**
 * @param signal ends the queries when it is aborted
 * @returns null if nothing failed, no deployment was rejected, nothing fell silent, none was missed before, and no all-clear is wanted
 * @throws AppError if the failures cannot be read; the signal's reason
 */
export async function buildDigest(
  ask: QueryClient,
  request: DigestRequest,
  signal?: AbortSignal,
): Promise<DigestMessages | null> {
  const facts = await abortAllOnFailure(signal, (ending) => gatherFacts(ask, frameOf(request), request.now, ending));
  const isAwaited = request.plan.hasAllClear || request.missed.length > 0;
  if (isQuiet(facts) && !isAwaited) return null;
  return maskedAs(request, () => ({
    root: digestRootMessage(facts),
    replies: [
      ...facts.shown.map((cause, index) => ({ name: `cause-${index + 1}`, message: digestCauseMessage(cause) })),
      ...(facts.silent.length > 0 ? [{ name: 'silent', message: digestSilentMessage(facts.silent) }] : []),
    ],
  }));
}

/** Ends all concurrent queries as soon as one of them fails. */
async function abortAllOnFailure<Made>(
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

/** @param adminIds of the workspace, who are named */
export function couldNotCheck(
  request: DigestRequest,
  error: AppError,
  details: CouldNotCheckDetails & { readonly adminIds: readonly string[] },
): DigestMessages {
  return maskedAs(request, () => ({
    root: couldNotCheckMessage({ ...frameOf(request), ...details, error }),
    replies: [],
  }));
}

function frameOf({ plan, window, zone, dueAt, isLate, missed }: DigestRequest): DigestFrame {
  return { about: plan.workflows, window, zone, dueAt, isLate, missed };
}

/** Ignores workflows that were silent or overdue before this window, because an earlier digest reported them. Without the list of workflows no digest is quiet. */
function isQuiet(facts: DigestFacts): boolean {
  if (rejectedDeployments(facts).length > 0 || facts.unchecked.length > 0) return false;
  switch (verdictOf(facts)) {
    case 'clear':
    case 'nothing_ran':
      return facts.workflowCount !== null && freshlyNeverRan(facts).length === 0;
    case 'silent':
      return fellSilent(facts).length === 0 && freshlyNeverRan(facts).length === 0;
    case 'failed':
    case 'doubtful':
      return false;
  }
}

function maskedAs<Made>({ isRedacting }: DigestRequest, make: () => Made): Made {
  return isRedacting ? make() : withoutMasking(make);
}

export function createContent(
  queryClientFor: (teamId: string, options: QueryOptions) => QueryClient,
  access: {
    readonly settingsOf: (teamId: string) => Promise<WorkspaceSettings>;
    readonly adminIds: (teamId: string) => Promise<readonly string[]>;
  },
): DigestContent {
  return {
    build: async (occurrence, signal) => {
      const { teamId } = occurrence.claimed.key;
      const { isRedacting } = await access.settingsOf(teamId);
      const ask = queryClientFor(teamId, { isFresh: true });
      return buildDigest(ask, { ...requestOf(occurrence), isRedacting }, signal);
    },
    // Masked, because the settings of the workspace are not read here.
    couldNotCheck: async (occurrence, error, details) => {
      const adminIds = await access.adminIds(occurrence.claimed.key.teamId);
      return couldNotCheck({ ...requestOf(occurrence), isRedacting: true }, error, { ...details, adminIds });
    },
  };
}

function requestOf({ claimed, now, isLate }: OccurrenceToBuild): Omit<DigestRequest, 'isRedacting'> {
  const { key, subscription, window, dueAt, missed } = claimed;
  const { schedule, workflows, hasAllClear } = subscription;
  // A requested digest is always posted.
  const plan = { workflows, hasAllClear: hasAllClear || isOnRequest(key.occurrenceId) };
  return { plan, zone: schedule.zone, window, dueAt, missed, now, isLate };
}
