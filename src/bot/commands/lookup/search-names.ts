/** Suggests workflows while a person types into a menu; uses the cache if the service is slow. */

import type { Actor, Person } from '../../domain/person.ts';
import { parseReference } from '../../domain/reference.ts';
import { completeName } from '../../insight/name-match.ts';
import type { QueryOptions } from '../../query/parameters.ts';
import type { QueryClient } from '../../query/query-client.ts';
import type { WorkflowName } from '../../query/results.ts';
import type { Authorise } from '../access/authorise.ts';

/**
 * @param typed so far: a part of a name, an id or a link; may be empty
 * @returns best match first. Rejects with AppError if there is neither a fresh nor a cached answer, or the person may not ask
 */
export type NameSearch = (asker: Person | Actor, typed: string) => Promise<readonly WorkflowName[]>;

export type NameSearchDeps = {
  /** @throws AppError `unauthorized` when the workspace has no key */
  readonly queryClientFor: (teamId: string, options: QueryOptions) => QueryClient;
  readonly authorise: Authorise;
};

/** Slack waits three seconds for the options of a menu. */
const patienceMs = 1_500;
/** Names are shorter. */
const typedUnitsMax = 200;

export function createNameSearch({ queryClientFor, authorise }: NameSearchDeps): NameSearch {
  return async (asker, typed) => {
    await authorise({ name: 'search' }, asker, () => undefined);
    const ask = queryClientFor(asker.teamId, { isFresh: false, onWait: () => undefined, freshTimeoutMs: patienceMs });
    const { data: workflows } = await ask.allWorkflows();
    const reference = parseReference(typed.trim());
    switch (reference.kind) {
      case 'uuid':
        return workflows.filter(({ uuid }) => uuid === reference.uuid);
      case 'hash':
        return workflows.filter(({ workflowId }) => workflowId.toLowerCase() === reference.hash);
      case 'text':
        return completeName(reference.text.slice(0, typedUnitsMax), workflows);
    }
  };
}
