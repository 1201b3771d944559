/** Repository of named leases: one holder at a time across all processes, until the lease ends by the database's clock. */
import { randomUUID } from 'node:crypto';
import type { Kysely } from 'kysely';
import type { Dialect } from '../dialect.ts';
import type { Tables } from '../tables/tables.ts';

export type Lease = {
  /** Ends the lease, unless another holder has it. */
  readonly release: () => Promise<void>;
};

export type Leases = {
  /** @param leaseMs longer than the work takes @returns undefined while another holder has it */
  take(teamId: string, name: string, leaseMs: number): Promise<Lease | undefined>;
};

export function createLeases(db: Kysely<Tables>, dialect: Dialect): Leases {
  return {
    async take(teamId, name, leaseMs) {
      const lease = { holder: randomUUID(), expires_at: dialect.after(leaseMs) };
      const { numInsertedOrUpdatedRows } = await db
        .insertInto('lease')
        .values({ team_id: teamId, name, ...lease })
        .onConflict((conflict) =>
          conflict.columns(['team_id', 'name']).doUpdateSet(lease).where('lease.expires_at', '<=', dialect.now()),
        )
        .executeTakeFirst();
      if (numInsertedOrUpdatedRows !== 1n) return undefined;
      const release = async () => {
        await db
          .deleteFrom('lease')
          .where((is) => is.and({ team_id: teamId, name, holder: lease.holder }))
          .execute();
      };
      return { release };
    },
  };
}
