/** The table of Web API methods, with the checks of token and scope before each call. */
import { type JsonRecord, readText } from '../../shared/json.ts';
import { Refused } from '../state/content.ts';
import type { Organization } from '../state/organization.ts';
import { findByToken, findChannel, findPerson, type Workspace } from '../state/workspace.ts';
import { getPermalink, postEphemeral, postMessage, remove, update } from './chat.ts';
import { conversationsHistory, conversationsInfo, conversationsOpen, conversationsReplies } from './conversations.ts';
import { completeUploadExternal, getUploadUrlExternal, removeFile } from './files.ts';
import { presentDetails, unfurl } from './links.ts';
import { type Call, type OpenCall, requireScope } from './method.ts';
import { oauthAccess } from './oauth.ts';
import { authTeamsList, authTest, botsInfo, usersInfo } from './users.ts';
import { openView, publishView, updateView } from './views.ts';

type Method = {
  /** @returns the fields of the reply without `ok` @throws Refused */
  readonly run: (call: Call) => JsonRecord;
  /** The required scope; none if left out. */
  readonly scope?: string;
  /** True if an organization's token may call it before a workspace has the app. */
  readonly needsNoWorkspace?: boolean;
};

const methods: ReadonlyMap<string, Method> = new Map<string, Method>([
  ['auth.teams.list', { run: authTeamsList, needsNoWorkspace: true }],
  ['auth.test', { run: authTest, needsNoWorkspace: true }],
  ['bots.info', { run: botsInfo, scope: 'users:read' }],
  ['chat.delete', { run: remove, scope: 'chat:write' }],
  ['chat.getPermalink', { run: getPermalink }],
  ['chat.postEphemeral', { run: postEphemeral, scope: 'chat:write' }],
  ['chat.postMessage', { run: postMessage, scope: 'chat:write' }],
  ['chat.unfurl', { run: unfurl, scope: 'links:write' }],
  ['chat.update', { run: update, scope: 'chat:write' }],
  ['conversations.history', { run: conversationsHistory }],
  ['conversations.info', { run: conversationsInfo }],
  ['conversations.open', { run: conversationsOpen, scope: 'im:write' }],
  ['conversations.replies', { run: conversationsReplies }],
  ['entity.presentDetails', { run: presentDetails }],
  ['files.completeUploadExternal', { run: completeUploadExternal, scope: 'files:write' }],
  ['files.delete', { run: removeFile, scope: 'files:write' }],
  ['files.getUploadURLExternal', { run: getUploadUrlExternal, scope: 'files:write' }],
  ['users.info', { run: usersInfo, scope: 'users:read' }],
  ['views.open', { run: openView }],
  ['views.publish', { run: publishView }],
  ['views.update', { run: updateView }],
]);

/** @param name for example `chat.postMessage` @returns the reply; a refusal names each problem with its JSON pointer */
export function callMethod(name: string, call: UncheckedCall): JsonRecord {
  try {
    return { ok: true, ...run(name, call) };
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    const errors = error.problems.map(({ pointer, reason }) => `${reason} [json-pointer:${pointer}]`);
    const pointers = { errors, response_metadata: { messages: errors.map((line) => `[ERROR] ${line}`) } };
    return { ok: false, error: error.message, ...(errors.length > 0 && pointers), ...error.fields };
  }
}

/** The token comes from the header, or from the body of a form. */
type UncheckedCall = OpenCall & { readonly token: string | undefined };

function run(name: string, call: UncheckedCall): JsonRecord {
  if (name === 'oauth.v2.access') return oauthAccess(call);
  const method = methods.get(name);
  if (!method) throw new Refused('unknown_method', [], { req_method: name.slice(0, 80) });
  const { token, workspaces } = call;
  if (token === undefined) throw new Refused('not_authed');
  const organization =
    workspaces.organizations.find(({ installation }) => installation.check(token) !== undefined) ?? null;
  const workspace = findWorkspace(organization, token, call);
  if (!workspace) throw new Refused('invalid_auth');
  const state = (organization ?? workspace).installation.check(token);
  if (state !== 'ok') throw new Refused(state ?? 'invalid_auth');
  if (organization && !organization.accessIds.has(workspace.teamId) && method.needsNoWorkspace !== true) {
    throw new Refused('team_access_not_granted');
  }
  if (method.scope !== undefined) requireScope(method.scope, workspace);
  return method.run({ ...call, workspace, token, organization });
}

/** An organization's token reaches several workspaces: the call's ids say which one is meant. */
function findWorkspace(
  organization: Organization | null,
  token: string,
  { fields, workspaces, triggers }: OpenCall,
): Workspace | undefined {
  if (!organization) return findByToken(workspaces.all, token);
  const all = workspaces.all.filter((each) => each.organization === organization);
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
