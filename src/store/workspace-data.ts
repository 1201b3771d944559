/** What goes away: all of a workspace, and everybody's rows whose time is over. */
import { type Kysely, sql } from 'kysely';
import { tableKeys, tableNames } from './table-keys.ts';
import type { Tables } from './tables.ts';

/** Removes every row of a workspace. */
export async function deleteWorkspace(db: Kysely<Tables>, teamId: string): Promise<void> {
  const tables = tableNames.filter((name) => tableKeys[name].some((column) => column === 'team_id'));
  await db.transaction().execute(async (step) => {
    for (const name of tables) await sql`delete from ${sql.table(name)} where team_id = ${teamId}`.execute(step);
  });
}

/** Removes what counts no more. @param now epoch milliseconds */
export async function deleteExpired(db: Kysely<Tables>, now: number): Promise<void> {
  for (const name of ['seen', 'oauth_state', 'lease'] as const) {
    await sql`delete from ${sql.table(name)} where expires_at <= ${now}`.execute(db);
  }
}
