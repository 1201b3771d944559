/** Repository of used OAuth states, kept until they expire: each state completes one installation. */
import { createHash } from 'node:crypto';
import type { Kysely } from 'kysely';
import type { Dialect } from '../dialect.ts';
import type { Tables } from '../tables/tables.ts';

/** Stores hashes only, so that a reader of the store learns no state and no browser. */
export type OauthStates = {
  readonly isUsed: (state: string) => Promise<boolean>;
  /** @param browser that completes the installation @param keptMs the longest lifetime of a state @returns true once for a state */
  readonly use: (state: string, browser: string, keptMs: number) => Promise<boolean>;
};

export function createOauthStates(db: Kysely<Tables>, dialect: Dialect): OauthStates {
  return {
    isUsed: async (state) => {
      const ended = db.selectFrom('oauth_state').select('expires_at').where('state_hash', '=', hashOf(state));
      return (await ended.executeTakeFirst()) !== undefined;
    },
    use: async (state, browser, keptMs) => {
      const row = { state_hash: hashOf(state), browser_hash: hashOf(browser), expires_at: dialect.after(keptMs) };
      const { numInsertedOrUpdatedRows } = await db
        .insertInto('oauth_state')
        .values(row)
        .onConflict((conflict) => conflict.column('state_hash').doNothing())
        .executeTakeFirst();
      return numInsertedOrUpdatedRows === 1n;
    },
  };
}

function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('base64url');
}
