/** Repository of credentials: endpoint and encrypted API key of each workspace, and the health of the key. */
import { randomUUID } from 'node:crypto';
import type { Kysely, Selectable } from 'kysely';
import { changesOne } from '../dialect.ts';
import { apiKeyLocation, type Secrets } from '../secrets/secrets.ts';
import type { CredentialTable, Tables } from '../tables.ts';

export type Credential = Readonly<Omit<CredentialTable, 'apiKey'>>;

export type NewCredential = Pick<
  Credential,
  'endpoint' | 'keyHint' | 'organizationId' | 'organizationName' | 'connectedBy' | 'connectedAt'
> & { readonly apiKey: string };

const unchecked = { checkedAt: null, refusedSince: null, notifiedAt: null };

/** All times are epoch milliseconds. With a `version`, nothing changes if the key was replaced meanwhile. */
export function createCredentials(db: Kysely<Tables>, secrets: Secrets) {
  const rowOf = (teamId: string) => db.selectFrom('credential').selectAll().where('teamId', '=', teamId);
  const keyOf = (teamId: string, version: string) =>
    db.updateTable('credential').where((is) => is.and({ teamId, version }));
  return {
    /** Call it before asking a person for a key. @throws AppError `unavailable` without a keyring */
    requireKeyring: secrets.requireKeyring,
    /** Replaces the earlier credential. @throws AppError `unavailable` without a keyring */
    async connect(teamId: string, { apiKey, ...credential }: NewCredential) {
      const version = randomUUID();
      const sealed = await secrets.seal(apiKeyLocation(teamId, credential.endpoint, version), apiKey);
      const values = { ...credential, ...unchecked, version, apiKey: sealed };
      const upsert = db.insertInto('credential').values({ teamId, ...values });
      const replacing = upsert.onConflict((conflict) => conflict.column('teamId').doUpdateSet(values));
      return credentialOf(await replacing.returningAll().executeTakeFirstOrThrow());
    },
    async find(teamId: string) {
      const row = await rowOf(teamId).executeTakeFirst();
      return row && credentialOf(row);
    },
    /** @returns up to `count`, in the order of their workspaces @param after the last workspace of the previous page */
    async page(after: string, count: number) {
      const later = db.selectFrom('credential').selectAll().where('teamId', '>', after);
      const rows = await later.orderBy('teamId').limit(count).execute();
      return rows.map(credentialOf);
    },
    /**
     * Decrypts the key; call it just before its use.
     * @returns undefined if there is no key
     * @throws AppError if it cannot be decrypted
     */
    async openApiKey(teamId: string) {
      const row = await rowOf(teamId).executeTakeFirst();
      if (!row) return undefined;
      const { endpoint, version } = row;
      const apiKey = await secrets.open(apiKeyLocation(teamId, endpoint, version), row.apiKey);
      return { endpoint, version, apiKey };
    },
    /** @returns true if there was one */
    disconnect: (teamId: string) => changesOne(db.deleteFrom('credential').where('teamId', '=', teamId)),
    markAccepted: (teamId: string, version: string, at: number) =>
      changesOne(keyOf(teamId, version).set({ ...unchecked, checkedAt: at })),
    /** Records that the service refused the key, and keeps the time of the first refusal. */
    markRefused(teamId: string, version: string, at: number) {
      const refused = keyOf(teamId, version).set((is) => ({
        checkedAt: at,
        refusedSince: is.fn.coalesce('refusedSince', is.val(at)),
      }));
      return changesOne(refused);
    },
    async markNotified(teamId: string, version: string, at: number) {
      await keyOf(teamId, version).set({ notifiedAt: at }).where('refusedSince', 'is not', null).execute();
    },
  };
}

function credentialOf({ apiKey: _sealed, ...row }: Selectable<CredentialTable>): Credential {
  return Object.freeze(row);
}
