/** The table of Web API methods, with the checks of token, token type and scope before each call. */
import type { JsonRecord } from '../../shared/json.ts';
import { findByToken } from '../state/workspace.ts';
import { getPermalink, postEphemeral, postMessage, remove, update } from './chat.ts';
import { conversationsHistory, conversationsInfo, conversationsOpen, conversationsReplies } from './conversations.ts';
import { completeUploadExternal, getUploadUrlExternal, removeFile } from './files.ts';
import { type Call, type Method, missingScope, type OpenMethod, type Reply, refuse } from './method.ts';
import { appsUninstall, authRevoke, oauthAccess } from './oauth.ts';
import { authTest, botsInfo, usersInfo, usersList } from './users.ts';
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
  ['auth.test', authTest],
  ['bots.info', botsInfo],
  ['chat.delete', remove],
  ['chat.getPermalink', getPermalink],
  ['chat.postEphemeral', postEphemeral],
  ['chat.postMessage', postMessage],
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

type CallDeps = Omit<Call, 'fields' | 'workspace' | 'token'>;

/** @param name for example `chat.postMessage` */
export function callMethod(name: string, fields: JsonRecord, credentials: Credentials, deps: CallDeps): Reply {
  const method = methods.get(name);
  if (!method) return refuse('unknown_method', { req_method: name.slice(0, 80) });
  if (method.token === 'none') return method.run({ ...deps, fields });
  const { token, appToken } = credentials;
  if (token === undefined) return refuse('not_authed');
  const isAppToken = token === appToken;
  const workspace = isAppToken ? deps.workspaces()[0] : findByToken(deps.workspaces(), token);
  if (!workspace) return refuse('invalid_auth');
  const state = isAppToken ? 'ok' : workspace.installation.check(token);
  if (state !== 'ok') return refuse(state ?? 'invalid_auth');
  if (isAppToken !== (method.token === 'app')) return refuse('not_allowed_token_type');
  if (method.scope !== null && !workspace.scopes.includes(method.scope)) return missingScope(method.scope, workspace);
  return method.run({ ...deps, fields, workspace, token });
}
