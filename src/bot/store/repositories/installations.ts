/** Repository of installations: workspaces with the bot, and their encrypted tokens. */
import { randomUUID } from 'node:crypto';
import { type Kysely, type Selectable, sql } from 'kysely';
import { type Dialect, inTransaction } from '../dialect.ts';
import type { Secrets } from '../secrets/secrets.ts';
import { tokenLocation } from '../tables/sealed-columns.ts';
import type { Tables } from '../tables/tables.ts';
import type { InstallationTable } from '../tables/workspace-tables.ts';

export type Installation = {
  /** Id of the workspace; of the enterprise for an installation in the whole enterprise. */
  readonly teamId: string;
  readonly enterpriseId: string | null;
  readonly isEnterpriseInstall: boolean;
  readonly botUserId: string;
  readonly botId: string | null;
  /** Id of the Slack app; null if Slack did not send it. */
  readonly appId: string | null;
  readonly scopes: readonly string[];
  /** Slack's id of the person. */
  readonly installedBy: string;
  readonly installedAt: number;
  /** Null while the bot is installed. */
  readonly uninstalledAt: number | null;
  /** Null if tokens do not expire. */
  readonly tokenExpiresAt: number | null;
  /** Since when Slack refuses the token; null while it accepts it. */
  readonly refusedSince: number | null;
  /** Changes with every write of the tokens. */
  readonly version: string;
};

export type Tokens = {
  readonly botToken: string;
  /** Null if tokens do not expire. */
  readonly refreshToken: string | null;
  readonly tokenExpiresAt: number | null;
};

export type NewInstallation = Omit<Installation, 'teamId' | 'uninstalledAt' | 'refusedSince' | 'version'> & Tokens;

export type OpenTokens = Tokens & { readonly version: string };

const accepted = { refused_since: null, refused_error: null };

export function createInstallations(db: Kysely<Tables>, dialect: Dialect, secrets: Secrets) {
  const installed = db.selectFrom('installation').where('uninstalled_at', 'is', null);
  return {
    /**
     * Replaces an earlier installation; other data of the workspace stays.
     * @returns true if there was none, for one caller only @throws AppError `unavailable` without a keyring
     */
    async save(teamId: string, { botToken, refreshToken, tokenExpiresAt, ...installation }: NewInstallation) {
      const sealed = await sealTokens(secrets, teamId, { botToken, refreshToken, tokenExpiresAt });
      const values = { ...columnsOf(installation), ...sealed, ...accepted, uninstalled_at: null };
      return inTransaction(db, async (step) => {
        const { numInsertedOrUpdatedRows } = await step
          .insertInto('installation')
          .values({ team_id: teamId, ...values })
          .onConflict((conflict) => conflict.column('team_id').doNothing())
          .executeTakeFirst();
        if (numInsertedOrUpdatedRows === 1n) return true;
        await step.updateTable('installation').set(values).where('team_id', '=', teamId).execute();
        return false;
      });
    },
    /** @returns the installation, also an uninstalled one until the workspace's data is deleted */
    async find(teamId: string) {
      const row = await db.selectFrom('installation').selectAll().where('team_id', '=', teamId).executeTakeFirst();
      return row && installationOf(row);
    },
    /** @returns up to `count`, in the order of their ids @param after the last id of the previous page */
    async page(after: string, count: number) {
      const next = installed.selectAll().where('team_id', '>', after).orderBy('team_id').limit(count);
      return Object.freeze((await next.execute()).map(installationOf));
    },
    /**
     * Decrypts the tokens; call it just before their use.
     * @returns undefined if the bot is not installed
     * @throws AppError if they cannot be decrypted
     */
    async openTokens(teamId: string) {
      const row = await installed.selectAll().where('team_id', '=', teamId).executeTakeFirst();
      return row && openTokens(secrets, row);
    },
    /** @param version of the refreshed tokens @returns false, and changes nothing, if they were replaced meanwhile */
    async replaceTokens(teamId: string, version: string, tokens: Tokens) {
      const sealed = await sealTokens(secrets, teamId, tokens);
      const { numUpdatedRows } = await db
        .updateTable('installation')
        .set({ ...sealed, ...accepted })
        .where((is) => is.and({ team_id: teamId, version }))
        .where('uninstalled_at', 'is', null)
        .executeTakeFirst();
      return numUpdatedRows === 1n;
    },
    /**
     * Records that a workspace has the bot through its enterprise.
     * @returns true for one caller only; false, and changes nothing, if the bot is not installed in the enterprise, or the
     *   workspace has it already
     */
    saveGrant: (enterpriseId: string, teamId: string, at: number) => saveGrant(db, enterpriseId, teamId, at),
    /** @param error Slack's word @returns for how long Slack has refused the token with this word, ms */
    markRefused: (teamId: string, error: string) => markRefused(db, dialect, teamId, error),
    /** @returns true if Slack had refused the token */
    markAccepted: (teamId: string) => markAccepted(db, teamId),
    /**
     * Deletes tokens and API keys of a workspace, or of an enterprise and all workspaces that had the bot through it.
     * @param at time of Slack's event; a newer installation stays @returns the uninstalled workspaces
     */
    markUninstalled: (teamId: string, at: number) => inTransaction(db, (step) => markUninstalled(step, teamId, at)),
    /** @returns the workspaces that were uninstalled before this time */
    async uninstalledBefore(at: number) {
      const rows = await db.selectFrom('installation').select('team_id').where('uninstalled_at', '<', at).execute();
      return Object.freeze(rows.map(({ team_id }) => team_id));
    },
  };
}

