/** Repository of installations: workspaces with the bot, and their encrypted tokens. */
import { randomUUID } from 'node:crypto';
import { type Kysely, type Selectable, sql } from 'kysely';
import { changesOne, type Dialect, inTransaction } from '../dialect.ts';
import { type Secrets, tokenLocation } from '../secrets/secrets.ts';
import type { InstallationTable, Tables } from '../tables.ts';

type Converted = 'isEnterpriseInstall' | 'scopes';

export type Installation = Readonly<
  Omit<InstallationTable, Converted | 'botToken' | 'refreshToken' | 'refusedError'>
> & { readonly isEnterpriseInstall: boolean; readonly scopes: readonly string[] };

export type Tokens = {
  readonly botToken: string;
  /** Null if tokens do not expire. */
  readonly refreshToken: string | null;
  readonly tokenExpiresAt: number | null;
};

export type NewInstallation = Omit<Installation, 'teamId' | 'uninstalledAt' | 'refusedSince' | 'version'> & Tokens;

const accepted = { refusedSince: null, refusedError: null };
const tokenless = { botToken: null, refreshToken: null, tokenExpiresAt: null };

export function createInstallations(db: Kysely<Tables>, dialect: Dialect, secrets: Secrets) {
  const installed = db.selectFrom('installation').where('uninstalledAt', 'is', null);
  return {
    ...createTokens(db, dialect, secrets),
    ...createRemovals(db),
    /**
     * Replaces an earlier installation; other data of the workspace stays.
     * @returns true if there was none, for one caller only @throws AppError `unavailable` without a keyring
     */
    async save(teamId: string, { botToken, refreshToken, tokenExpiresAt, ...installation }: NewInstallation) {
      const sealed = await sealTokens(secrets, teamId, { botToken, refreshToken, tokenExpiresAt });
      const columns = {
        isEnterpriseInstall: Number(installation.isEnterpriseInstall),
        scopes: installation.scopes.join(),
      };
      const values = { ...installation, ...columns, ...sealed, ...accepted, uninstalledAt: null };
      return inTransaction(db, async (step) => {
        const insert = step.insertInto('installation').values({ teamId, ...values });
        const isNew = await changesOne(insert.onConflict((conflict) => conflict.column('teamId').doNothing()));
        if (!isNew) await step.updateTable('installation').set(values).where('teamId', '=', teamId).execute();
        return isNew;
      });
    },
    /** @returns the installation, also an uninstalled one until the workspace's data is deleted */
    async find(teamId: string) {
      const row = await db.selectFrom('installation').selectAll().where('teamId', '=', teamId).executeTakeFirst();
      return row && installationOf(row);
    },
    /** @returns up to `count`, in the order of their ids @param after the last id of the previous page */
    async page(after: string, count: number) {
      const next = installed.selectAll().where('teamId', '>', after).orderBy('teamId').limit(count);
      return (await next.execute()).map(installationOf);
    },
    /**
     * Records that a workspace has the bot through its enterprise.
     * @returns true for one caller only; false, and changes nothing, if the bot is not installed in the enterprise, or the
     *   workspace has it already
     */
    async saveGrant(enterpriseId: string, teamId: string, at: number) {
      const enterprise = await installed.selectAll().where('teamId', '=', enterpriseId).executeTakeFirst();
      if (!enterprise) return false;
      const { teamId: _, ...columns } = enterprise;
      const values = { ...columns, ...tokenless, ...accepted, version: randomUUID(), installedAt: at };
      const isElsewhere = sql<boolean>`installation.uninstalled_at is not null or
        (installation.is_enterprise_install = 1 and coalesce(installation.enterprise_id, '') <> ${enterpriseId})`;
      const insert = db.insertInto('installation').values({ teamId, ...values });
      return changesOne(
        insert.onConflict((conflict) => conflict.column('teamId').doUpdateSet(values).where(isElsewhere)),
      );
    },
  };
}

/** All times are epoch milliseconds. */
export type Installations = ReturnType<typeof createInstallations>;

