/** Repository of idempotency keys: Slack delivers some events twice, and to several processes. */
import type { Kysely } from 'kysely';
import type { Tables } from '../tables/tables.ts';

export type IdempotencyKeys = {
  /**
   * @param key of the delivery, such as an event's id
   * @param now epoch milliseconds
   * @param keptMs lifetime of the key
   * @returns true for only one caller, across all processes
   */
  claim(teamId: string, key: string, now: number, keptMs: number): Promise<boolean>;
};

export function createIdempotencyKeys(db: Kysely<Tables>): IdempotencyKeys {
  return {
    async claim(teamId, key, now, keptMs) {
      const expiry = { expires_at: now + keptMs };
      const { numInsertedOrUpdatedRows } = await db
        .insertInto('idempotency_key')
        .values({ team_id: teamId, key, ...expiry })
        .onConflict((conflict) =>
          conflict.columns(['team_id', 'key']).doUpdateSet(expiry).where('idempotency_key.expires_at', '<=', now),
        )
        .executeTakeFirst();
      return numInsertedOrUpdatedRows === 1n;
    },
  };
}
