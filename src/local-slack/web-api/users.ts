/** auth.test, bots.info, users.info, users.list. */
import { readText } from '../../shared/json.ts';
import type { Person } from '../state/seed.ts';
import { findPerson, type Workspace } from '../state/workspace.ts';
import { type Method, refuse } from './method.ts';

export const authTest: Method = {
  token: 'bot',
  scope: null,
  run: ({ workspace, baseUrl }) => ({
    ok: true,
    url: `${baseUrl}/`,
    team: workspace.name,
    user: findPerson(workspace, workspace.botUserId)?.name,
    team_id: workspace.teamId,
    user_id: workspace.botUserId,
    bot_id: workspace.botId,
    is_enterprise_install: false,
  }),
};

/** Knows only the app's own bot. */
export const botsInfo: Method = {
  token: 'bot',
  scope: 'users:read',
  run: ({ fields, workspace, appId }) => {
    const { botId, botUserId } = workspace;
    if (readText(fields, 'bot') !== botId) return refuse('bot_not_found');
    const name = findPerson(workspace, botUserId)?.name;
    return { ok: true, bot: { id: botId, deleted: false, name, user_id: botUserId, app_id: appId } };
  },
};

export const usersInfo: Method = {
  token: 'bot',
  scope: 'users:read',
  run: ({ fields, workspace }) => {
    const person = findPerson(workspace, readText(fields, 'user') ?? '');
    return person ? { ok: true, user: personForApps(person, workspace) } : refuse('user_not_found');
  },
};

/** Returns pages if there is a limit, otherwise all members at once. */
export const usersList: Method = {
  token: 'bot',
  scope: 'users:read',
  run: ({ fields, workspace }) => {
    const from = Number(readText(fields, 'cursor') ?? 0);
    const limit = Number(fields['limit'] ?? 0);
    if (!Number.isInteger(from) || from < 0) return refuse('invalid_cursor');
    if (!Number.isInteger(limit) || limit < 0 || limit > usersLimitMax) return refuse('invalid_limit');
    const { people } = workspace;
    const end = limit === 0 ? people.length : from + limit;
    const members = people.slice(from, end).map((person) => personForApps(person, workspace));
    return { ok: true, members, response_metadata: { next_cursor: end < people.length ? String(end) : '' } };
  },
};

const usersLimitMax = 1000;

function personForApps(person: Person, workspace: Workspace) {
  return {
    id: person.id,
    team_id: workspace.teamId,
    name: person.name,
    deleted: person.isDeleted,
    real_name: person.realName,
    tz: person.timeZone,
    tz_label: person.timeZone,
    tz_offset: zoneOffsetSeconds(person.timeZone),
    profile: { real_name: person.realName, display_name: person.name, team: workspace.teamId },
    is_admin: person.isAdmin,
    is_owner: person.isOwner,
    is_primary_owner: person.isOwner,
    is_restricted: person.guest !== null,
    is_ultra_restricted: person.guest === 'single_channel',
    is_stranger: false,
    is_bot: person.isBot,
    is_app_user: false,
  };
}

/** Parses the long name of the offset, such as `GMT+05:30`; `GMT` alone is 0. */
function zoneOffsetSeconds(timeZone: string): number {
  const parts = new Intl.DateTimeFormat('en', { timeZone, timeZoneName: 'longOffset' }).formatToParts();
  const name = parts.find(({ type }) => type === 'timeZoneName')?.value ?? '';
  const [, sign, hours = '0', minutes = '0'] = /([+-])(\d{2}):(\d{2})/.exec(name) ?? [];
  return (sign === '-' ? -1 : 1) * (Number(hours) * 3600 + Number(minutes) * 60);
}
