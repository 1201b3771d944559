/** Repository of owed welcomes: the message to the person who installed the bot, stored with the installation. */
import type { Kysely } from 'kysely';
import type { Tables } from '../tables/tables.ts';

/** Epoch milliseconds. */
export type OwedWelcome = {
  /** Time of the installation; a newer installation owes another welcome. */
  readonly dueAt: number;
  /** Start of the last attempt, whose outcome may be unknown; null before the first. */
  readonly startedAt: number | null;
};

const listMax = 1_000;

export function createWelcomes(db: Kysely<Tables>) {
  const owed = db
    .selectFrom('installation')
    .where('uninstalled_at', 'is', null)
    .where('welcome_due_at', 'is not', null);
  const change = (id: string, dueAt: number, to: { welcome_due_at?: null; welcome_started_at: number | null }) =>
    db
      .updateTable('installation')
      .set(to)
      .where((is) => is.and({ team_id: id, welcome_due_at: dueAt }))
      .execute();
  return {
    /** Belongs into the transaction that stores the installation. */
    async owe(id: string, dueAt: number): Promise<void> {
      const owing = { welcome_due_at: dueAt, welcome_started_at: null };
      await db.updateTable('installation').set(owing).where('team_id', '=', id).execute();
    },
    async find(id: string): Promise<OwedWelcome | undefined> {
      const row = await owed
        .select(['welcome_due_at', 'welcome_started_at'])
        .where('team_id', '=', id)
        .executeTakeFirst();
      return row?.welcome_due_at == null ? undefined : { dueAt: row.welcome_due_at, startedAt: row.welcome_started_at };
    },
    /** @returns ids of installations, the earliest first */
    async list(): Promise<readonly string[]> {
      const rows = await owed.select('team_id').orderBy('welcome_due_at').limit(listMax).execute();
      return rows.map(({ team_id }) => team_id);
    },
    async start(id: string, dueAt: number, at: number): Promise<void> {
      await change(id, dueAt, { welcome_started_at: at });
    },
    async settle(id: string, dueAt: number): Promise<void> {
      await change(id, dueAt, { welcome_due_at: null, welcome_started_at: null });
    },
  };
}
