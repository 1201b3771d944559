/** Repositories of a workspace's rules: the roles of its members, and its settings. */
import type { Kysely } from 'kysely';
import { isRole, type Role } from '../../domain/role.ts';
import { defaultSettings, readWorkspaceSettings, type WorkspaceSettings } from '../../domain/workspace-settings.ts';
import { changesOne, inTransaction } from '../dialect.ts';
import type { RoleTable, Tables } from '../tables.ts';

export type Grant = Readonly<Omit<RoleTable, 'teamId' | 'role'>> & { readonly role: Role };

export function createRoles(db: Kysely<Tables>) {
  const granted = db.selectFrom('role').select(['userId', 'role', 'grantedBy', 'grantedAt']);
  return {
    /** @returns undefined for a person without a role */
    async of(teamId: string, userId: string) {
      const row = await granted.where((is) => is.and({ teamId, userId })).executeTakeFirst();
      return row && isRole(row.role) ? row.role : undefined;
    },
    /** @returns all grants, oldest first, without roles that this version does not know */
    async list(teamId: string): Promise<readonly Grant[]> {
      const rows = await granted.where('teamId', '=', teamId).orderBy('grantedAt').orderBy('userId').execute();
      return rows.flatMap(({ role, ...grant }) => (isRole(role) ? [{ ...grant, role }] : []));
    },
    /** Replaces the role the person had. */
    async grant(teamId: string, { userId, ...grant }: Grant) {
      const insert = db.insertInto('role').values({ teamId, userId, ...grant });
      await insert.onConflict((conflict) => conflict.columns(['teamId', 'userId']).doUpdateSet(grant)).execute();
    },
    /** @returns true if there was one */
    revoke: (teamId: string, userId: string) =>
      changesOne(db.deleteFrom('role').where((is) => is.and({ teamId, userId }))),
  };
}

export function createSettings(db: Kysely<Tables>) {
  return {
    /** @returns the defaults if nothing was chosen @throws AppError `internal` for settings in an unknown form */
    read: (teamId: string) => read(db, teamId),
    /** @param at epoch milliseconds @returns the new settings @throws AppError as `read` */
    change(teamId: string, change: Partial<WorkspaceSettings>, by: string, at: number): Promise<WorkspaceSettings> {
      // The upsert locks the row, so that two concurrent changes of different settings are both kept.
      return inTransaction(db, async (step) => {
        const values = { changedBy: by, changedAt: at };
        const insert = step.insertInto('settings').values({ teamId, value: '{}', ...values });
        await insert.onConflict((conflict) => conflict.column('teamId').doUpdateSet(values)).execute();
        const settings = readWorkspaceSettings({ ...(await read(step, teamId)), ...change });
        const update = step.updateTable('settings').set({ value: JSON.stringify(settings) });
        await update.where('teamId', '=', teamId).execute();
        return settings;
      });
    },
  };
}

async function read(db: Kysely<Tables>, teamId: string): Promise<WorkspaceSettings> {
  const row = await db.selectFrom('settings').select('value').where('teamId', '=', teamId).executeTakeFirst();
  return row ? readWorkspaceSettings(JSON.parse(row.value)) : defaultSettings;
}
