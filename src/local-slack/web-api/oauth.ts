/** oauth.v2.access, auth.revoke, apps.uninstall. */

import { type JsonRecord, readText } from '../../shared/json.ts';
import type { InstallTarget } from '../oauth/oauth.ts';
import { flagField } from '../server/http.ts';
import type { Tokens } from '../state/installation.ts';
import { type Method, type OpenCall, type OpenMethod, type Reply, refuse } from './method.ts';

export const oauthAccess: OpenMethod = {
  token: 'none',
  run: (call) => {
    const refusal = wrongClient(call);
    if (refusal) return refusal;
    const grantType = readText(call.fields, 'grant_type') ?? 'authorization_code';
    if (grantType === 'authorization_code') return exchangeCode(call);
    return grantType === 'refresh_token' ? refreshTokens(call) : refuse('invalid_grant_type');
  },
};

/** Revokes one token; the app stays installed. */
export const authRevoke: Method = {
  token: 'bot',
  scope: null,
  run: ({ fields, token, workspace, lifecycle }) => {
    if (flagField(fields, 'test')) return { ok: true, revoked: false };
    lifecycle.revoke(workspace, token);
    return { ok: true, revoked: true };
  },
};

export const appsUninstall: Method = {
  token: 'bot',
  scope: null,
  run: (call) => {
    const refusal = wrongClient(call);
    if (refusal) return refusal;
    if (call.organization) void call.lifecycle.uninstallOrganization(call.organization);
    else void call.lifecycle.uninstall(call.workspace);
    return { ok: true };
  },
};

function wrongClient({ fields, oauth }: Pick<OpenCall, 'fields' | 'oauth'>): Reply | undefined {
  if (readText(fields, 'client_id') !== oauth.clientId) return refuse('invalid_client_id');
  return readText(fields, 'client_secret') === oauth.clientSecret ? undefined : refuse('bad_client_secret');
}

/** A failed exchange does not use up the code. */
function exchangeCode({ fields, oauth, appId }: OpenCall): Reply {
  const code = readText(fields, 'code') ?? '';
  const allowed = oauth.find(code);
  if (typeof allowed === 'string') return refuse(allowed);
  if (readText(fields, 'redirect_uri') !== allowed.namedRedirectUri) return refuse('bad_redirect_uri');
  oauth.use(code);
  const { scopes, userId } = allowed;
  const { installation } = allowed.organization ?? allowed.workspace;
  const tokens = installation.install(scopes, oauth.settings().isRotating === true);
  return { ...installed(allowed, tokens, appId), authed_user: { id: userId } };
}

function refreshTokens({ fields, workspaces, organizations, appId }: OpenCall): Reply {
  const given = readText(fields, 'refresh_token') ?? '';
  for (const organization of organizations()) {
    const workspace = workspaces().find((each) => each.organization === organization);
    const tokens = workspace && organization.installation.refresh(given);
    if (tokens) return installed({ workspace, organization }, tokens, appId);
  }
  for (const workspace of workspaces()) {
    const tokens = workspace.installation.refresh(given);
    if (tokens) return installed({ workspace, organization: null }, tokens, appId);
  }
  return refuse('invalid_refresh_token');
}

/** https://docs.slack.dev/reference/methods/oauth.v2.access */
function installed({ workspace, organization }: InstallTarget, tokens: Tokens, appId: string): Reply {
  const { accessToken, refreshToken, expiresInSeconds } = tokens;
  const rotation: JsonRecord =
    refreshToken === null ? {} : { refresh_token: refreshToken, expires_in: expiresInSeconds };
  const { teamId, name, botUserId } = workspace;
  const around = organization ?? workspace.organization;
  return {
    ok: true,
    app_id: appId,
    scope: (organization ?? workspace).installation.scopes().join(','),
    token_type: 'bot',
    access_token: accessToken,
    bot_user_id: botUserId,
    ...rotation,
    team: organization ? null : { id: teamId, name },
    enterprise: around && { id: around.id, name: around.name },
    is_enterprise_install: organization !== null,
  };
}
