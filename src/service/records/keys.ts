/** Keys in the records: put, found by id, revoked. */
import { type Kysely, sql } from 'kysely';
import type { KeyRecords, KeyRow } from './port.ts';
import type { Tables } from './tables.ts';

/** @param db an open database with the tables of migrations.ts */
export function createKeyRecords(db: Kysely<Tables>): KeyRecords {
  return {
    async putKey(record) {
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
    },
    key: (id) => keyById(db, id),
    async revokeKey(organizationId, id, at) {
      await db
        .updateTable('api_key')
        .set({ revoked_at: at })
        .where('organization_id', '=', organizationId)
        .where('id', '=', id)
        .where('revoked_at', 'is', null)
        .execute();
    },
    async keptSecret(name, make) {
      await db
        .insertInto('kept_secret')
        .values({ name, value: make() })
        .onConflict((conflict) => conflict.column('name').doNothing())
        .execute();
      const row = await db.selectFrom('kept_secret').select('value').where('name', '=', name).executeTakeFirstOrThrow();
      return row.value;
    },
  };
}

/** As text, not with the builder: every request asks this first. */
const keyColumns = sql.raw(`
  k.id, k.organization_id as "organizationId", k.member_id as "memberId", k.name, k.hash, k.created_at as "createdAt",
  k.expires_at as "expiresAt", k.revoked_at as "revokedAt", o.restriction_status as "restrictionStatus",
  o.active_status as "activeStatus"
  from api_key as k inner join organization as o on o.organization_id = k.organization_id`);

async function keyById(db: Kysely<Tables>, id: string): Promise<KeyRow | null> {
  const { rows } = await sql<KeyRow>`select ${keyColumns} where k.id = ${id}`.execute(db);
  return rows[0] ?? null;
}
