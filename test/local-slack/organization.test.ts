/** An Enterprise organization in the local Slack: installation, tokens, people and payloads as Slack documents them. */
import { expect, test } from 'vitest';
import { channelId, personId } from '../../src/local-slack/state/seed.ts';
import type { JsonRecord } from '../../src/shared/json.ts';
import type { SlackDriver } from '../support/slack/driver.ts';
import { connectApp, localSlack, type SocketEvent, webClient } from '../support/slack/local-slack.ts';

/** Numbers of its workspaces. */
const [one, two] = [2, 3];
const [ada, ben] = [personId('ada', one), personId('ben', one)];
const redirectUri = 'https://bot.example.com/slack/oauth_redirect';

/** @returns the organization with the app in its first workspace, and Ben of the first in the second as well */
async function organized() {
  const slack = await localSlack();
  const { organization, workspaces } = slack.addOrganization();
  const [first, second] = workspaces.map(({ teamId }) => teamId);
  if (first === undefined || second === undefined) throw new Error('There are two workspaces.');
  const { accessToken } = slack.installOrganization(organization.id);
  slack.addPerson(second, ben);
  const heard: JsonRecord[] = [];
  const hear = async ({ ack, body }: SocketEvent) => {
    heard.push(body);
    await ack();
  };
  await connectApp(slack, { slash_commands: hear, interactive: hear, slack_event: async ({ ack }) => ack() });
  return { slack, organization, first, second, client: webClient(slack, accessToken), heard };
}

const pressable = (slack: SlackDriver, channel: string) => {
  const button = { type: 'button', action_id: 'go', text: { type: 'plain_text', text: 'Go' } } as const;
  const workspace = slack.workspaces().find(({ channels }) => channels.some(({ id }) => id === channel));
  const blocks = [{ type: 'actions' as const, block_id: 'b', elements: [button] }];
  return workspace?.history.post({ channel, user: workspace.botUserId, text: 'Go', blocks }).ts ?? '';
};

test('an organization’s token reaches the workspaces to which the app was added, and no other', async () => {
  const { slack, organization, first, second, client } = await organized();
  expect(await client.auth.test()).toMatchObject({ enterprise_id: organization.id, is_enterprise_install: true });
  await expect(client.users.info({ user: ben })).rejects.toMatchObject({ data: { error: 'team_access_not_granted' } });
  await slack.changeAccess(organization.id, [first, second], true);
  expect((await client.auth.teams.list()).teams?.map(({ id }) => id)).toEqual([first, second]);
  for (const number of [one, two]) {
    expect((await client.chat.postMessage({ channel: channelId('general', number), text: 'Hello' })).ok).toBe(true);
  }
  const elsewhere = client.chat.postMessage({ channel: channelId('general'), text: 'Hello' });
  await expect(elsewhere).rejects.toMatchObject({ data: { error: 'channel_not_found' } });
  await slack.uninstallOrganization(organization.id);
  await expect(client.auth.test()).rejects.toMatchObject({ data: { error: 'account_inactive' } });
  expect((await webClient(slack).auth.test()).ok).toBe(true);
});

// https://docs.slack.dev/reference/objects/user-object, https://github.com/slackapi/bolt-js/issues/1566
test('users.info names the home and every workspace of a person; admins are those of the organization', async () => {
  const { slack, organization, first, second, client } = await organized();
  await slack.changeAccess(organization.id, [first, second], true);
  const { user } = await client.users.info({ user: ben });
  expect(user).toMatchObject({
    team_id: first,
    is_admin: false,
    enterprise_user: { enterprise_id: organization.id, teams: [first, second] },
  });
  expect((await client.users.info({ user: ada })).user?.is_admin).toBe(true);
  expect((await client.users.info({ user: personId('ada', two) })).user?.is_admin).toBe(false);
});

// https://docs.slack.dev/reference/methods/bots.info
test('a method that needs a workspace refuses an organization’s token without one', async () => {
  const { slack, organization, first, client } = await organized();
  await slack.changeAccess(organization.id, [first], true);
  const bot = String((await client.auth.test()).bot_id);
  await expect(client.bots.info({ bot })).rejects.toMatchObject({ data: { error: 'missing_argument' } });
  expect((await client.bots.info({ bot, team_id: first })).bot?.app_id).toBe('A01WORKFLOW');
});

