/** Repository of used OAuth states, kept until they expire: each state completes one installation. */
import { createHash } from 'node:crypto';
import type { Kysely } from 'kysely';
import { changesOne, type Dialect } from '../dialect.ts';
import type { Tables } from '../tables/tables.ts';

/** Stores hashes only, so that a reader of the store learns no state and no browser. */
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
