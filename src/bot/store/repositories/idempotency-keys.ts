/** Repository of idempotency keys: Slack delivers some events twice, and to several processes. */
import type { Kysely } from 'kysely';
import { changesOne, type Dialect } from '../dialect.ts';
import type { Tables } from '../tables/tables.ts';

export type IdempotencyKeys = ReturnType<typeof createIdempotencyKeys>;

export function createIdempotencyKeys(db: Kysely<Tables>, dialect: Dialect) {
  return {
    /**
     * @param key of the delivery, such as an event's id
     * @param keptMs lifetime of the key, by the database's clock
     * @returns true for only one caller, across all processes
     */
    claim(teamId: string, key: string, keptMs: number): Promise<boolean> {
      const expiry = { expiresAt: dialect.after(keptMs) };
      const insert = db.insertInto('idempotency_key').values({ teamId, key, ...expiry });
      return changesOne(
        insert.onConflict((conflict) =>
          conflict
            .columns(['teamId', 'key'])
            .doUpdateSet(expiry)
            .where('idempotency_key.expiresAt', '<=', dialect.now()),
        ),
      );
    },
  };
}
