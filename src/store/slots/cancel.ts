/** What nobody wants any more. */
import type { Kysely } from 'kysely';
import type { Tables } from '../tables.ts';

/** What was begun goes on: it may stand in the channel already, and somebody has to know. */
export async function cancelUnsent(
  db: Kysely<Tables>,
  teamId: string,
  subscriptionId: string,
  error: 'removed' | 'paused',
): Promise<void> {
  await db
    .updateTable('slot')
    .where((is) => is.and({ team_id: teamId, subscription_id: subscriptionId, state: 'due', is_begun: 0 }))
    .set((is) => ({ state: 'cancelled', error, payload: null, fence: is('fence', '+', 1) }))
    .execute();
}
