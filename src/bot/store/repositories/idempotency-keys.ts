/** Repository of idempotency keys: Slack delivers some events twice, and to several processes. */
import type { Kysely } from 'kysely';
import type { Dialect } from '../dialect.ts';
import type { Tables } from '../tables/tables.ts';

export type IdempotencyKeys = {
  /**
   * @param key of the delivery, such as an event's id
   * @param keptMs lifetime of the key, by the database's clock
   * @returns true for only one caller, across all processes
   */
  claim(teamId: string, key: string, keptMs: number): Promise<boolean>;
};

export function createIdempotencyKeys(db: Kysely<Tables>, dialect: Dialect): IdempotencyKeys {
  return {
    async claim(teamId, key, keptMs) {
      const expiry = { expires_at: dialect.after(keptMs) };
      const { numInsertedOrUpdatedRows } = await db
        .insertInto('idempotency_key')
        .values({ team_id: teamId, key, ...expiry })
        .onConflict((conflict) =>
          conflict
            .columns(['team_id', 'key'])
            .doUpdateSet(expiry)
            .where('idempotency_key.expires_at', '<=', dialect.now()),
        )
        .executeTakeFirst();
      return numInsertedOrUpdatedRows === 1n;
    },
  };
}
