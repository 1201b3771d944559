/** auth.test, auth.teams.list, bots.info, users.info. */
import { type JsonRecord, readText } from '../../shared/json.ts';
import { Refused } from '../state/content.ts';
import type { Organization } from '../state/organization.ts';
import type { Person } from '../state/seed.ts';
import { findPerson, isExternal, type Workspace } from '../state/workspace.ts';
import type { Call } from './method.ts';

export function authTest({ workspace, organization, baseUrl }: Call): JsonRecord {
  return {
    url: `${baseUrl}/`,
    team: organization?.name ?? workspace.name,
    user: findPerson(workspace, workspace.botUserId)?.name,
    team_id: organization?.id ?? workspace.teamId,
    user_id: workspace.botUserId,
    bot_id: workspace.botId,
    ...(workspace.organization && { enterprise_id: workspace.organization.id }),
    is_enterprise_install: organization !== null,
  };
}

/** https://docs.slack.dev/reference/methods/auth.teams.list: needs no scope. */
export function authTeamsList({ workspace, organization, workspaces }: Call): JsonRecord {
  const reached = organization
    ? workspaces.all.filter(({ teamId }) => organization.accessIds.has(teamId))
    : [workspace];
  return { teams: reached.map(({ teamId: id, name }) => ({ id, name })), response_metadata: { next_cursor: '' } };
}

/** Knows only the app's own bot. */
export function botsInfo({ fields, workspace, organization, app }: Call): JsonRecord {
  const { botId, botUserId } = workspace;
  if (organization && readText(fields, 'team_id') === undefined) throw new Refused('missing_argument');
  if (readText(fields, 'bot') !== botId) throw new Refused('bot_not_found');
  const name = findPerson(workspace, botUserId)?.name;
  return { bot: { id: botId, deleted: false, name, user_id: botUserId, app_id: app.id } };
}

export function usersInfo(call: Call): JsonRecord {
  const person = findPerson(call.workspace, readText(call.fields, 'user') ?? '');
  if (!person) throw new Refused('user_not_found');
  return { user: personForApps(person, call) };
}

/**
 * https://docs.slack.dev/reference/objects/user-object. With an organization's token `is_admin` is about the organization
 * (https://github.com/slackapi/bolt-js/issues/1566); a person of another company in a shared channel is no stranger
 * (https://docs.slack.dev/apis/slack-connect).
 */
function personForApps(person: Person, { workspace, workspaces, organization: ofToken }: Call) {
  const { organization } = workspace;
  const isOrganizationsAdmin = organization?.adminIds.has(person.id) ?? false;
  const isAdmin = ofToken ? isOrganizationsAdmin : person.isAdmin;
  const isOwner = ofToken ? isOrganizationsAdmin : person.isOwner;
  return {
    id: person.id,
    team_id: person.homeTeamId,
    name: person.name,
    deleted: person.isDeleted,
    real_name: person.realName,
    tz: person.timeZone,
    is_admin: isAdmin,
    is_owner: isOwner,
    is_primary_owner: isOwner,
    is_restricted: person.guest !== null,
    is_ultra_restricted: person.guest === 'single_channel',
    is_stranger: isStranger(workspace, person),
    is_bot: person.isBot,
    ...(organization &&
      !isExternal(workspace, person) && { enterprise_user: memberOf(organization, person, workspaces.all) }),
  };
}

/** True for a person of another company who is in no shared channel that the app can see. */
function isStranger(workspace: Workspace, person: Person): boolean {
  const isMet = workspace.channels.some(({ isShared, memberIds }) => {
    return isShared && memberIds.includes(person.id) && memberIds.includes(workspace.botUserId);
  });
  return isExternal(workspace, person) && !isMet;
}

function memberOf({ id, name, adminIds }: Organization, person: Person, workspaces: readonly Workspace[]) {
  const own = workspaces.filter((each) => each.organization?.id === id && findPerson(each, person.id));
  return {
    id: person.id,
    enterprise_id: id,
    enterprise_name: name,
    is_admin: adminIds.has(person.id),
    is_owner: adminIds.has(person.id),
    teams: own.map(({ teamId }) => teamId),
  };
}