function createTokens(db: Kysely<Tables>, dialect: Dialect, secrets: Secrets) {
  const installed = db.selectFrom('installation').where('uninstalledAt', 'is', null);
  return {
    /**
     * Decrypts the tokens; call it just before their use.
     * @returns undefined if the bot is not installed
     * @throws AppError if they cannot be decrypted
     */
    async openTokens(teamId: string) {
      const row = await installed.selectAll().where('teamId', '=', teamId).executeTakeFirst();
      if (!row || row.botToken === null) return undefined;
      const { version, botToken, refreshToken, tokenExpiresAt } = row;
      const open = (column: TokenColumn, sealed: string) =>
        secrets.open(tokenLocation(teamId, column, version), sealed);
      return {
        botToken: await open('bot_token', botToken),
        refreshToken: refreshToken === null ? null : await open('refresh_token', refreshToken),
        tokenExpiresAt,
        version,
      };
    },
    /** @param version of the refreshed tokens @returns false, and changes nothing, if they were replaced meanwhile */
    async replaceTokens(teamId: string, version: string, tokens: Tokens) {
      const sealed = await sealTokens(secrets, teamId, tokens);
      const replaced = db.updateTable('installation').set({ ...sealed, ...accepted });
      return changesOne(replaced.where((is) => is.and({ teamId, version })).where('uninstalledAt', 'is', null));
    },
    /** @param error Slack's word @returns for how long Slack has refused the token with this word, ms */
    async markRefused(teamId: string, error: string) {
      const since = sql<number>`case when refused_error = ${error} then refused_since else ${dialect.now()} end`;
      const row = await db
        .updateTable('installation')
        .set({ refusedSince: since, refusedError: error })
        .where('teamId', '=', teamId)
        .returning(sql<number>`${dialect.now()} - refused_since`.as('ms'))
        .executeTakeFirst();
      return row?.ms ?? 0;
    },
    /** @returns true if Slack had refused the token */
    markAccepted(teamId: string) {
      const refused = db.updateTable('installation').where('teamId', '=', teamId).where('refusedSince', 'is not', null);
      return changesOne(refused.set(accepted));
    },
  };
}

function createRemovals(db: Kysely<Tables>) {
  return {
    /**
     * Deletes tokens and API keys of a workspace, or of an enterprise and all workspaces that had the bot through it.
     * @param at time of Slack's event; a newer installation stays @returns the uninstalled workspaces
     */
    markUninstalled(teamId: string, at: number): Promise<readonly string[]> {
      return inTransaction(db, async (step) => {
        const rows = await step
          .updateTable('installation')
          .set({ uninstalledAt: at, ...tokenless })
          .where((is) => is.or([is('teamId', '=', teamId), is.and({ enterpriseId: teamId, isEnterpriseInstall: 1 })]))
          .where('installedAt', '<=', at)
          .where('uninstalledAt', 'is', null)
          .returning('teamId')
          .execute();
        const teamIds = rows.map((row) => row.teamId);
        if (teamIds.length > 0) await step.deleteFrom('credential').where('teamId', 'in', teamIds).execute();
        return teamIds;
      });
    },
    /** @returns the workspaces that were uninstalled before this time */
    async uninstalledBefore(at: number): Promise<readonly string[]> {
      const rows = await db.selectFrom('installation').select('teamId').where('uninstalledAt', '<', at).execute();
      return rows.map(({ teamId }) => teamId);
    },
  };
}

type TokenColumn = Parameters<typeof tokenLocation>[1];

async function sealTokens(secrets: Secrets, teamId: string, { botToken, refreshToken, tokenExpiresAt }: Tokens) {
  const version = randomUUID();
  const seal = (column: TokenColumn, token: string) => secrets.seal(tokenLocation(teamId, column, version), token);
  return {
    version,
    botToken: await seal('bot_token', botToken),
    refreshToken: refreshToken === null ? null : await seal('refresh_token', refreshToken),
    tokenExpiresAt,
  };
}

function installationOf(row: Selectable<InstallationTable>): Installation {
  const { botToken: _, refreshToken: __, refusedError: ___, ...facts } = row;
  const scopes = Object.freeze(row.scopes.split(',').filter((scope) => scope !== ''));
  return Object.freeze({ ...facts, isEnterpriseInstall: row.isEnterpriseInstall === 1, scopes });
}
