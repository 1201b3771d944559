/** Repository of named leases: one holder at a time across all processes, until the lease ends by the database's clock. */
import { randomUUID } from 'node:crypto';
import type { Kysely } from 'kysely';
import { changesOne, type Dialect } from '../dialect.ts';
import type { Tables } from '../tables/tables.ts';

export type Lease = {
  /** Ends the lease, unless another holder has it. */
  readonly release: () => Promise<void>;
};

export type Leases = ReturnType<typeof createLeases>;

export function createLeases(db: Kysely<Tables>, dialect: Dialect) {
  return {
    /** @param leaseMs longer than the work takes @returns undefined while another holder has it */
    async take(teamId: string, name: string, leaseMs: number): Promise<Lease | undefined> {
      const lease = { holder: randomUUID(), expiresAt: dialect.after(leaseMs) };
      const insert = db.insertInto('lease').values({ teamId, name, ...lease });
      const isTaken = await changesOne(
        insert.onConflict((conflict) =>
          conflict.columns(['teamId', 'name']).doUpdateSet(lease).where('lease.expiresAt', '<=', dialect.now()),
        ),
      );
      if (!isTaken) return undefined;
      const own = db.deleteFrom('lease').where((is) => is.and({ teamId, name, holder: lease.holder }));
      return { release: async () => void (await own.execute()) };
    },
  };
}
