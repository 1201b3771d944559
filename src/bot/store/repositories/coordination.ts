/** Repositories by which several processes do something once: idempotency keys, named leases, used OAuth states. */
import { createHash, randomUUID } from 'node:crypto';
import type { Kysely } from 'kysely';
import { changesOne, type Dialect } from '../dialect.ts';
import type { Tables } from '../tables.ts';

export type IdempotencyKeys = ReturnType<typeof createIdempotencyKeys>;

/** Slack delivers some events twice, and to several processes. */
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

export type Lease = {
  /** Ends the lease, unless another holder has it. */
  readonly release: () => Promise<void>;
};

export type Leases = ReturnType<typeof createLeases>;

/** Named leases: one holder at a time across all processes, until the lease ends by the database's clock. */
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

/**
 * Used OAuth states, kept until they expire: each completes one installation. Stores hashes only, so that a reader of the store learns no state
 * and no browser.
 */
export function createOauthStates(db: Kysely<Tables>, dialect: Dialect) {
  return {
    async isUsed(state: string): Promise<boolean> {
      const used = db.selectFrom('oauth_state').select('expiresAt').where('stateHash', '=', hashOf(state));
      return (await used.executeTakeFirst()) !== undefined;
    },
    /** @param browser that completes the installation @param keptMs the longest lifetime of a state @returns true once for a state */
    use(state: string, browser: string, keptMs: number): Promise<boolean> {
      const row = { stateHash: hashOf(state), browserHash: hashOf(browser), expiresAt: dialect.after(keptMs) };
      const insert = db.insertInto('oauth_state').values(row);
      return changesOne(insert.onConflict((conflict) => conflict.column('stateHash').doNothing()));
    },
  };
}

function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('base64url');
}
