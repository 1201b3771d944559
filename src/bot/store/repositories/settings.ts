/** What the admins of a workspace have chosen. */
import type { Kysely } from 'kysely';
import { defaultSettings, readWorkspaceSettings, type WorkspaceSettings } from '../../domain/workspace-settings.ts';
import type { Tables } from '../tables/tables.ts';

export type Settings = {
  /** @returns the defaults where nothing was chosen @throws AppError `internal` for a form that this version does not know */
  read(teamId: string): Promise<WorkspaceSettings>;
  /** @param change what is to be different @param at epoch milliseconds @returns what holds now @throws AppError as `read` */
  change(teamId: string, change: Partial<WorkspaceSettings>, by: string, at: number): Promise<WorkspaceSettings>;
};

export function createSettings(db: Kysely<Tables>): Settings {
  return {
    read: (teamId) => read(db, teamId),
    async change(teamId, change, by, at) {
      // Alone, so that two people who change different things at once both get their way.
      return db.transaction().execute(async (step) => {
        const values = { changed_by: by, changed_at: at };
        await step
          .insertInto('settings')
          .values({ team_id: teamId, value: '{}', ...values })
          .onConflict((conflict) => conflict.column('team_id').doUpdateSet(values))
          .execute();
        const settings = readWorkspaceSettings({ ...(await read(step, teamId)), ...change });
        await step
          .updateTable('settings')
          .set({ value: JSON.stringify(settings) })
          .where('team_id', '=', teamId)
          .execute();
        return settings;
      });
    },
  };
}

async function read(db: Kysely<Tables>, teamId: string): Promise<WorkspaceSettings> {
  const row = await db.selectFrom('settings').select('value').where('team_id', '=', teamId).executeTakeFirst();
  return row ? readWorkspaceSettings(JSON.parse(row.value)) : defaultSettings;
}
