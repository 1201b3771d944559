/** Which workflows a person may mean while they type into a menu, from what is remembered where the service is slow. */

import type { Actor, Person } from '../../domain/person.ts';
import { parseReference } from '../../domain/reference.ts';
import { completeName } from '../../insight/name-match.ts';
import type { QueryOptions } from '../../query/parameters.ts';
import type { QueryClient } from '../../query/query-client.ts';
import type { WorkflowName } from '../../query/results.ts';
import type { Authorise } from '../access/authorise.ts';

/**
 * @param typed as far as it is typed: a part of a name, an id or a link; empty for nothing yet
 * @returns best first. Rejects with AppError where there is neither an answer nor an older one, or where whoever types may not ask
 */
export type NameSearch = (asker: Person | Actor, typed: string) => Promise<readonly WorkflowName[]>;

export type NameSearchDeps = {
  /** @throws AppError `unauthorized` when the workspace has no key */
  readonly queryClientFor: (teamId: string, options: QueryOptions) => QueryClient;
  readonly authorise: Authorise;
};

/** Of the three seconds that Slack waits for a menu's choices. */
const patienceMs = 1_500;
/** No name is longer. */
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