// https://github.com/slackapi/bolt-js/issues/1875, https://github.com/slackapi/bolt-python/pull/23
test('a command names the workspace in which it was typed; a press names no team and the person’s home', async () => {
  const { slack, organization, first, second, heard } = await organized();
  await slack.changeAccess(organization.id, [first, second], true);
  const channel = channelId('general', two);
  await slack.command({ user: ben, channel, text: '/workflow list' });
  await slack.press({ user: ben, channel, ts: pressable(slack, channel), actionId: 'go' });
  expect(heard).toMatchObject([
    { team_id: second, enterprise_id: organization.id, is_enterprise_install: 'true', user_id: ben },
    {
      team: null,
      enterprise: { id: organization.id },
      is_enterprise_install: true,
      user: { id: ben, team_id: first },
      channel: { id: channel },
    },
  ]);
});

test('workspaces of an organization that install the app themselves keep their team in presses', async () => {
  const { slack, organization, first, second, heard } = await organized();
  for (const teamId of [first, second]) slack.install(teamId);
  const channel = channelId('general', two);
  await slack.press({ user: ben, channel, ts: pressable(slack, channel), actionId: 'go' });
  expect(heard).toMatchObject([
    {
      team: { id: second, enterprise_id: organization.id },
      is_enterprise_install: false,
      user: { id: ben, team_id: first },
    },
  ]);
});

// https://docs.slack.dev/reference/methods/oauth.v2.access
test('an admin of the organization installs the app as a whole, another person cannot', async () => {
  const slack = await localSlack();
  const { organization } = slack.addOrganization();
  slack.configureOAuth({ redirectUrls: [redirectUri] });
  const query = new URLSearchParams({ client_id: slack.clientId, scope: 'chat:write', redirect_uri: redirectUri });
  const address = `${slack.url}/oauth/v2/authorize?${query}`;
  expect(await (await fetch(address)).text()).toContain(`value="${ada}:${organization.id}"`);
  expect(() => slack.authorize(address, { user: ben, organization: organization.id })).toThrow('user_not_found');
  const code = new URL(slack.authorize(address, { user: ada, organization: organization.id })).searchParams.get('code');
  const app = { client_id: slack.clientId, client_secret: slack.clientSecret, redirect_uri: redirectUri };
  expect(await webClient(slack).oauth.v2.access({ ...app, code: code ?? '' })).toMatchObject({
    team: null,
    enterprise: { id: organization.id },
    is_enterprise_install: true,
    authed_user: { id: ada },
  });
});

// https://docs.slack.dev/reference/objects/user-object
test('a person of another company who is in no shared channel of the app is a stranger', async () => {
  const slack = await localSlack();
  slack.addWorkspace();
  slack.addPerson(slack.workspace.teamId, personId('eva', 2));
  expect((await webClient(slack).users.info({ user: personId('eva', 2) })).user?.is_stranger).toBe(true);
  expect((await webClient(slack).users.info({ user: personId('ada') })).user?.is_stranger).toBe(false);
});

// https://docs.slack.dev/apis/slack-connect
test('a person of another company in a shared channel is listed with their own workspace, and has no commands', async () => {
  const slack = await localSlack();
  const { teamId } = slack.addWorkspace();
  const [eva, general] = [personId('eva', 2), channelId('general')];
  slack.addPerson(slack.workspace.teamId, eva);
  slack.changeChannel(general, { isShared: true, memberIds: [...slack.workspace.people.map(({ id }) => id)] });
  const { user } = await webClient(slack).users.info({ user: eva });
  expect(user).toMatchObject({ team_id: teamId, is_admin: false, is_stranger: false });
  expect(user?.enterprise_user).toBeUndefined();
  expect(await slack.command({ user: eva, channel: general, text: '/workflow list' })).toMatchObject({
    error: 'not_a_command',
  });
  const heard = new Promise<JsonRecord>((resolve) => {
    void connectApp(slack, {
      slack_event: async ({ ack, body }) => {
        await ack();
        resolve(body);
      },
    }).then(() => slack.say({ user: eva, channel: general, text: '@workflow-bot list' }));
  });
  expect(await heard).toMatchObject({
    team_id: slack.workspace.teamId,
    is_ext_shared_channel: true,
    event: { type: 'app_mention', user: eva, user_team: teamId },
  });
});
