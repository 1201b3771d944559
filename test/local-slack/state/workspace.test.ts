/** Several workspaces in one local Slack: whose people, whose tokens, whose events. */
import { describe, expect, test } from 'vitest';
import { channelId, personId } from '../../../src/local-slack/state/seed.ts';
import { connectApp, localSlack, type SocketEvent, webClient } from '../../support/slack/local-slack.ts';

const [ada, adaThere] = [personId('ada'), personId('ada', 2)];

/** Two workspaces, and an app in both that collects its payloads. */
async function two() {
  const slack = await localSlack();
  const second = slack.useWorkspace(slack.addWorkspace().teamId);
  const heard: SocketEvent['body'][] = [];
  await connectApp(slack, {
    slack_event: ({ ack, body }: SocketEvent) => {
      heard.push(body);
      return ack();
    },
  });
  return { slack, second, heard };
}

test('two workspaces share no id', async () => {
  const { slack } = await two();
  const ids = slack.workspaces().flatMap(({ teamId, botId, people, channels }) => {
    return [teamId, botId, ...people.map(({ id }) => id), ...channels.map(({ id }) => id)];
  });
  expect(new Set(ids).size).toBe(ids.length);
});

test('events name their workspace', async () => {
  const { slack, second, heard } = await two();
  await slack.command({ user: ada, channel: channelId('general'), text: '/workflow list' });
  await slack.command({ user: adaThere, channel: channelId('general', 2), text: '/workflow list' });
  slack.openHome({ user: adaThere });
  await expect.poll(() => heard.length).toBe(3);
  const there = second.workspace.teamId;
  expect(heard).toMatchObject([{ team_id: slack.workspace.teamId }, { team_id: there }, { team_id: there }]);
});

test('channels have no members of another workspace', async () => {
  const { slack } = await two();
  const typed = { user: adaThere, channel: channelId('general'), text: '/workflow list' };
  expect(await slack.command(typed)).toMatchObject({ error: 'channel_not_found' });
});

test('each workspace has the controls of the first one', async () => {
  const { slack, second } = await two();
  expect(second.botToken).not.toBe(slack.botToken);
  expect(await webClient(second).auth.test()).toMatchObject({ team_id: second.workspace.teamId });
  expect(() => slack.useWorkspace('T99NOWHERE')).toThrow('T99NOWHERE');
});

describe('a workspace without the app', () => {
  test('knows neither its command nor its bot, and no token works there', async () => {
    const slack = await localSlack();
    const bare = slack.addWorkspace(null);
    const typed = { user: adaThere, channel: channelId('general', 2), text: '/workflow list' };
    expect(await slack.command(typed)).toMatchObject({ error: 'not_a_command' });
    expect(bare.botToken).toBe('');
    expect(bare.people.some(({ isBot }) => isBot)).toBe(false);
    expect(bare.channels.some(({ memberIds }) => memberIds.includes(bare.botUserId))).toBe(false);
    expect(slack.openHome({ user: adaThere })).toBe(false);
  });
});

describe('people', () => {
  test('can become admins and lose that role', async () => {
    const slack = await localSlack();
    const client = webClient(slack);
    expect((await client.users.info({ user: ada })).user).toMatchObject({ is_admin: true, is_owner: true });
    slack.changePerson(ada, { isAdmin: false, isOwner: false });
    expect((await client.users.info({ user: ada })).user).toMatchObject({ is_admin: false, is_owner: false });
  });

  test('who are deactivated have no access', async () => {
    const slack = await localSlack();
    slack.changePerson(ada, { isDeleted: true });
    expect((await webClient(slack).users.info({ user: ada })).user).toMatchObject({ deleted: true });
    const typed = { user: ada, channel: channelId('general'), text: '/workflow list' };
    expect(await slack.command(typed)).toMatchObject({ error: 'channel_not_found' });
  });
});
