/** Deletes the rows of a workspace, and expired rows of every workspace. */
import { type Kysely, sql } from 'kysely';
import { type Dialect, inTransaction } from '../dialect.ts';
import { type Tables, tableKeys, tableNames } from '../tables/tables.ts';
import { deleteExpiredAudit } from './audit.ts';

/** Removes every row of a workspace. */
export async function deleteWorkspace(db: Kysely<Tables>, teamId: string): Promise<void> {
  await inTransaction(db, (step) => deleteRows(step, teamId));
}

/** Removes every row of an uninstalled workspace. @returns false, and changes nothing, if it was installed again, or uninstalled after `before` */
export async function deleteUninstalled(db: Kysely<Tables>, teamId: string, before: number): Promise<boolean> {
  return inTransaction(db, async (step) => {
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

/** After this time a finished or removed digest is forgotten, and a thread, which then begins anew. */
const keptMs = 90 * 86_400_000;

/** Removes the rows of every workspace that have expired by the database's clock. */
export async function deleteExpired(db: Kysely<Tables>, dialect: Dialect): Promise<void> {
  for (const name of ['idempotency_key', 'oauth_state', 'lease'] as const) {
    await sql`delete from ${sql.table(name)} where expires_at <= ${dialect.now()}`.execute(db);
  }
  const before = dialect.after(-keptMs);
  const isDone = sql`state <> 'due' and due_at < ${before} and (state <> 'open' or claimable_at <= ${dialect.now()})`;
  const key = sql.raw('team_id, kind, subject, occurrence_id');
  await inTransaction(db, async (step) => {
    for (const part of ['posted_file', 'posted_message'] as const) {
      const gone = sql`select ${key} from delivery where ${isDone}`;
      await sql`delete from ${sql.table(part)} where (${key}) in (${gone})`.execute(step);
    }
    await sql`delete from delivery where ${isDone}`.execute(step);
  });
  await db.deleteFrom('subscription').where('removed_at', '<', before).execute();
  await deleteExpiredAudit(db, dialect);
}
