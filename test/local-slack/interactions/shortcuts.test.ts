/** Message shortcuts through the real SDK, and through the bot itself. */
import { describe, expect, it, onTestFinished } from 'vitest';
import { channelId, directId, personId } from '../../../src/local-slack/state/seed.ts';
import { createTestBot } from '../../support/bot/bot.ts';
import {
  connectApp,
  localSlack,
  respond,
  type SocketEvent,
  slackNow,
  webClient,
} from '../../support/slack/local-slack.ts';

const [ada, ben, general] = [personId('ada'), personId('ben'), channelId('general')];
const callbackId = 'explain_failure';

/** A message of Ben's, and an app that acknowledges shortcuts. */
async function startSlack() {
  const slack = await localSlack();
  const received: SocketEvent[] = [];
  await connectApp(slack, {
    interactive: (event) => {
      received.push(event);
      return event.ack();
    },
  });
  const ts = slack.say({ user: ben, channel: general, text: 'payments is red' })?.ts ?? '';
  return { slack, received, message: { channel: general, ts } };
}

it('the app receives the message, its conversation, and the person', async () => {
  const { slack, received, message } = await startSlack();
  const result = await slack.shortcut({ user: ada, ...message, callbackId });
  expect(result).toMatchObject({ ok: true, responseUrl: expect.stringContaining(`${slack.url}/app/`) });
  expect(received).toMatchObject([
    {
      accepts_response_payload: false,
      body: {
        type: 'message_action',
        callback_id: callbackId,
        action_ts: (slackNow / 1000).toFixed(6),
        trigger_id: expect.stringMatching(/^\d+\.\d+\.[0-9a-f]{32}$/),
        response_url: result.ok && result.responseUrl,
        team: { id: slack.workspace.teamId, domain: 'local-slack' },
        user: { id: ada, username: 'ada', team_id: slack.workspace.teamId },
        channel: { id: general, name: 'general' },
        message_ts: message.ts,
        message: { type: 'message', user: ben, text: 'payments is red', ts: message.ts },
      },
    },
  ]);
});

it('a reply has its thread, and a direct message its kind', async () => {
  const { slack, received, message } = await startSlack();
  const reply = slack.say({ user: ben, channel: general, text: 'why?', threadTs: message.ts });
  await slack.shortcut({ user: ada, channel: general, ts: reply?.ts ?? '', callbackId });
  const { ts = '' } = await webClient(slack).chat.postMessage({ channel: directId('ada'), text: 'hi' });
  await slack.shortcut({ user: ada, channel: directId('ada'), ts, callbackId });
  const bodies = received.map(({ body }) => body);
  expect(bodies).toMatchObject([{ message: { thread_ts: message.ts } }, { channel: { name: 'directmessage' } }]);
});

it('the reply is ephemeral, and never replaces the message', async () => {
  const { slack, message } = await startSlack();
  const result = await slack.shortcut({ user: ada, ...message, callbackId });
  const answered = await respond(result.ok ? result.responseUrl : '', { text: 'because', replace_original: true });
  expect(answered.status).toBe(200);
  const visibleTo = (viewer: string) => slack.messages({ channel: general, viewer }).map(({ text }) => text);
  expect([visibleTo(ada), visibleTo(ben)]).toEqual([['payments is red', 'because'], ['payments is red']]);
});

describe('nothing is sent', () => {
  it.each([
    ['a shortcut that is none of the app’s', { callbackId: 'explode' }, 'no_such_shortcut'],
    ['a message that is not there', { ts: '1.000000' }, 'message_not_found'],
    ['a channel one cannot see', { user: ben, channel: channelId('incident-room') }, 'message_not_found'],
  ])('for %s', async (_what, picked, error) => {
    const { slack, received, message } = await startSlack();
    expect(await slack.shortcut({ user: ada, ...message, callbackId, ...picked })).toEqual({ ok: false, error });
    expect(received).toEqual([]);
  });

  it('for an ephemeral message', async () => {
    const { slack } = await startSlack();
    const answer = await webClient(slack).chat.postEphemeral({ channel: general, user: ada, text: 'hi' });
    const picked = { user: ada, channel: general, ts: answer.message_ts ?? '', callbackId };
    expect(await slack.shortcut(picked)).toEqual({ ok: false, error: 'message_not_found' });
  });
});

it.each([
  ['no app is connected', false, 'dispatch_failed'],
  ['the app does not acknowledge in time', true, 'operation_timeout'],
])('%s: the person gets an error', async (_what, isConnected, error) => {
  const slack = await localSlack({ ackTimeoutMs: 30 });
  if (isConnected) await connectApp(slack, { interactive: () => {} });
  const ts = slack.say({ user: ben, channel: general, text: 'red' })?.ts ?? '';
  expect(await slack.shortcut({ user: ada, channel: general, ts, callbackId })).toEqual({ ok: false, error });
});

it('the bot looks into the execution that the message names', async () => {
  const slack = await localSlack();
  const { botToken, appToken, apiUrl: slackApiUrl } = slack;
  const { bot, requests } = createTestBot(slack, { botToken, appToken, slackApiUrl });
  await bot.start();
  onTestFinished(() => bot.stop());
  const uuid = '0b6f3a52-6d4e-4c55-9d60-1f8b2f1f0a11';
  const ts = slack.say({ user: ben, channel: general, text: `what is ${uuid} about?` })?.ts ?? '';
  const answer = slack.nextMessage({ viewer: ada, user: slack.workspace.botUserId });
  await slack.shortcut({ user: ada, channel: general, ts, callbackId });
  expect((await answer).text).toContain(uuid);
  expect(requests).toMatchObject([{ line: `execution ${uuid}`, actor: { userId: ada, channelId: general } }]);
});
