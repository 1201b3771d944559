/** Slash commands through the real SDK: what the app receives, and what the person reads. */
import { describe, expect, test } from 'vitest';
import { slackAckTimeoutMs } from '../../../src/local-slack/server/server.ts';
import { channelId, directId, personId } from '../../../src/local-slack/state/seed.ts';
import { startControl } from '../../support/runner/control.ts';
import type { SlackDriver } from '../../support/slack/driver.ts';
import { connectApp, localSlack, type SocketEvent } from '../../support/slack/local-slack.ts';

const ada = personId('ada');
const ben = personId('ben');
const general = channelId('general');

const type = (slack: SlackDriver, text: string, channel = general) => slack.command({ user: ada, channel, text });

/** @returns the app's answers to come, each command's payload in turn */
async function listening(answer: unknown = undefined, options: Parameters<typeof localSlack>[0] = {}) {
  const slack = await localSlack(options);
  const received: SocketEvent[] = [];
  await connectApp(slack, {
    slash_commands: (event) => {
      received.push(event);
      return event.ack(answer);
    },
  });
  return { slack, received };
}

describe('the app receives', () => {
  test('the person, the text and the conversation, with a response_url and a trigger', async () => {
    const { slack, received } = await listening();
    await type(slack, '/workflow  status payments ');
    expect(received[0]).toMatchObject({
      accepts_response_payload: true,
      body: {
        team_id: slack.workspace.teamId,
        team_domain: 'local-slack',
        channel_id: general,
        channel_name: 'general',
        user_id: ada,
        user_name: 'ada',
        command: '/workflow',
        text: 'status payments',
        api_app_id: expect.stringMatching(/^A/),
        response_url: expect.stringContaining(`${slack.url}/commands/`),
        trigger_id: expect.stringMatching(/^\d+\.\d+\.[0-9a-f]{32}$/),
        is_enterprise_install: 'false',
        token: expect.any(String),
      },
    });
  });

  test.each([
    ['status @ben in #payments', `status <@${ben}|ben> in <#${channelId('payments')}|payments>`],
    ['status @nobody #nowhere a@ben', 'status @nobody #nowhere a@ben'],
    ['a < b && c > d', 'a &lt; b &amp;&amp; c &gt; d'],
    ['<!channel>', '&lt;!channel&gt;'],
    ['@here @channel', '<!here> <!channel>'],
    ['see https://example.com/?a=1&b=2 now', 'see <https://example.com/?a=1&amp;b=2> now'],
    ['', ''],
  ])('%j escaped as Slack does with should_escape', async (typed, text) => {
    const { slack, received } = await listening();
    await type(slack, `/workflow ${typed}`);
    expect(received[0]?.body['text']).toBe(text);
  });

  test.each([
    [directId('ada'), 'directmessage'],
    [channelId('incident-room'), 'privategroup'],
  ])('a command from %s, also without the bot in it, with the name %s', async (channel, name) => {
    const { slack, received } = await listening();
    await type(slack, '/workflow list', channel);
    expect(received[0]?.body).toMatchObject({ channel_id: channel, channel_name: name });
  });
});

describe('the person reads', () => {
  test('the message of the acknowledgement, which nobody else sees', async () => {
    const { slack } = await listening({ text: 'hello' });
    expect(await type(slack, '/workflow status')).toMatchObject({ ok: true, message: { text: 'hello', viewer: ada } });
    expect(slack.messages({ channel: general, viewer: ada })).toHaveLength(1);
    expect(slack.messages({ channel: general, viewer: ben })).toEqual([]);
  });

  test('nothing after a bare acknowledgement', async () => {
    const { slack } = await listening();
    expect(await type(slack, '/workflow status')).toMatchObject({ ok: true, message: null });
    expect(slack.messages({ channel: general, viewer: ada })).toEqual([]);
  });

  test('the command and its reply like all members, for in_channel', async () => {
    const { slack } = await listening({ text: 'hello', response_type: 'in_channel' });
    await type(slack, '/workflow status');
    expect(slack.messages({ channel: general, viewer: ben })).toMatchObject([
      { user: ada, text: '/workflow status' },
      { user: slack.workspace.botUserId, text: 'hello', isEphemeral: false },
    ]);
  });

  test.each([
    [{ blocks: [{ type: 'alert', text: { type: 'plain_text', text: 'no' } }] }],
    [{ blocks: [{ type: 'section', text: { type: 'mrkdwn', text: 'x'.repeat(3_001) } }] }],
  ])('that the command failed, when Slack refuses the acknowledgement’s content', async (answer) => {
    const { slack } = await listening(answer);
    expect(await type(slack, '/workflow status')).toMatchObject({
      error: 'invalid_command_response',
      message: { user: 'USLACKBOT', viewer: ada, text: '/workflow failed with the error "invalid_command_response"' },
    });
  });

  test('operation_timeout when the app does not acknowledge, and nothing more when it does so late', async () => {
    const slack = await localSlack({ ackTimeoutMs: 30 });
    const late: SocketEvent[] = [];
    await connectApp(slack, { slash_commands: (event) => late.push(event) });
    expect(await type(slack, '/workflow status')).toMatchObject({
      error: 'operation_timeout',
      message: { user: 'USLACKBOT', viewer: ada, text: '/workflow failed with the error "operation_timeout"' },
    });
    await late[0]?.ack({ text: 'too late' });
    await type(slack, '/other');
    expect(slack.messages({ channel: general, viewer: ada }).map(({ user }) => user)).toEqual([
      'USLACKBOT',
      'USLACKBOT',
    ]);
  });

  test('the timeout after three seconds', async () => {
    const slack = await localSlack({ ackTimeoutMs: slackAckTimeoutMs });
    await connectApp(slack, { slash_commands: () => {} });
    const [before, long] = [startControl(2_900), startControl(30_000)];
    await type(slack, '/workflow status');
    expect([before.isOver(), long.isOver()]).toEqual([true, false]);
  });

  test('dispatch_failed when no app is connected', async () => {
    const slack = await localSlack();
    expect(await type(slack, '/workflow status')).toMatchObject({
      error: 'dispatch_failed',
      message: { text: '/workflow failed with the error "dispatch_failed"' },
    });
  });

  test('Slackbot’s reply to an unknown command', async () => {
    const { slack, received } = await listening();
    expect(await type(slack, '/explode now')).toMatchObject({
      error: 'not_a_command',
      message: { user: 'USLACKBOT', viewer: ada, text: expect.stringMatching(/^`\/explode` is not a valid command\./) },
    });
    expect(received).toEqual([]);
  });

  test('that a thread accepts no commands', async () => {
    const { slack, received } = await listening();
    const root = slack.say({ user: ben, channel: general, text: 'hello' });
    const typed = { user: ada, channel: general, text: '/workflow list', threadTs: root?.ts ?? '' };
    expect(await slack.command(typed)).toMatchObject({
      error: 'not_in_threads',
      message: { threadTs: root?.ts, text: '/workflow is not supported in threads. Sorry!' },
    });
    expect(received).toEqual([]);
  });
});

describe('a person cannot type', () => {
  test.each([
    [personId('ben'), channelId('incident-room'), 'channel_not_found'],
    [ada, channelId('old-alerts'), 'is_archived'],
    ['U0NOBODY', general, 'channel_not_found'],
    [ada, directId('ben'), 'channel_not_found'],
    [personId('chiyo'), channelId('payments'), 'not_in_channel'],
  ])('as %s in %s: %s', async (user, channel, error) => {
    const slack = await localSlack();
    expect(await slack.command({ user, channel, text: '/workflow list' })).toEqual({ ok: false, error });
  });
});
