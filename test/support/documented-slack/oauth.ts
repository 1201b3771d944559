/** OAuth's last step: the code that a browser returned with is exchanged for a token that expires. */
import type { JsonRecord } from '../../../src/shared/json.ts';
import type { Method } from './methods.ts';
import { SlackError } from './refusals.ts';
import { app, team } from './workspace.ts';

export type OauthApp = {
  readonly clientId: string;
  readonly clientSecret: string;
  /** Codes that Slack gave to browsers; each works once. */
  readonly codes: Set<string>;
  readonly redirectUrl: string;
  readonly installedBy: string;
};

/** https://docs.slack.dev/reference/methods/oauth.v2.access, with https://docs.slack.dev/authentication/using-token-rotation */
export function createOauthMethod({ clientId, clientSecret, codes, redirectUrl, installedBy }: OauthApp): Method {
  const grant = (scopes: readonly string[]): JsonRecord => ({
    ...{ access_token: app.expiringToken, token_type: 'bot', refresh_token: app.refreshToken, expires_in: 43_200 },
    ...{ scope: scopes.join(), bot_user_id: app.userId, app_id: app.id, team: { id: team.id, name: team.name } },
    ...{ enterprise: null, is_enterprise_install: false, authed_user: { id: installedBy } },
  });
  return {
    scope: null,
    run: (args, { scopes }) => {
      if (args['client_id'] !== clientId) throw new SlackError('invalid_client_id');
      if (args['client_secret'] !== clientSecret) throw new SlackError('bad_client_secret');
      if (args['redirect_uri'] !== redirectUrl) throw new SlackError('bad_redirect_uri');
      if (!codes.delete(String(args['code']))) throw new SlackError('invalid_code');
      return grant(scopes);
    },
  };
}
