/** A secret that is stored as plain text, by hand or by an older program, is found when the store opens, not when it leaks. */
import { type Kysely, sql } from 'kysely';
import { AppError } from '../../../shared/errors.ts';
import { sealedColumns } from '../tables/sealed-columns.ts';
import type { Tables } from '../tables/tables.ts';
import { envelopePrefix } from './envelope.ts';

/** @throws AppError `unavailable` that names the workspace and the column */
export async function refusePlainText(db: Kysely<Tables>): Promise<void> {
  for (const { table, column } of sealedColumns) {
    const { rows } = await sql<{ readonly team_id: string }>`
      select team_id from ${sql.table(table)}
      where substr(${sql.ref(column)}, 1, ${sql.lit(envelopePrefix.length)}) <> ${envelopePrefix} limit 1`.execute(db);
    if (!rows[0]) continue;
    throw new AppError('unavailable', `Workspace ${rows[0].team_id} has plain text in ${table}.${column}.`, {
      hint: 'Set that column to null, install or connect the workspace again, and renew what was stored there.',
    });
  }
}
