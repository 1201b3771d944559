/** Repository of credentials: endpoint and encrypted API key of each workspace, and the health of the key. */
import { randomUUID } from 'node:crypto';
import type { Kysely, Selectable } from 'kysely';
import type { Secrets } from '../secrets/secrets.ts';
import { apiKeyLocation } from '../tables/sealed-columns.ts';
import type { Tables } from '../tables/tables.ts';
import type { CredentialTable } from '../tables/workspace-tables.ts';

export type Credential = {
  readonly teamId: string;
  readonly endpoint: string;
  /** False if the endpoint was changed without a new key. */
  readonly hasKey: boolean;
  /** The part of the key that may be shown. */
  readonly keyHint: string;
  /** Changes with every write of the key. */
  readonly version: string;
  readonly organizationId: string | null;
  readonly organizationName: string | null;
  /** Slack's id of the person. */
  readonly connectedBy: string;
  readonly connectedAt: number;
  /** Time of the last check of the key; null if there was none since it was stored. */
  readonly checkedAt: number | null;
  /** Time of the first refusal by the service; null while it does not refuse the key. */
  readonly refusedSince: number | null;
  /** Time of the notice about the refusal. */
  readonly notifiedAt: number | null;
};

export type NewCredential = Pick<
  Credential,
  'endpoint' | 'keyHint' | 'organizationId' | 'organizationName' | 'connectedBy' | 'connectedAt'
> & { readonly apiKey: string };

/** All times are epoch milliseconds. With a `version`, nothing changes if the key was replaced meanwhile. */
export function createCredentials(db: Kysely<Tables>, secrets: Secrets) {
  const rowOf = (teamId: string) => db.selectFrom('credential').selectAll().where('team_id', '=', teamId);
  return {
    ...createKeyHealth(db),
    /** Call it before asking a person for a key. @throws AppError `unavailable` without a keyring */
    requireKeyring: secrets.requireKeyring,
    /** Replaces the earlier credential. @throws AppError `unavailable` without a keyring */
    async connect(teamId: string, { apiKey, ...credential }: NewCredential) {
      const version = randomUUID();
      const sealed = await secrets.seal(apiKeyLocation(teamId, credential.endpoint, version), apiKey);
      const values = { ...columnsOf(credential), ...unchecked, version, api_key: sealed };
      const upsert = db.insertInto('credential').values({ team_id: teamId, ...values });
      const row = await upsert
        .onConflict((conflict) => conflict.column('team_id').doUpdateSet(values))
        .returningAll()
        .executeTakeFirstOrThrow();
      return credentialOf(row);
    },
    async find(teamId: string) {
      const row = await rowOf(teamId).executeTakeFirst();
      return row && credentialOf(row);
    },
    /** @returns up to `count` with a key, in the order of their workspaces @param after the last workspace of the previous page */
    async page(after: string, count: number) {
      const withKey = db.selectFrom('credential').selectAll().where('api_key', 'is not', null);
      const rows = await withKey.where('team_id', '>', after).orderBy('team_id').limit(count).execute();
      return Object.freeze(rows.map(credentialOf));
    },
    /**
     * Decrypts the key; call it just before its use.
     * @returns undefined if there is no key
     * @throws AppError if it cannot be decrypted
     */
    async openApiKey(teamId: string) {
      const row = await rowOf(teamId).executeTakeFirst();
      if (!row || row.api_key === null) return undefined;
      const { endpoint, version } = row;
      const apiKey = await secrets.open(apiKeyLocation(teamId, endpoint, version), row.api_key);
      return Object.freeze({ endpoint, version, apiKey });
    },
    /** Also drops the key, which belongs to the earlier endpoint. @returns false, and changes nothing, for the same endpoint */
    async changeEndpoint(teamId: string, endpoint: string) {
      const forgotten = { api_key: null, key_hint: '', organization_id: null, organization_name: null };
      const { numUpdatedRows } = await db
        .updateTable('credential')
        .set({ ...forgotten, ...unchecked, endpoint, version: randomUUID() })
        .where('team_id', '=', teamId)
        .where('endpoint', '!=', endpoint)
        .executeTakeFirst();
      return numUpdatedRows === 1n;
    },
    /** @returns true if there was one */
    async disconnect(teamId: string) {
      const { numDeletedRows } = await db.deleteFrom('credential').where('team_id', '=', teamId).executeTakeFirst();
      return numDeletedRows === 1n;
    },
  };
}

const unchecked = { checked_at: null, refused_since: null, notified_at: null };

function createKeyHealth(db: Kysely<Tables>) {
  const keyOf = (teamId: string, version: string) =>
    db.updateTable('credential').where((is) => is.and({ team_id: teamId, version }));
  return {
    /** Records that the service accepted the key. */
    async markAccepted(teamId: string, version: string, at: number) {
      const { numUpdatedRows } = await keyOf(teamId, version)
        .set({ ...unchecked, checked_at: at })
        .executeTakeFirst();
      return numUpdatedRows === 1n;
    },
    /** Records that the service refused the key, and keeps the time of the first refusal. */
    async markRefused(teamId: string, version: string, at: number) {
      const { numUpdatedRows } = await keyOf(teamId, version)
        .set((is) => ({ checked_at: at, refused_since: is.fn.coalesce('refused_since', is.val(at)) }))
        .executeTakeFirst();
      return numUpdatedRows === 1n;
    },
    /** Records that a person was notified of the refusal. */
    async markNotified(teamId: string, version: string, at: number) {
      await keyOf(teamId, version).set({ notified_at: at }).where('refused_since', 'is not', null).execute();
    },
  };
}

function columnsOf(credential: Omit<NewCredential, 'apiKey'>) {
  return {
    endpoint: credential.endpoint,
    key_hint: credential.keyHint,
    organization_id: credential.organizationId,
    organization_name: credential.organizationName,
    connected_by: credential.connectedBy,
    connected_at: credential.connectedAt,
  };
}

function credentialOf(row: Selectable<CredentialTable>): Credential {
  return Object.freeze({
    teamId: row.team_id,
    endpoint: row.endpoint,
    hasKey: row.api_key !== null,
    keyHint: row.key_hint,
    version: row.version,
    organizationId: row.organization_id,
    organizationName: row.organization_name,
    connectedBy: row.connected_by,
    connectedAt: row.connected_at,
    checkedAt: row.checked_at,
    refusedSince: row.refused_since,
    notifiedAt: row.notified_at,
  });
}
