/** Deletes the rows of a workspace, and expired rows of every workspace. */
import { type Kysely, sql } from 'kysely';
import { type Tables, tableKeys, tableNames } from '../tables/tables.ts';

/** Removes every row of a workspace. */
export async function deleteWorkspace(db: Kysely<Tables>, teamId: string): Promise<void> {
  await db.transaction().execute((step) => deleteRows(step, teamId));
}

/** Removes every row of an uninstalled workspace. @returns false, and changes nothing, if it was installed again, or uninstalled after `before` */
export async function deleteUninstalled(db: Kysely<Tables>, teamId: string, before: number): Promise<boolean> {
  return db.transaction().execute(async (step) => {
    // A concurrent installation either waits for this transaction or is visible here.
    const { numDeletedRows } = await step
      .deleteFrom('installation')
      .where('team_id', '=', teamId)
      .where('uninstalled_at', '<', before)
      .executeTakeFirst();
    if (numDeletedRows === 1n) await deleteRows(step, teamId);
    return numDeletedRows === 1n;
  });
}

async function deleteRows(db: Kysely<Tables>, teamId: string): Promise<void> {
  const tables = tableNames.filter((name) => tableKeys[name].some((column) => column === 'team_id'));
  for (const name of tables) await sql`delete from ${sql.table(name)} where team_id = ${teamId}`.execute(db);
}

/** Time for which a finished digest stays in the delivery list. */
const outboxKeptMs = 90 * 86_400_000;

/** Removes expired rows. @param now epoch milliseconds */
export async function deleteExpired(db: Kysely<Tables>, now: number): Promise<void> {
  for (const name of ['idempotency_key', 'oauth_state', 'lease'] as const) {
    await sql`delete from ${sql.table(name)} where expires_at <= ${now}`.execute(db);
  }
  const before = now - outboxKeptMs;
  const done = sql`select team_id, subscription_id, occurrence_id from occurrence
    where state <> 'due' and due_at < ${before}`;
  await db.transaction().execute(async (step) => {
    await sql`delete from outbox_message where (team_id, subscription_id, occurrence_id) in (${done})`.execute(step);
    await step.deleteFrom('occurrence').where('state', '<>', 'due').where('due_at', '<', before).execute();
    await step.deleteFrom('subscription').where('removed_at', '<', before).execute();
  });
}
