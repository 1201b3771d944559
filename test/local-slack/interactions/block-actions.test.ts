/** Buttons and menus through the real SDK: what the app receives for a channel message and for a private one. */
import { describe, expect, test } from 'vitest';
import { channelId, personId } from '../../../src/local-slack/state/seed.ts';
import { connectApp, localSlack, respond, type SocketEvent, webClient } from '../../support/slack/local-slack.ts';

const ada = personId('ada');
const ben = personId('ben');
const general = channelId('general');
const text = (words: string) => ({ type: 'plain_text' as const, text: words });
const option = (value: string) => ({ text: text(value), value });

const blocks = [
  {
    type: 'section',
    block_id: 'top',
    text: text('Payments'),
    accessory: {
      type: 'static_select',
      action_id: 'pick',
      placeholder: text('Pick'),
      options: [option('one'), option('two')],
    },
  },
  {
    type: 'actions',
    block_id: 'row',
    elements: [
      { type: 'button', action_id: 'refresh', text: text('Refresh'), value: 'status payments', style: 'primary' },
      { type: 'users_select', action_id: 'who' },
    ],
  },
];

/** Posts the message; the app acknowledges each action. */
async function startSlack(viewer: string | null) {
  const slack = await localSlack();
  const received: SocketEvent[] = [];
  await connectApp(slack, {
    interactive: (event) => {
      received.push(event);
      return event.ack();
    },
  });
  const client = webClient(slack);
  const draft = { channel: general, text: 'Payments', blocks };
  if (viewer === null) await client.apiCall('chat.postMessage', draft);
  else await client.apiCall('chat.postEphemeral', { ...draft, user: viewer });
  const [posted] = slack.messages({ channel: general, viewer: ada });
  const message = { channel: general, ts: posted?.ts ?? '' };
  return { slack, received, message };
}

describe('the app receives', () => {
  test('a pressed button with its message, the person, and a response_url', async () => {
    const { slack, received, message } = await startSlack(null);
    await slack.press({ user: ben, ...message, actionId: 'refresh' });
    expect(received).toMatchObject([
      {
        accepts_response_payload: false,
        body: {
          type: 'block_actions',
          user: { id: ben, username: 'ben', team_id: slack.workspace.teamId },
          team: { id: slack.workspace.teamId, domain: 'local-slack' },
          channel: { id: general, name: 'general' },
          container: { type: 'message', message_ts: message.ts, channel_id: general, is_ephemeral: false },
          message: { ts: message.ts, text: 'Payments', blocks, user: slack.workspace.botUserId },
          response_url: expect.stringContaining(`${slack.url}/actions/`),
          trigger_id: expect.stringMatching(/^\d+\.\d+\.[0-9a-f]{32}$/),
          actions: [
            { type: 'button', action_id: 'refresh', block_id: 'row', value: 'status payments', style: 'primary' },
          ],
        },
      },
    ]);
  });

  test('no content of an ephemeral message', async () => {
    const { slack, received, message } = await startSlack(ada);
    await slack.press({ user: ada, ...message, actionId: 'refresh' });
    expect(received[0]?.body).toMatchObject({ container: { is_ephemeral: true, message_ts: message.ts } });
    expect(received[0]?.body).not.toHaveProperty('message');
  });

  test('the chosen option, in the action and in the state', async () => {
    const { slack, received, message } = await startSlack(null);
    await slack.press({ user: ada, ...message, actionId: 'pick', selected: 'two' });
    const chosen = { type: 'static_select', selected_option: option('two') };
    expect(received[0]?.body).toMatchObject({
      actions: [{ ...chosen, action_id: 'pick', block_id: 'top', placeholder: text('Pick') }],
      state: { values: { top: { pick: chosen }, row: { who: { type: 'users_select', selected_user: null } } } },
    });
  });

  test.each([['who', ben, { type: 'users_select', selected_user: ben }]])(
    'the value chosen in %s',
    async (actionId, selected, action) => {
      const { slack, received, message } = await startSlack(null);
      await slack.press({ user: ada, ...message, actionId, selected });
      expect(received[0]?.body).toMatchObject({ actions: [{ action_id: actionId, ...action }] });
    },
  );
});

describe('nothing is sent', () => {
  test.each([
    ['a button that is not there', ada, { actionId: 'explode' }, 'no_such_element'],
    ['an option that is not there', ada, { actionId: 'pick', selected: 'three' }, 'no_such_element'],
    ['a menu without a choice', ada, { actionId: 'pick' }, 'no_such_element'],
    ['a list of people without a choice', ada, { actionId: 'who' }, 'no_such_element'],
    ['a block that does not hold it', ada, { actionId: 'refresh', blockId: 'top' }, 'no_such_element'],
    ['somebody else’s private message', ben, { actionId: 'refresh' }, 'message_not_found'],
  ])('for %s', async (_what, user, worked, error) => {
    const { slack, received, message } = await startSlack(ada);
    expect(await slack.press({ user, ...message, ...worked })).toEqual({ ok: false, error });
    expect(received).toEqual([]);
  });
});

describe('the answer to a press', () => {
  test('replaces the message it came from', async () => {
    const { slack, message } = await startSlack(ada);
    const pressed = await slack.press({ user: ada, ...message, actionId: 'refresh' });
    const changed = slack.nextMessage({ ts: message.ts });
    await respond(pressed.ok ? pressed.responseUrl : '', { text: 'fresh', replace_original: true });
    expect(await changed).toMatchObject({ text: 'fresh', blocks: [], viewer: ada });
  });

  test('is posted beside it if it does not replace it', async () => {
    const { slack, message } = await startSlack(null);
    const pressed = await slack.press({ user: ben, ...message, actionId: 'refresh' });
    await respond(pressed.ok ? pressed.responseUrl : '', { text: 'beside' });
    expect(slack.messages({ channel: general, viewer: ben })).toMatchObject([{ text: 'Payments' }, { text: 'beside' }]);
    expect(slack.messages({ channel: general, viewer: ada })).toHaveLength(1);
  });

  test('is a timeout after the app’s deadline', async () => {
    const slack = await localSlack({ ackTimeoutMs: 30 });
    await connectApp(slack, { interactive: () => {} });
    const { ts = '' } = await webClient(slack).chat.postMessage({ channel: general, text: 'hi', blocks });
    expect(await slack.press({ user: ada, channel: general, ts, actionId: 'refresh' })).toEqual({
      ok: false,
      error: 'operation_timeout',
    });
  });
});
