/** OAuth v2 of the local Slack: the question, the code, the tokens, and how they end. */
import type { WebClient } from '@slack/web-api';
import { describe, expect, test } from 'vitest';
import { personId } from '../../../src/local-slack/state/seed.ts';
import type { SlackDriver } from '../../support/slack/driver.ts';
import { connectApp, localSlack, type SocketEvent, slackNow, webClient } from '../../support/slack/local-slack.ts';

const ada = personId('ada', 2);
const redirectUri = 'http://127.0.0.1:8080/slack/oauth_redirect';
const twelveHours = 43_200;

/** A workspace without the app, whose settings have one redirect URL; the clock is fixed. */
async function bare({ isRotating = false } = {}) {
  let now = slackNow;
  const slack = await localSlack({ clock: () => now });
  const { teamId } = slack.addWorkspace(null);
  slack.configureOAuth({ redirectUrls: [redirectUri], isRotating });
  const pass = (ms: number) => {
    now += ms;
  };
  return { slack, teamId, pass, client: webClient(slack, undefined), app: credentials(slack) };
}

function credentials({ clientId, clientSecret }: SlackDriver) {
  return { client_id: clientId, client_secret: clientSecret };
}

function question(slack: SlackDriver, more: Readonly<Record<string, string>> = {}): string {
  const parameters = {
    client_id: slack.clientId,
    scope: 'commands,chat:write',
    redirect_uri: redirectUri,
    state: 's-1',
    ...more,
  };
  return `${slack.url}/oauth/v2/authorize?${new URLSearchParams(parameters)}`;
}

/** A person allows the app. @returns the code */
function allowed(slack: SlackDriver): string {
  return new URL(slack.authorize(question(slack), { user: ada })).searchParams.get('code') ?? '';
}

async function installed(options: { readonly isRotating?: boolean } = {}) {
  const test = await bare(options);
  const answer = await test.client.oauth.v2.access({
    ...test.app,
    code: allowed(test.slack),
    redirect_uri: redirectUri,
  });
  return { ...test, token: answer.access_token ?? '', refresh_token: answer.refresh_token ?? '' };
}

const refused = (error: string) => expect.objectContaining({ data: expect.objectContaining({ error }) });
const works = async (slack: SlackDriver, token: string) => (await webClient(slack, token).auth.test()).team_id;

describe('allowing the app', () => {
  test('sends the browser back with a code and the state', async () => {
    const { slack } = await bare();
    const back = new URL(slack.authorize(question(slack), { user: ada }));
    expect(back.origin + back.pathname).toBe(redirectUri);
    expect([...back.searchParams]).toEqual([
      ['code', expect.stringMatching(/^\d+\.\d+\.[0-9a-f]{64}$/)],
      ['state', 's-1'],
    ]);
  });

  test('sends the browser back without a code if it is declined', async () => {
    const { slack } = await bare();
    const back = new URL(slack.authorize(question(slack), { user: ada, isAllowed: false }));
    expect([...back.searchParams]).toEqual([
      ['error', 'access_denied'],
      ['state', 's-1'],
    ]);
  });

  test.each([
    ['an unknown app', { client_id: '1.2' }, 'invalid_client_id'],
    ['a foreign redirect URL', { redirect_uri: 'http://evil.example/' }, 'bad_redirect_uri'],
    ['a redirect URL that only begins like the app’s', { redirect_uri: `${redirectUri}.evil` }, 'bad_redirect_uri'],
    ['no scopes', { scope: '' }, 'no_scopes'],
  ])('with %s does not redirect', async (_what, more, error) => {
    const { slack } = await bare();
    expect(() => slack.authorize(question(slack, more), { user: ada })).toThrow(error);
    const { status } = await fetch(question(slack, more), { redirect: 'manual' });
    expect(status).toBe(400);
  });

  test('cannot be done by the page of another site', async () => {
    const { slack } = await bare();
    const body = new URLSearchParams([...new URL(question(slack)).searchParams, ['user', ada], ['answer', 'allow']]);
    const post = (origin: string) =>
      fetch(`${slack.url}/oauth/v2/authorize`, { method: 'POST', body, headers: { origin }, redirect: 'manual' });
    expect((await post('http://evil.example')).status).toBe(403);
    expect((await post(slack.url)).headers.get('location')).toContain(redirectUri);
  });
});

