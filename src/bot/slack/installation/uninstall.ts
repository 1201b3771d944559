/** Uninstalls the bot from a workspace: deletes its secrets at once, clears the caches and writes an audit entry. */
import type { App } from '@slack/bolt';
import { readRecord } from '../../../shared/json.ts';
import type { Logger } from '../../../shared/log/logger.ts';
import type { AuditRecorder } from '../../domain/audit-action.ts';
import type { Installations } from '../../store/repositories/installations.ts';
import { isTeamId } from '../inbound/middleware/read-payload.ts';
import type { WorkspaceCache } from './installed-workspaces.ts';

export type UninstallDeps = {
  readonly installations: Pick<Installations, 'markUninstalled'>;
  readonly record: AuditRecorder;
  readonly cache: Pick<WorkspaceCache, 'forget'>;
  readonly log: Logger;
  /** Called after the removal, so that caches can drop what they know of the workspace. */
  readonly onGone: (teamId: string) => void;
};

/**
 * @param id of the installation: a workspace's or an enterprise's
 * @param at epoch milliseconds; a newer installation stays
 * @param why the reason in the audit
 */
export type Uninstall = (id: string, at: number, why: string) => Promise<void>;

export function createUninstall({ installations, record, cache, log, onGone }: UninstallDeps): Uninstall {
  return async (id, at, why) => {
    const teamIds = await installations.markUninstalled(id, at);
    cache.forget(id);
    for (const teamId of teamIds) {
      onGone(teamId);
      log.info({ teamId, why }, 'workspace uninstalled the bot');
      await record({ teamId, userId: null }, 'uninstalled', { why });
    }
  };
}

export type UninstallEventsDeps = {
  readonly leave: Uninstall;
  /** Checks the current token when Slack reports that some token was revoked. */
  readonly check: (id: string) => Promise<void>;
  readonly log: Logger;
};

/**
 * The two events come in either order, late and more than once. `tokens_revoked` names people, not tokens, so it may
 * mean a token that was replaced long ago.
 */
export function listenToUninstalls(app: App, { leave, check, log }: UninstallEventsDeps): void {
  app.event('app_uninstalled', async ({ body, context }) => {
    const at = Number(body.event_time) * 1000;
    const id = installationOf(context);
    if (id === undefined || !Number.isFinite(at))
      log.warn({ teamId: id }, 'uninstallation event lacks a workspace or a time');
    else await leave(id, at, 'Slack says so');
  });
  app.event('tokens_revoked', async ({ event, context }) => {
    const id = installationOf(context);
    const bots = readRecord(readRecord(event)['tokens'])['bot'];
    if (id !== undefined && Array.isArray(bots) && bots.length > 0) await check(id);
  });
}

function installationOf(context: {
  readonly isEnterpriseInstall: boolean;
  readonly enterpriseId?: string;
  readonly teamId?: string;
}): string | undefined {
  const id = context.isEnterpriseInstall ? context.enterpriseId : context.teamId;
  return isTeamId(id) ? id : undefined;
}
