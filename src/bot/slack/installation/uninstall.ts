/** Ends installations, deleting their secrets at once, and handles Slack's events about installations. */
import type { App } from '@slack/bolt';
import { type JsonRecord, readRecord } from '../../../shared/json.ts';
import type { Logger } from '../../../shared/log/logger.ts';
import type { Clock } from '../../../shared/time/clock.ts';
import type { AuditedChange } from '../../store/audit-recorder.ts';
import type { Installations } from '../../store/repositories/installations.ts';
import { readInstallationId, readOrganizationId } from '../inbound/middleware/read-origin.ts';
import { isWorkspaceId } from '../inbound/middleware/read-payload.ts';
import { describe } from '../outbound/web-api/errors.ts';
import type { WorkspaceCache } from './installed-workspaces.ts';
import type { MissingScopes } from './missing-scopes.ts';
import type { Workspaces } from './workspaces.ts';

export type UninstallDeps = {
  readonly audited: AuditedChange;
  readonly cache: Pick<WorkspaceCache, 'forget'>;
  readonly log: Logger;
  /** Called after the removal, so that caches can drop what they know of the workspace. */
  readonly onGone: (teamId: string) => void;
  readonly scopes: Pick<MissingScopes, 'forget'>;
};

/**
 * @param id of the installation: a workspace's or an enterprise's
 * @param at epoch milliseconds; a newer installation stays
 * @param why the reason in the audit
 */
export type Uninstall = (id: string, at: number, why: string) => Promise<void>;

export function createUninstall({ audited, cache, log, onGone, scopes }: UninstallDeps): Uninstall {
  return async (id, at, why) => {
    const teamIds = await audited(async ({ installations }, record) => {
      const left = await installations.markUninstalled(id, at);
      for (const teamId of left) await record({ teamId, userId: null }, 'uninstalled', { why });
      return left;
    });
    cache.forget(id);
    scopes.forget(id);
    for (const teamId of teamIds) {
      onGone(teamId);
      log.info({ teamId, why }, 'workspace uninstalled the bot');
    }
  };
}

export type InstallationEventsDeps = {
  readonly uninstall: Uninstall;
  /** Checks the current token when Slack reports that some token was revoked. */
  readonly check: { readonly checkReported: (id: string) => Promise<void> };
  readonly installations: Pick<Installations, 'find'>;
  readonly workspaces: Pick<Workspaces, 'find'>;
  /** Drops what is cached about an organization and its workspaces. */
  readonly forget: (enterpriseId: string) => void;
  readonly clock: Clock;
  readonly log: Logger;
};

/**
 * Listens to the events about an installation. They come in any order, late and more than once. `tokens_revoked` names
 * people, not tokens, so it may mean a token that was replaced long ago.
 */
export function listenToInstallationEvents(app: App, deps: InstallationEventsDeps): void {
  const { uninstall, check, log } = deps;
  app.event('app_uninstalled', async ({ body }) => {
    const [id, at] = [readInstallationId(readRecord(body)), readTime(readRecord(body))];
    if (id === undefined || at === undefined)
      log.warn({ teamId: id }, 'uninstallation event lacks a workspace or a time');
    else await uninstall(id, at, 'Slack says so');
  });
  app.event('tokens_revoked', async ({ event, body }) => {
    const id = readInstallationId(readRecord(body));
    const bots = readRecord(readRecord(event)['tokens'])['bot'];
    if (id !== undefined && Array.isArray(bots) && bots.length > 0) await check.checkReported(id);
  });
  app.event('team_access_granted', async ({ event, body }) => welcomeTeams(deps, readRecord(event), readRecord(body)));
  app.event('team_access_revoked', async ({ event, body }) => dismissTeams(deps, readRecord(event), readRecord(body)));
}

/** Stores the workspaces to which an organization added the bot, as far as Slack's list confirms them. */
async function welcomeTeams(deps: InstallationEventsDeps, event: JsonRecord, body: JsonRecord): Promise<void> {
  const enterpriseId = readOrganizationId(body);
  if (enterpriseId === undefined) return;
  deps.forget(enterpriseId);
  for (const teamId of readTeamIds(event)) {
    await deps.workspaces.find(teamId, enterpriseId).catch((error: unknown) => {
      deps.log.warn({ teamId, error: describe(error) }, 'workspace of an organization could not be added yet');
    });
  }
}

/**
 * A workspace that installed the bot itself keeps it, and so does one that Slack lists again: the event is outdated. If
 * Slack does not list the workspaces, the event is believed.
 */
async function dismissTeams(deps: InstallationEventsDeps, event: JsonRecord, body: JsonRecord): Promise<void> {
  const [enterpriseId, eventAt] = [readOrganizationId(body), readTime(body)];
  if (enterpriseId === undefined || eventAt === undefined) return;
  deps.forget(enterpriseId);
  for (const teamId of readTeamIds(event)) {
    const installation = await deps.installations.find(teamId);
    if (installation?.isEnterpriseInstall !== true || installation.enterpriseId !== enterpriseId) continue;
    const requestedAt = deps.clock();
    const at = await deps.workspaces.find(teamId, enterpriseId).then(
      (listed) => (listed ? undefined : requestedAt),
      () => eventAt,
    );
    if (at !== undefined) await deps.uninstall(teamId, at, 'its organization took it away');
  }
}

const teamsMax = 1_000;

function readTeamIds({ team_ids: teamIds }: JsonRecord): readonly string[] {
  return Array.isArray(teamIds) ? teamIds.filter(isWorkspaceId).slice(0, teamsMax) : [];
}

/** @returns the time of the event, epoch milliseconds */
function readTime({ event_time: seconds }: JsonRecord): number | undefined {
  return typeof seconds === 'number' && Number.isFinite(seconds) ? seconds * 1000 : undefined;
}
