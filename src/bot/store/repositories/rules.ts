/** Repositories of a workspace's rules: the roles of its members, and its settings. */
import type { Kysely, Selectable } from 'kysely';
import { isRole, type Role } from '../../domain/role.ts';
import { defaultSettings, readWorkspaceSettings, type WorkspaceSettings } from '../../domain/workspace-settings.ts';
import { inTransaction } from '../dialect.ts';
import type { Tables } from '../tables/tables.ts';
import type { RoleTable } from '../tables/workspace-tables.ts';

export type Grant = {
  /** Slack's id of the person. */
  readonly userId: string;
  readonly role: Role;
  readonly grantedBy: string;
  readonly grantedAt: number;
};

export function createRoles(db: Kysely<Tables>) {
  return {
    /** @returns undefined for a person without a role */
    async of(teamId: string, userId: string) {
      const granted = db.selectFrom('role').selectAll();
      const row = await granted.where((is) => is.and({ team_id: teamId, user_id: userId })).executeTakeFirst();
      return row && grantsOf([row])[0]?.role;
    },
    /** @returns all grants, oldest first */
    async list(teamId: string) {
      const granted = db.selectFrom('role').selectAll().where('team_id', '=', teamId);
      return Object.freeze(grantsOf(await granted.orderBy('granted_at').orderBy('user_id').execute()));
    },
    /** Replaces the role the person had. */
    async grant(teamId: string, { userId, role, grantedBy, grantedAt }: Grant) {
      const values = { role, granted_by: grantedBy, granted_at: grantedAt };
      await db
        .insertInto('role')
        .values({ team_id: teamId, user_id: userId, ...values })
        .onConflict((conflict) => conflict.columns(['team_id', 'user_id']).doUpdateSet(values))
        .execute();
    },
    /** @returns true if there was one */
    async revoke(teamId: string, userId: string) {
      const { numDeletedRows } = await db
        .deleteFrom('role')
        .where((is) => is.and({ team_id: teamId, user_id: userId }))
        .executeTakeFirst();
      return numDeletedRows === 1n;
    },
  };
}

/** Ignores roles that this version does not know. */
function grantsOf(rows: readonly Selectable<RoleTable>[]): readonly Grant[] {
  return rows.flatMap(({ user_id: userId, role, granted_by: grantedBy, granted_at: grantedAt }) =>
    isRole(role) ? [Object.freeze({ userId, role, grantedBy, grantedAt })] : [],
  );
}

export type Settings = {
  /** @returns the defaults if nothing was chosen @throws AppError `internal` for settings in an unknown form */
  read(teamId: string): Promise<WorkspaceSettings>;
  /** @param at epoch milliseconds @returns the new settings @throws AppError as `read` */
  change(teamId: string, change: Partial<WorkspaceSettings>, by: string, at: number): Promise<WorkspaceSettings>;
};

export function createSettings(db: Kysely<Tables>): Settings {
  return {
    read: (teamId) => read(db, teamId),
    async change(teamId, change, by, at) {
      // The upsert locks the row, so that two concurrent changes of different settings are both kept.
      return inTransaction(db, async (step) => {
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
