/** Builds the digest of an occurrence from fresh answers for its own window, masked as the workspace has it. */

import { isOnRequest } from '../outbox/plan.ts';
import type { DigestContent, OccurrenceToBuild } from '../outbox/prepare.ts';
import type { QueryOptions } from '../query/parameters.ts';
import type { QueryClient } from '../query/query-client.ts';
import { buildDigest, couldNotCheck, type DigestRequest } from './build.ts';

export type ContentDeps = {
  readonly queryClientFor: (teamId: string, options: QueryOptions) => QueryClient;
  readonly settingsOf: (teamId: string) => Promise<Pick<DigestRequest, 'isRedacting'>>;
};

export function createContent({ queryClientFor, settingsOf }: ContentDeps): DigestContent {
  return {
    build: async (slot, signal) => {
      const { teamId } = slot.claimed.key;
      const { isRedacting } = await settingsOf(teamId);
      const ask = queryClientFor(teamId, { isFresh: true, onWait: () => undefined });
      return buildDigest(ask, { ...requestOf(slot), isRedacting }, signal);
    },
    // Of what the workspace has chosen nothing is known here, so it is masked.
    couldNotCheck: (slot, ...told) => couldNotCheck({ ...requestOf(slot), isRedacting: true }, ...told),
  };
}

function requestOf({ claimed, now, isLate }: OccurrenceToBuild): Omit<DigestRequest, 'isRedacting'> {
  const { key, subscription, window, dueAt, missed } = claimed;
  const { schedule, workflows, hasAllClear } = subscription;
  // Whoever asks for one wants to see one.
  const plan = { workflows, hasAllClear: hasAllClear || isOnRequest(key.occurrenceId) };
  return { teamId: key.teamId, plan, zone: schedule.zone, window, dueAt, missed, now, isLate };
}
