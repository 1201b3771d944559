/** oauth.v2.access. */
import { type JsonRecord, readText } from '../../shared/json.ts';
import type { InstallTarget } from '../oauth/oauth.ts';
import { Refused } from '../state/content.ts';
import type { Tokens } from '../state/installation.ts';
import type { OpenCall } from './method.ts';

/** Needs no token. */
export function oauthAccess(call: OpenCall): JsonRecord {
  const { fields, oauth } = call;
  if (readText(fields, 'client_id') !== oauth.clientId) throw new Refused('invalid_client_id');
  if (readText(fields, 'client_secret') !== oauth.clientSecret) throw new Refused('bad_client_secret');
  const grantType = readText(fields, 'grant_type') ?? 'authorization_code';
  if (grantType === 'authorization_code') return exchangeCode(call);
  if (grantType === 'refresh_token') return refreshTokens(call);
  throw new Refused('invalid_grant_type');
}

/** A failed exchange does not use up the code. */
function exchangeCode({ fields, oauth, app }: OpenCall): JsonRecord {
  const code = readText(fields, 'code') ?? '';
  const allowed = oauth.find(code);
  if (readText(fields, 'redirect_uri') !== allowed.namedRedirectUri) throw new Refused('bad_redirect_uri');
  oauth.use(code);
  const { scopes, userId } = allowed;
  const { installation } = allowed.organization ?? allowed.workspace;
  const tokens = installation.install(scopes, oauth.settings.isRotating === true);
  return { ...installed(allowed, tokens, app.id), authed_user: { id: userId } };
}

function refreshTokens({ fields, workspaces, app }: OpenCall): JsonRecord {
  const given = readText(fields, 'refresh_token') ?? '';
  const { all } = workspaces;
  const wholes = all.map((workspace) => ({ workspace, organization: workspace.organization }));
  for (const target of [...wholes, ...all.map((workspace) => ({ workspace, organization: null }))]) {
    const tokens = (target.organization ?? target.workspace).installation.refresh(given);
    if (tokens) return installed(target, tokens, app.id);
  }
  throw new Refused('invalid_refresh_token');
}

/** https://docs.slack.dev/reference/methods/oauth.v2.access */
function installed({ workspace, organization }: InstallTarget, tokens: Tokens, appId: string): JsonRecord {
  const { accessToken, refreshToken, expiresInSeconds } = tokens;
  const rotation: JsonRecord =
    refreshToken === null ? {} : { refresh_token: refreshToken, expires_in: expiresInSeconds };
  const { teamId, name, botUserId } = workspace;
  const around = organization ?? workspace.organization;
  return {
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
