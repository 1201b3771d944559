/** Reads and writes API keys. */
import { type Kysely, sql } from 'kysely';
import { retryConflicts } from '../../shared/sql/postgres.ts';
import { namedRow, namesOf, selectText } from './reads/steps.ts';
import type { OrganizationRecord } from './record.ts';
import { type Bind, type Engine, type Row, type RunStatements, statement } from './sql.ts';
import type { Tables } from './tables/tables.ts';

/** A stored key, without its secret. */
type KeyRecord = {
  readonly id: string;
  readonly organizationId: string;
  /** The account behind the key. */
  readonly memberId: string | null;
  readonly name: string;
  /** HMAC-SHA-256 of the key's secret, hexadecimal. */
  readonly hash: string;
  readonly createdAt: number;
  readonly expiresAt: number | null;
  readonly revokedAt: number | null;
};

/** A key with the statuses of its organization, which decide whether it is usable. */
export type KeyRow = KeyRecord & Pick<OrganizationRecord, 'restrictionStatus' | 'activeStatus'>;

/** A key as key management shows it. */
export type ManagedKey = Omit<KeyRecord, 'hash'> & {
  /** At most about a minute late; null if the key was never used. */
  readonly lastUsedAt: number | null;
  /** The id of the key that replaced it. */
  readonly replacedBy: string | null;
};

/** Time of a key's last use. */
export type KeyUse = { readonly id: string; readonly at: number };

/** Lookups are by id alone: the key tells which organization asks. */
export type KeyRecords = {
  putKey(record: KeyRecord): Promise<void>;
  /** @returns null also if the organization does not exist; a promise if the engine returns one */
  key(id: string): KeyRow | null | Promise<KeyRow | null>;
  revokeKey(organizationId: string, id: string, at: number): Promise<void>;
  /** Lists keys, oldest first. @param organizationId null for every organization */
  keys(organizationId: string | null): Promise<readonly ManagedKey[]>;
  /** @returns null for an unknown id; the organization may not exist */
  managedKey(id: string): Promise<ManagedKey | null>;
  /**
   * Replaces a key by a new one of the same organization; the old one works until `expiresAt`.
   * @returns false, and changes nothing, if the old one was already revoked or replaced
   */
  replaceKey(id: string, expiresAt: number, record: KeyRecord): Promise<boolean>;
  /** Records uses in one statement. An earlier time never replaces a later one. */
  recordUses(uses: readonly KeyUse[]): Promise<void>;
  /** Returns a secret of this database. @param make creates it on the first call */
  storedSecret(name: string, make: () => string): Promise<string>;
};

/** Each use takes two parameters, and SQLite takes 32,766. */
const usesMax = 10_000;

/** @param db an open database with the tables of migrations.ts @param run runs the look-up of a key, with which each request begins */
export function createKeyRecords(db: Kysely<Tables>, engine: Engine, run: RunStatements): KeyRecords {
  const { text: keyText } = statement(engine, writeKeyText);
  return {
    putKey: (record) => insertKey(db, record),
    key(id) {
      const found = run([{ text: keyText, values: [id] }]);
      return found instanceof Promise ? found.then(keyOf) : keyOf(found);
    },
    async revokeKey(organizationId, id, at) {
      await db
        .updateTable('api_key')
        .set({ revoked_at: at })
        .where('organization_id', '=', organizationId)
        .where('id', '=', id)
        .where('revoked_at', 'is', null)
        .execute();
    },
    async keys(organizationId) {
      const keys = db.selectFrom('api_key').select(managedKeyColumns).orderBy('created_at').orderBy('id');
      return (organizationId === null ? keys : keys.where('organization_id', '=', organizationId)).execute();
    },
    async managedKey(id): Promise<ManagedKey | null> {
      return (await db.selectFrom('api_key').select(managedKeyColumns).where('id', '=', id).executeTakeFirst()) ?? null;
    },
    replaceKey: (id, expiresAt, record) => replaceKey(db, id, expiresAt, record),
    async recordUses(uses) {
      for (let from = 0; from < uses.length; from += usesMax) await recordUses(db, uses.slice(from, from + usesMax));
    },
    storedSecret: (name, make) => storedSecret(db, name, make),
  };
}

async function insertKey(db: Kysely<Tables>, record: KeyRecord): Promise<void> {
  await db
    .insertInto('api_key')
    .values({
      id: record.id,
      organization_id: record.organizationId,
      member_id: record.memberId,
      name: record.name,
      hash: record.hash,
      created_at: record.createdAt,
      expires_at: record.expiresAt,
      revoked_at: record.revokedAt,
    })
    .execute();
}

const managedKeyColumns = [
  'id',
  'organization_id as organizationId',
  'member_id as memberId',
  'name',
  'created_at as createdAt',
  'expires_at as expiresAt',
  'revoked_at as revokedAt',
  'last_used_at as lastUsedAt',
  'replaced_by as replacedBy',
] as const;

async function replaceKey(db: Kysely<Tables>, id: string, expiresAt: number, record: KeyRecord): Promise<boolean> {
  const work = async (transaction: Kysely<Tables>) => {
    const { numUpdatedRows } = await transaction
      .updateTable('api_key')
      .set({ expires_at: expiresAt, replaced_by: record.id })
      .where('id', '=', id)
      .where('organization_id', '=', record.organizationId)
      .where('revoked_at', 'is', null)
      .where('replaced_by', 'is', null)
      .executeTakeFirstOrThrow();
    if (numUpdatedRows === 0n) return false;
    await insertKey(transaction, record);
    return true;
  };
  return db.isTransaction ? work(db) : retryConflicts(() => db.transaction().execute(work));
}

/** Names the columns of a list of values the same on both engines. */
async function recordUses(db: Kysely<Tables>, uses: readonly KeyUse[]): Promise<void> {
  const values = sql.join(uses.map(({ id, at }) => sql`(${id}, cast(${at} as bigint))`));
  await sql`update api_key set last_used_at = used.column2 from (values ${values}) as used
    where api_key.id = used.column1 and (last_used_at is null or last_used_at < used.column2)`.execute(db);
}

async function storedSecret(db: Kysely<Tables>, name: string, make: () => string): Promise<string> {
  await db
    .insertInto('kept_secret')
    .values({ name, value: make() })
    .onConflict((conflict) => conflict.column('name').doNothing())
    .execute();
  const row = await db.selectFrom('kept_secret').select('value').where('name', '=', name).executeTakeFirstOrThrow();
  return row.value;
}

const keyColumns = {
  id: 'k.id',
  organizationId: 'k.organization_id',
  memberId: 'k.member_id',
  name: 'k.name',
  hash: 'k.hash',
  createdAt: 'k.created_at',
  expiresAt: 'k.expires_at',
  revokedAt: 'k.revoked_at',
  restrictionStatus: 'o.restriction_status',
  activeStatus: 'o.active_status',
} as const;
const keyColumnNames = namesOf(keyColumns);

function writeKeyText(bind: Bind): string {
  return `select ${selectText(keyColumns, keyColumnNames)}
    from api_key as k inner join organization as o on o.organization_id = k.organization_id where k.id = ${bind('')}`;
}

function keyOf([rows]: readonly (readonly Row[])[]): KeyRow | null {
  const row = rows?.[0];
  return row ? namedRow<KeyRow>(keyColumnNames, row) : null;
}
