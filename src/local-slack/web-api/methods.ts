/** The table of Web API methods, with the checks of token, token type and scope before each call. */
import { type JsonRecord, readText } from '../../shared/json.ts';
import type { Organization } from '../state/organization.ts';
import { findByToken, findChannel, findPerson, type Workspace } from '../state/workspace.ts';
import { getPermalink, postEphemeral, postMessage, remove, update } from './chat.ts';
import { conversationsHistory, conversationsInfo, conversationsOpen, conversationsReplies } from './conversations.ts';
import { completeUploadExternal, getUploadUrlExternal, removeFile } from './files.ts';
import { presentDetails, unfurl } from './links.ts';
import { type Call, type Method, missingScope, type OpenMethod, type Reply, refuse } from './method.ts';
import { appsUninstall, authRevoke, oauthAccess } from './oauth.ts';
import { authTeamsList, authTest, botsInfo, usersInfo, usersList } from './users.ts';
import { openView, publishView, pushView, updateView } from './views.ts';

const openConnection: Method = {
  token: 'app',
  scope: null,
  run: ({ socketUrl }) => ({ ok: true, url: socketUrl() }),
};

const methods: ReadonlyMap<string, Method | OpenMethod> = new Map<string, Method | OpenMethod>([
  ['apps.uninstall', appsUninstall],
  ['apps.connections.open', openConnection],
  ['auth.revoke', authRevoke],
  ['auth.teams.list', authTeamsList],
  ['auth.test', authTest],
  ['bots.info', botsInfo],
  ['chat.delete', remove],
  ['chat.getPermalink', getPermalink],
  ['chat.postEphemeral', postEphemeral],
  ['chat.postMessage', postMessage],
  ['chat.unfurl', unfurl],
  ['entity.presentDetails', presentDetails],
  ['chat.update', update],
  ['conversations.history', conversationsHistory],
  ['conversations.info', conversationsInfo],
  ['conversations.open', conversationsOpen],
  ['conversations.replies', conversationsReplies],
  ['files.completeUploadExternal', completeUploadExternal],
  ['files.delete', removeFile],
  ['files.getUploadURLExternal', getUploadUrlExternal],
  ['oauth.v2.access', oauthAccess],
  ['users.info', usersInfo],
  ['users.list', usersList],
  ['views.open', openView],
  ['views.publish', publishView],
  ['views.push', pushView],
  ['views.update', updateView],
]);

export type Credentials = {
  /** Token from the header, or from the body of a form. */
  readonly token: string | undefined;
  readonly appToken: string;
};

type CallDeps = Omit<Call, 'fields' | 'organization' | 'token' | 'workspace'>;

/** @param name for example `chat.postMessage` */
export function callMethod(name: string, fields: JsonRecord, credentials: Credentials, deps: CallDeps): Reply {
  const method = methods.get(name);
  if (!method) return refuse('unknown_method', { req_method: name.slice(0, 80) });
  if (method.token === 'none') return method.run({ ...deps, fields });
  const { token, appToken } = credentials;
  if (token === undefined) return refuse('not_authed');
  const isAppToken = token === appToken;
  const organization = deps.organizations().find(({ installation }) => installation.check(token) !== undefined) ?? null;
  const workspace = isAppToken ? deps.workspaces()[0] : findWorkspace(organization, token, fields, deps);
  if (!workspace) return refuse('invalid_auth');
  const state = isAppToken ? 'ok' : (organization ?? workspace).installation.check(token);
  if (state !== 'ok') return refuse(state ?? 'invalid_auth');
  if (isAppToken !== (method.token === 'app')) return refuse('not_allowed_token_type');
  if (organization && !organization.accessIds.has(workspace.teamId) && method.needsNoWorkspace !== true) {
    return refuse('team_access_not_granted');
  }
  if (method.scope !== null && !workspace.scopes.includes(method.scope)) return missingScope(method.scope, workspace);
  return method.run({ ...deps, fields, workspace, token, organization });
}

/** An organization's token reaches several workspaces: the call's ids say which one is meant. */
function findWorkspace(
  organization: Organization | null,
  token: string,
  fields: JsonRecord,
  { workspaces, triggers }: CallDeps,
): Workspace | undefined {
  if (!organization) return findByToken(workspaces(), token);
  const all = workspaces().filter((each) => each.organization === organization);
  const reached = all.filter(({ teamId }) => organization.accessIds.has(teamId));
  const named = (name: string) => readText(fields, name) ?? '';
  const [channel, user, trigger] = [
    named('channel') || named('channel_id'),
    named('user') || named('user_id') || named('users') || named('channel'),
    triggers.workspaceOf(named('trigger_id')),
  ];
  return (
    reached.find(({ teamId }) => teamId === named('team_id')) ??
    reached.find((each) => each === trigger || each.views.find(named('view_id')) || findChannel(each, channel)) ??
    reached.find((each) => findPerson(each, user)) ??
    reached[0] ??
    all[0]
  );
}
