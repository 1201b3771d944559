/** Reads where a payload comes from: its workspace, and the organization if that installed the bot as a whole. */
import { type JsonRecord, readRecord, readText } from '../../../../shared/json.ts';
import { isEnterpriseId, isTeamId } from './read-payload.ts';

export type Origin = {
  /**
   * Workspaces that the payload names, the most reliable first, unchecked; the bot serves the first in which it is
   * installed. Never the person's home workspace (`user.team_id`, `user_team`).
   */
  readonly teamIds: readonly string[];
  /** Set if Slack says that the whole organization installed the bot. */
  readonly enterpriseId: string | undefined;
  readonly channelId: string | undefined;
};

/** @param body of any delivery: an event, a slash command or an interaction */
export function readOrigin(body: JsonRecord): Origin {
  if (body['event'] !== undefined) return readEventOrigin(body);
  if (body['command'] !== undefined) return readCommandOrigin(body);
  return readInteractionOrigin(body);
}

/** @returns true for a text in the place of a workspace's id, in any form; an organization is no workspace */
function isNamed(id: unknown): id is string {
  return typeof id === 'string' && !isEnterpriseId(id);
}

/**
 * https://docs.slack.dev/enterprise/developing-for-enterprise-orgs#events_api. In a channel of two companies `team_id`
 * and `context_team_id` may name the other one; `authorizations` names the installation, but for an organization it may
 * name no workspace or any of several.
 */
function readEventOrigin(body: JsonRecord): Origin {
  const authorization = readAuthorization(body);
  const enterpriseId =
    authorization['is_enterprise_install'] === true ? readEnterpriseId(authorization, body) : undefined;
  const isOwn = (id: unknown) => id === undefined || id === null || id === enterpriseId;
  const teamIds =
    enterpriseId === undefined
      ? [authorization['team_id'], body['context_team_id'], body['team_id']]
      : [
          isOwn(body['context_enterprise_id']) && body['context_team_id'],
          authorization['team_id'],
          isOwn(body['enterprise_id']) && body['team_id'],
        ];
  return {
    teamIds: teamIds.filter(isNamed),
    enterpriseId,
    channelId: readText(readRecord(body['event']), 'channel'),
  };
}

/** Slack lists one installation, also if several see the event. */
function readAuthorization({ authorizations }: JsonRecord): JsonRecord {
  return readRecord(Array.isArray(authorizations) ? authorizations[0] : undefined);
}

function readEnterpriseId(...places: readonly JsonRecord[]): string | undefined {
  return places.map((place) => place['enterprise_id'] ?? place['context_enterprise_id']).find(isEnterpriseId);
}

/** A command names the workspace in which it was typed. */
function readCommandOrigin(body: JsonRecord): Origin {
  const isWhole = body['is_enterprise_install'] === 'true' || body['is_enterprise_install'] === true;
  return {
    teamIds: [body['team_id']].filter(isNamed),
    enterpriseId: isWhole ? readEnterpriseId(body) : undefined,
    channelId: readText(body, 'channel_id'),
  };
}

/**
 * In an organization's installation `team` may be null (https://github.com/slackapi/bolt-python/pull/23). A modal opened
 * in a channel of two companies names the other one in `team` and ours in `app_installed_team_id`
 * (https://github.com/slackapi/bolt-js/issues/1614), which for two workspaces of one organization may be the wrong one
 * (https://github.com/slackapi/bolt-python/issues/1229): it comes last.
 */
function readInteractionOrigin(body: JsonRecord): Origin {
  const [team, view] = [readRecord(body['team']), readRecord(body['view'])];
  const [enterprise, container] = [readRecord(body['enterprise']), readRecord(body['container'])];
  const enterpriseId = [enterprise['id'], team['enterprise_id']].find(isEnterpriseId);
  return {
    teamIds: [team['id'], view['team_id'], view['app_installed_team_id'], readOwnMessageTeam(body)].filter(isNamed),
    enterpriseId: body['is_enterprise_install'] === true ? enterpriseId : undefined,
    channelId: readText(readRecord(body['channel']), 'id') ?? readText(container, 'channel_id'),
  };
}

/** @returns the workspace of a pressed message of this app; another author's message names their home instead */
function readOwnMessageTeam(body: JsonRecord): unknown {
  const message = readRecord(body['message']);
  return message['app_id'] !== undefined && message['app_id'] === body['api_app_id'] ? message['team'] : undefined;
}

/**
 * Reads the installation of an event about an installation, such as its end: a workspace's or an organization's.
 * @returns undefined if the event names none
 */
export function readInstallationId(body: JsonRecord): string | undefined {
  const { teamIds, enterpriseId } = readEventOrigin(body);
  if (enterpriseId !== undefined) return enterpriseId;
  // Without `authorizations` an organization is named in the place of a workspace.
  return teamIds[0] ?? [body['team_id'], body['enterprise_id']].find(isTeamId);
}

/** @returns the organization of `team_access_granted` and `team_access_revoked`, which belong to no single workspace */
export function readOrganizationId(body: JsonRecord): string | undefined {
  return readEnterpriseId(readAuthorization(body), body);
}
