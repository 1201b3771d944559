/**
 * Revisions of organizations. Each write of an organization's records gives it a new one, in the same transaction: a
 * standby with the primary's revision has everything that was written.
 */
import { sql, type Transaction } from 'kysely';
import type { Tables } from '../tables/tables.ts';

/** @param organizationIds whose records the transaction changes */
export async function renewRevisions(
  transaction: Transaction<Tables>,
  organizationIds: readonly string[],
): Promise<void> {
  await sql`insert into organization_revision (organization_id, revision)
    select id, gen_random_uuid() from unnest(${[...new Set(organizationIds)]}::text[]) as id order by id
    on conflict (organization_id) do update set revision = excluded.revision`.execute(transaction);
}
