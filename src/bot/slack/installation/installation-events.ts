/** Handles Slack's events about installations. They come in any order, late and more than once. */
import type { App } from '@slack/bolt';
import { type JsonRecord, readRecord } from '../../../shared/json.ts';
import type { Logger } from '../../../shared/log/logger.ts';
import type { Clock } from '../../../shared/time/clock.ts';
import type { Installations } from '../../store/repositories/installations.ts';
import { readInstallationId, readOrganizationId } from '../inbound/middleware/read-origin.ts';
import { isWorkspaceId } from '../inbound/middleware/read-payload.ts';
import { describe } from '../outbound/web-api/errors.ts';
import type { InstallationHealth } from './installation-health.ts';
import type { InstallationRegistry } from './registry.ts';

export type InstallationEventsDeps = {
  readonly health: InstallationHealth;
  readonly installations: Pick<Installations, 'find'>;
  readonly registry: InstallationRegistry;
  readonly clock: Clock;
  readonly log: Logger;
};

/** `tokens_revoked` names people, not tokens, so it may mean a token that was replaced long ago. */
export function listenToInstallationEvents(app: App, deps: InstallationEventsDeps): void {
  const { health, log } = deps;
  app.event('app_uninstalled', async ({ body }) => {
    const [id, at] = [readInstallationId(readRecord(body)), readTime(readRecord(body))];
    if (id === undefined || at === undefined)
      log.warn({ teamId: id }, 'uninstallation event lacks a workspace or a time');
    else await health.uninstall(id, at, 'Slack says so');
  });
  app.event('tokens_revoked', async ({ event, body }) => {
    const id = readInstallationId(readRecord(body));
    const bots = readRecord(readRecord(event)['tokens'])['bot'];
    if (id !== undefined && Array.isArray(bots) && bots.length > 0) await health.checkReported(id);
  });
  app.event('team_access_granted', async ({ event, body }) => welcomeTeams(deps, readRecord(event), readRecord(body)));
  app.event('team_access_revoked', async ({ event, body }) => dismissTeams(deps, readRecord(event), readRecord(body)));
}

/** Stores the workspaces to which an organization added the bot, as far as Slack's list confirms them. */
async function welcomeTeams(deps: InstallationEventsDeps, event: JsonRecord, body: JsonRecord): Promise<void> {
  const enterpriseId = readOrganizationId(body);
  if (enterpriseId === undefined) return;
  deps.registry.invalidate(enterpriseId);
  for (const teamId of readTeamIds(event)) {
    deps.registry.invalidate(teamId);
    await deps.registry.find(teamId, enterpriseId).catch((error: unknown) => {
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
  deps.registry.invalidate(enterpriseId);
  for (const teamId of readTeamIds(event)) {
    const installation = await deps.installations.find(teamId);
    if (installation?.isEnterpriseInstall !== true || installation.enterpriseId !== enterpriseId) continue;
    const requestedAt = deps.clock();
    deps.registry.invalidate(teamId);
    const at = await deps.registry.find(teamId, enterpriseId).then(
      (listed) => (listed ? undefined : requestedAt),
      () => eventAt,
    );
    if (at !== undefined) await deps.health.uninstall(teamId, at, 'its organization took it away');
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
