/** Installations that have begun in a browser: each ends once, and in that browser. */
import { createHash } from 'node:crypto';
import type { Kysely } from 'kysely';
import type { Tables } from './tables.ts';

/** Both texts are random; the store keeps their hashes, so that whoever reads it can end nobody's installation. */
export type OauthStates = {
  /** @param state that Slack will bring back @param browser that the browser will @param expiresAt epoch milliseconds */
  begin(state: string, browser: string, expiresAt: number): Promise<void>;
  /** @returns true once, for the state and the browser that it was begun with, before it expires */
  end(state: string, browser: string, now: number): Promise<boolean>;
};

export function createOauthStates(db: Kysely<Tables>): OauthStates {
  return {
    async begin(state, browser, expiresAt) {
      const hashes = { state_hash: hashOf(state), browser_hash: hashOf(browser) };
      await db
        .insertInto('oauth_state')
        .values({ ...hashes, expires_at: expiresAt })
        .execute();
    },
    async end(state, browser, now) {
      const { numDeletedRows } = await db
        .deleteFrom('oauth_state')
        .where((is) => is.and({ state_hash: hashOf(state), browser_hash: hashOf(browser) }))
        .where('expires_at', '>', now)
        .executeTakeFirst();
      return numDeletedRows === 1n;
    },
  };
}

function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('base64url');
}
