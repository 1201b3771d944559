/** What nobody wants any more. */
import { sql, type Transaction } from 'kysely';
import type { Dialect } from '../dialect.ts';
import type { Tables } from '../tables/tables.ts';
import { isBegun } from './rows.ts';

/** What was begun goes on: it may stand in the channel already, and somebody has to know. */
export async function cancelUnsent(
  step: Transaction<Tables>,
  engine: Dialect,
  teamId: string,
  subscriptionId: string,
  error: 'removed' | 'paused',
): Promise<void> {
  const due = { team_id: teamId, subscription_id: subscriptionId, state: 'due' };
  const all = step
    .selectFrom('slot')
    .select('slot')
    .where((is) => is.and(due));
  // Held first, by a statement of its own: what another begins meanwhile waits, and what it has begun the next one sees.
  await all.modifyEnd(engine.forUpdate).execute();
  await step
    .updateTable('slot')
    .where((is) => is.and(due))
    .where(sql<boolean>`not ${isBegun}`)
    .set((is) => ({ state: 'cancelled', error, payload: null, fence: is('fence', '+', 1) }))
    .execute();
}
