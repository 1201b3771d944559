/** Changing a slot in the name of whoever has claimed it. */
import { type Kysely, sql, type UpdateObject } from 'kysely';
import type { Tables } from '../tables/tables.ts';
import type { LeaseColumns } from './rows.ts';

/** In a transaction nobody takes it over from here to the end. @returns false where somebody has */
export async function updateWithLease(
  db: Kysely<Tables>,
  columns: LeaseColumns,
  values: UpdateObject<Tables, 'slot'>,
  condition = sql<boolean>`true`,
): Promise<boolean> {
  const mine = db
    .updateTable('slot')
    .where((is) => is.and(columns))
    .where(condition);
  return (await mine.set(values).executeTakeFirst()).numUpdatedRows === 1n;
}