describe('a code', () => {
  test('is exchanged for a token of its workspace, with the granted scopes', async () => {
    const { slack, client, app, teamId } = await bare();
    const answer = await client.oauth.v2.access({ ...app, code: allowed(slack), redirect_uri: redirectUri });
    expect(answer).toMatchObject({
      app_id: 'A01WORKFLOW',
      authed_user: { id: ada },
      scope: 'commands,chat:write',
      token_type: 'bot',
      access_token: expect.stringMatching(/^xoxb-/),
      bot_user_id: slack.useWorkspace(teamId).workspace.botUserId,
      team: { id: teamId, name: 'Local Slack 2' },
      enterprise: null,
      is_enterprise_install: false,
    });
    expect(answer).not.toHaveProperty('refresh_token');
    expect(await works(slack, answer.access_token ?? '')).toBe(teamId);
  });

  test('can be used once', async () => {
    const { slack, client, app } = await bare();
    const used = { ...app, code: allowed(slack), redirect_uri: redirectUri };
    await client.oauth.v2.access(used);
    await expect(client.oauth.v2.access(used)).rejects.toEqual(refused('code_already_used'));
  });

  test('expires after ten minutes', async () => {
    const { slack, client, app, pass } = await bare();
    const used = { ...app, code: allowed(slack), redirect_uri: redirectUri };
    pass(10 * 60_000);
    await expect(client.oauth.v2.access(used)).rejects.toEqual(refused('invalid_code'));
  });

  test.each([
    ['with another secret', { client_secret: 'x' }, 'bad_client_secret'],
    ['by another app', { client_id: '1.2' }, 'invalid_client_id'],
    ['for another address', { redirect_uri: 'http://127.0.0.1:8080/' }, 'bad_redirect_uri'],
    ['without the address it was given for', { redirect_uri: undefined }, 'bad_redirect_uri'],
    ['with another grant', { grant_type: 'password' }, 'invalid_grant_type'],
    ['that is unknown', { code: 'x' }, 'invalid_code'],
  ])('%s is refused, and not used up', async (_what, more, error) => {
    const { slack, client, app } = await bare();
    const right = { ...app, code: allowed(slack), redirect_uri: redirectUri };
    await expect(client.apiCall('oauth.v2.access', { ...right, ...more })).rejects.toEqual(refused(error));
    expect(await client.oauth.v2.access(right)).toMatchObject({ ok: true });
  });
});

describe('rotation', () => {
  const refresh = (client: WebClient, app: ReturnType<typeof credentials>, refresh_token: string) =>
    client.oauth.v2.access({ ...app, grant_type: 'refresh_token', refresh_token });

  test('limits tokens to twelve hours, and returns new ones for a refresh token once', async () => {
    const { slack, client, app, teamId, token, refresh_token, pass } = await installed({ isRotating: true });
    expect([token, refresh_token]).toEqual([
      expect.stringMatching(/^xoxe\.xoxb-1-/),
      expect.stringMatching(/^xoxe-1-/),
    ]);
    pass(twelveHours * 1000);
    await expect(works(slack, token)).rejects.toEqual(refused('token_expired'));
    const fresh = await refresh(client, app, refresh_token);
    expect(fresh).toMatchObject({ expires_in: twelveHours, team: { id: teamId }, token_type: 'bot' });
    expect(fresh).not.toHaveProperty('authed_user');
    expect(await works(slack, fresh.access_token ?? '')).toBe(teamId);
    await expect(refresh(client, app, refresh_token)).rejects.toEqual(refused('invalid_refresh_token'));
    expect(await refresh(client, app, fresh.refresh_token ?? '')).toMatchObject({ ok: true });
  });

  test('keeps the last two tokens valid', async () => {
    const { slack, client, app, token, refresh_token } = await installed({ isRotating: true });
    const second = await refresh(client, app, refresh_token);
    expect(await works(slack, token)).toBeDefined();
    await refresh(client, app, second.refresh_token ?? '');
    await expect(works(slack, token)).rejects.toEqual(refused('token_revoked'));
    expect(await works(slack, second.access_token ?? '')).toBeDefined();
  });
});

describe('the revocation', () => {
  /** The events that the app receives. */
  async function listening(slack: SlackDriver) {
    const heard: unknown[] = [];
    await connectApp(slack, {
      slack_event: ({ ack, body }: SocketEvent) => {
        heard.push([body['team_id'], body['event']]);
        return ack();
      },
    });
    return heard;
  }

  test('of the app revokes its tokens and refresh tokens, and removes its bot', async () => {
    const { slack, client, app, teamId, token, refresh_token } = await installed({ isRotating: true });
    await slack.uninstall(teamId);
    await expect(works(slack, token)).rejects.toEqual(refused('account_inactive'));
    expect(slack.useWorkspace(teamId).workspace.people.some(({ isBot }) => isBot)).toBe(false);
    const late = client.oauth.v2.access({ ...app, grant_type: 'refresh_token', refresh_token });
    await expect(late).rejects.toEqual(refused('invalid_refresh_token'));
  });

  test.each([
    [['tokens_revoked', 'app_uninstalled'] as const],
    [['app_uninstalled', 'tokens_revoked'] as const],
    [['app_uninstalled'] as const],
    [[] as const],
  ])('sends the events of the test: %j', async (events) => {
    const { slack, teamId } = await installed();
    const heard = await listening(slack);
    await slack.uninstall(teamId, events);
    expect(heard).toEqual(events.map((type) => [teamId, expect.objectContaining({ type })]));
  });

  test('of the app allows it to be installed again, also by hand', async () => {
    const { slack, teamId, token } = await installed();
    await slack.uninstall(teamId);
    const { accessToken } = slack.install(teamId, { scopes: ['chat:write'] });
    expect(accessToken).not.toBe(token);
    expect(await works(slack, accessToken)).toBe(teamId);
  });
});

test('any event of a workspace can be sent', async () => {
  const { slack, teamId } = await installed();
  const heard: unknown[] = [];
  await connectApp(slack, {
    slack_event: ({ ack, body }: SocketEvent) => {
      heard.push(body);
      return ack();
    },
  });
  await slack.sendEvent(teamId, { type: 'channel_shared', channel: 'C1' });
  expect(heard).toMatchObject([{ team_id: teamId, event: { type: 'channel_shared', channel: 'C1' } }]);
});