/** All times are epoch milliseconds. */
export type Installations = ReturnType<typeof createInstallations>;

async function markRefused(db: Kysely<Tables>, dialect: Dialect, teamId: string, error: string): Promise<number> {
  const since = sql<number>`case when refused_error = ${error} then refused_since else ${dialect.now()} end`;
  const row = await db
    .updateTable('installation')
    .set({ refused_since: since, refused_error: error })
    .where('team_id', '=', teamId)
    .returning(sql<number>`${dialect.now()} - refused_since`.as('ms'))
    .executeTakeFirst();
  return row?.ms ?? 0;
}

async function markAccepted(db: Kysely<Tables>, teamId: string): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('installation')
    .set(accepted)
    .where('team_id', '=', teamId)
    .where('refused_since', 'is not', null)
    .executeTakeFirst();
  return numUpdatedRows === 1n;
}

async function saveGrant(db: Kysely<Tables>, enterpriseId: string, teamId: string, at: number): Promise<boolean> {
  const installed = db.selectFrom('installation').selectAll().where('uninstalled_at', 'is', null);
  const enterprise = await installed.where('team_id', '=', enterpriseId).executeTakeFirst();
  if (!enterprise) return false;
  const { team_id: _, ...columns } = enterprise;
  const tokenless = { bot_token: null, refresh_token: null, token_expires_at: null };
  const values = { ...columns, ...tokenless, ...accepted, version: randomUUID(), installed_at: at };
  const isElsewhere = sql<boolean>`installation.uninstalled_at is not null or
    (installation.is_enterprise_install = 1 and coalesce(installation.enterprise_id, '') <> ${enterpriseId})`;
  const { numInsertedOrUpdatedRows } = await db
    .insertInto('installation')
    .values({ team_id: teamId, ...values })
    .onConflict((conflict) => conflict.column('team_id').doUpdateSet(values).where(isElsewhere))
    .executeTakeFirst();
  return numInsertedOrUpdatedRows === 1n;
}

async function markUninstalled(db: Kysely<Tables>, teamId: string, at: number): Promise<readonly string[]> {
  const rows = await db
    .updateTable('installation')
    .set({ uninstalled_at: at, bot_token: null, refresh_token: null, token_expires_at: null })
    .where((is) => is.or([is('team_id', '=', teamId), is.and({ enterprise_id: teamId, is_enterprise_install: 1 })]))
    .where('installed_at', '<=', at)
    .where('uninstalled_at', 'is', null)
    .returning('team_id')
    .execute();
  const teamIds = rows.map(({ team_id }) => team_id);
  if (teamIds.length > 0) await db.deleteFrom('credential').where('team_id', 'in', teamIds).execute();
  return Object.freeze(teamIds);
}

async function sealTokens(secrets: Secrets, teamId: string, { botToken, refreshToken, tokenExpiresAt }: Tokens) {
  const version = randomUUID();
  const sealed = (column: 'bot_token' | 'refresh_token', token: string) =>
    secrets.seal(tokenLocation(teamId, column, version), token);
  return {
    version,
    bot_token: await sealed('bot_token', botToken),
    refresh_token: refreshToken === null ? null : await sealed('refresh_token', refreshToken),
    token_expires_at: tokenExpiresAt,
  };
}

async function openTokens(secrets: Secrets, row: Selectable<InstallationTable>): Promise<OpenTokens | undefined> {
  const { team_id: teamId, version, bot_token: botToken, refresh_token: refreshToken } = row;
  if (botToken === null) return undefined;
  const opened = (column: 'bot_token' | 'refresh_token', sealed: string) =>
    secrets.open(tokenLocation(teamId, column, version), sealed);
  return Object.freeze({
    botToken: await opened('bot_token', botToken),
    refreshToken: refreshToken === null ? null : await opened('refresh_token', refreshToken),
    tokenExpiresAt: row.token_expires_at,
    version,
  });
}

function columnsOf(installation: Omit<NewInstallation, keyof Tokens>) {
  return {
    enterprise_id: installation.enterpriseId,
    is_enterprise_install: Number(installation.isEnterpriseInstall),
    bot_user_id: installation.botUserId,
    bot_id: installation.botId,
    app_id: installation.appId,
    scopes: installation.scopes.join(),
    installed_by: installation.installedBy,
    installed_at: installation.installedAt,
  };
}

function installationOf(row: Selectable<InstallationTable>): Installation {
  return Object.freeze({
    teamId: row.team_id,
    enterpriseId: row.enterprise_id,
    isEnterpriseInstall: row.is_enterprise_install === 1,
    botUserId: row.bot_user_id,
    botId: row.bot_id,
    appId: row.app_id,
    scopes: Object.freeze(row.scopes.split(',').filter((scope) => scope !== '')),
    installedBy: row.installed_by,
    installedAt: row.installed_at,
    uninstalledAt: row.uninstalled_at,
    tokenExpiresAt: row.token_expires_at,
    refusedSince: row.refused_since,
    version: row.version,
  });
}
