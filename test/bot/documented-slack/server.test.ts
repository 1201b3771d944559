/** The strictness of the Slack that is written from the documentation: it refuses what Slack refuses, with Slack's errors. */
import { once } from 'node:events';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { type JsonRecord, readRecord } from '../../../src/shared/json.ts';
import { type DocumentedSlack, startDocumentedSlack } from '../../support/documented-slack/server.ts';
import { app } from '../../support/documented-slack/workspace.ts';

let slack: DocumentedSlack;
beforeAll(async () => {
  slack = await startDocumentedSlack(['chat:write', 'users:read', 'channels:read', 'channels:history']);
});
afterAll(() => slack.close());

/** As the SDK sends it: texts as they are, everything else as JSON. */
async function call(method: string, args: JsonRecord, token: string = app.token) {
  const fields = Object.entries(args).map(([name, value]) => [
    name,
    typeof value === 'string' ? value : JSON.stringify(value),
  ]);
  const response = await fetch(slack.apiUrl + method, {
    method: 'POST',
    body: new URLSearchParams(fields),
    headers: { authorization: `Bearer ${token}` },
  });
  const answer = readRecord(await response.json());
  return { ...answer, status: response.status, retryAfter: response.headers.get('retry-after') };
}

const channel = 'C0OPS';
const plain = (text: string) => ({ type: 'plain_text', text });
const section = (text: string) => ({ type: 'section', text: { type: 'mrkdwn', text } });
const button = { type: 'button', action_id: 'a', text: plain('Press') };
const table = { type: 'table', rows: [[{ type: 'raw_text', text: 'x' }]] };
const task = { type: 'task_card', task_id: 't', title: 'Write a report', status: 'complete' };
const markdown = { type: 'markdown', text: 'x'.repeat(7_000) };
/** A chart with a series for each name, with the points of these labels. */
const chart = (labels: readonly string[], names: readonly string[] = ['Runs'], categories = labels) => ({
  type: 'data_visualization',
  title: 'Runs per day',
  chart: {
    type: 'bar',
    series: names.map((name) => ({ name, data: labels.map((label) => ({ label, value: 1 })) })),
    axis_config: { categories },
  },
});
const labels = Array.from({ length: 21 }, (_, index) => `day ${index}`);
const modal = { type: 'modal', title: plain('Form'), blocks: [section('Hello')] };
const input = { type: 'input', label: plain('Name'), element: { type: 'plain_text_input', action_id: 'a' } };

describe('a message', () => {
  it('is posted and answered as documented', async () => {
    expect(await call('chat.postMessage', { channel, text: 'Hi', blocks: [section('Hi')] })).toMatchObject({
      ok: true,
      channel,
      ts: expect.stringMatching(/^\d+\.\d{6}$/),
      message: { type: 'message', bot_id: app.botId, text: 'Hi' },
    });
  });

  it.each<readonly [string, string, JsonRecord]>([
    ['too long a section', 'invalid_blocks', { blocks: [section('x'.repeat(3_001))] }],
    ['an empty text', 'invalid_blocks', { blocks: [section('')] }],
    ['a section without a text', 'invalid_blocks', { blocks: [{ type: 'section' }] }],
    ['51 blocks', 'invalid_blocks', { blocks: Array.from({ length: 51 }, () => ({ type: 'divider' })) }],
    ['an unknown type of block', 'invalid_arguments', { blocks: [{ type: 'banner' }] }],
    ['an unknown field of a block', 'invalid_arguments', { blocks: [{ type: 'divider', color: 'red' }] }],
    [
      'a block id twice',
      'invalid_blocks',
      {
        blocks: [
          { type: 'divider', block_id: 'a' },
          { type: 'divider', block_id: 'a' },
        ],
      },
    ],
    ['an action id twice in a block', 'invalid_blocks', { blocks: [{ type: 'actions', elements: [button, button] }] }],
    [
      '26 buttons',
      'invalid_blocks',
      {
        blocks: [
          {
            type: 'actions',
            elements: Array.from({ length: 26 }, (_, index) => ({ ...button, action_id: `a${index}` })),
          },
        ],
      },
    ],
    ['an alert, which only modals show', 'invalid_blocks', { blocks: [{ type: 'alert', text: plain('x') }] }],
    ['two tables', 'invalid_blocks', { blocks: [table, table] }],
    [
      '51 steps in a plan',
      'invalid_blocks',
      { blocks: [{ type: 'plan', title: 'Plan', tasks: Array(51).fill(task) }] },
    ],
    ['three charts', 'invalid_blocks', { blocks: Array.from({ length: 3 }, () => chart(['a'])) }],
    ['a chart of 21 points', 'invalid_blocks', { blocks: [chart(labels)] }],
    ['a chart of two series of one name', 'invalid_blocks', { blocks: [chart(['a'], ['Runs', 'Runs'])] }],
    ['a chart without a point for a category', 'invalid_blocks', { blocks: [chart(['a'], ['Runs'], ['a', 'b'])] }],
    ['more than 12,000 characters of markdown', 'invalid_blocks', { blocks: [markdown, markdown] }],
    [
      'too much content',
      'msg_blocks_too_long',
      { blocks: Array.from({ length: 5 }, () => section('x'.repeat(2_700))) },
    ],
    ['too long a text', 'msg_too_long', { text: 'x'.repeat(40_001) }],
    ['no content', 'invalid_arguments', {}],
    ['an unknown argument', 'invalid_arguments', { text: 'Hi', colour: 'red' }],
    ['an unknown channel', 'channel_not_found', { text: 'Hi', channel: 'C0NOWHERE' }],
    ['a channel without the app', 'not_in_channel', { text: 'Hi', channel: 'C0OTHER' }],
    ['a thread that is not there', 'thread_not_found', { text: 'Hi', thread_ts: '1.000001' }],
  ])('with %s is refused', async (_, error, content) => {
    expect(await call('chat.postMessage', { channel, ...content })).toMatchObject({ ok: false, error });
  });

  it('in a thread of a channel is not read by a bot, and its root in the history has the number of replies', async () => {
    const root = Object(await call('chat.postMessage', { channel, text: 'Hi' }));
    const reply = Object(await call('chat.postMessage', { channel, text: 'Hello', thread_ts: root.ts }));
    const error = 'not_allowed_token_type';
    expect(await call('conversations.replies', { channel, ts: root.ts })).toMatchObject({ ok: false, error });
    const { messages } = Object(await call('conversations.history', { channel, latest: root.ts, inclusive: true }));
    expect(messages[0]).toMatchObject({ ts: root.ts, reply_count: 1, latest_reply: reply.ts });
  });

  it('that is refused comes with the places of the problems', async () => {
    const { response_metadata: about } = Object(
      await call('chat.postMessage', { channel, blocks: [section('x'.repeat(3_001))] }),
    );
    expect(about.messages).toContain('[ERROR] must be less than 3001 characters [json-pointer:/blocks/0/text/text]');
  });

  it('for one person has no arguments about link previews', async () => {
    const about = { channel, user: 'U0ADA', text: 'Hi', unfurl_links: false };
    expect(await call('chat.postEphemeral', about)).toMatchObject({ error: 'invalid_arguments' });
  });

  it('is not edited by an app that did not write it, or with too long a text', async () => {
    const { ts } = Object(await call('chat.postMessage', { channel, text: 'Hi' }));
    expect(await call('chat.update', { channel, ts, text: 'x'.repeat(4_001) })).toMatchObject({
      error: 'msg_too_long',
    });
    expect(await call('chat.update', { channel, ts: '1.000002', text: 'Hi' })).toMatchObject({
      error: 'message_not_found',
    });
  });
});

describe('a view', () => {
  const open = (view: unknown, trigger = slack.workspace.newTrigger('U0ADA')) =>
    call('views.open', { view, trigger_id: trigger });

  it('opens once for each trigger, and changes with the current hash', async () => {
    const trigger = slack.workspace.newTrigger('U0ADA');
    const { view } = Object(await open(modal, trigger));
    expect(await open(modal, trigger)).toMatchObject({ error: 'exchanged_trigger_id' });
    expect(await open(modal, '1.2.f')).toMatchObject({ error: 'invalid_trigger_id' });
    expect(await call('views.update', { view_id: view.id, hash: view.hash, view: modal })).toMatchObject({ ok: true });
    expect(await call('views.update', { view_id: view.id, hash: view.hash, view: modal })).toMatchObject({
      error: 'hash_conflict',
    });
    expect(await call('views.update', { view_id: 'V0', view: modal })).toMatchObject({ error: 'not_found' });
  });

  it.each<readonly [string, JsonRecord]>([
    ['too long a title', { title: plain('x'.repeat(25)) }],
    ['an input and no submit button', { blocks: [input] }],
    ['too much private metadata', { private_metadata: 'x'.repeat(3_001) }],
    ['101 blocks', { blocks: Array.from({ length: 101 }, () => ({ type: 'divider' })) }],
    ['a table, which only messages and Home show', { blocks: [table] }],
    ['a chart', { blocks: [chart(['a'])] }],
    ['a field of a Home', { type: 'home' }],
  ])('with %s is refused', async (_, fields) => {
    expect(await open({ ...modal, ...fields })).toMatchObject({ error: 'invalid_arguments' });
  });
});

describe('a call', () => {
  it.each<readonly [string, string, string, JsonRecord, string]>([
    ['with a foreign token', 'invalid_auth', 'auth.test', {}, 'xoxb-foreign'],
    ['with the token of a socket', 'not_allowed_token_type', 'auth.test', {}, app.appToken],
    ['of an unknown method', 'unknown_method', 'chat.shout', {}, app.token],
    ['without its scope', 'missing_scope', 'conversations.open', { users: 'U0ADA' }, app.token],
    [
      'without the scope for a private channel',
      'missing_scope',
      'conversations.info',
      { channel: 'G0SECRET' },
      app.token,
    ],
  ])('%s is refused', async (_, error, method, args, token) => {
    expect(await call(method, args, token)).toMatchObject({ status: 200, ok: false, error });
  });

  it('beyond the rate is answered with the time to wait', async () => {
    slack.limitOnce('users.info', 7);
    const limited = { status: 429, error: 'ratelimited', retryAfter: '7' };
    expect(await call('users.info', { user: 'U0ADA' })).toMatchObject(limited);
    expect(await call('users.info', { user: 'U0ADA' })).toMatchObject({ ok: true });
  });
});

describe('a socket', () => {
  it('is closed with code 1009 for a frame of more than 20,480 bytes', async () => {
    const { url = '' } = readRecord(await call('apps.connections.open', {}, app.appToken));
    const socket = new WebSocket(String(url));
    await once(socket, 'message');
    const closed = once(socket, 'close');
    const longest = JSON.stringify({ envelope_id: 'e', payload: { text: '' } }).padEnd(20_480);
    socket.send(longest);
    socket.ping();
    // The longest frame was read: the connection is still there for an answer.
    await once(socket, 'pong');
    socket.send(`${longest} `);
    expect((await closed)[0]).toBe(1009);
  });
});

describe('a response_url', () => {
  const respond = (url: string, payload: unknown) =>
    fetch(url, { method: 'POST', body: JSON.stringify(payload) }).then(
      async (response) => [response.status, await response.text()] as const,
    );

  it('works five times, and takes only documented fields', async () => {
    const { path } = slack.responseUrls.create('commands', { user: 'U0ADA', channel, original: undefined });
    const url = slack.origin + path;
    expect(await respond(url, { text: 'Hi', colour: 'red' })).toEqual([
      404,
      expect.stringContaining('invalid_payload'),
    ]);
    for (let use = 2; use <= 5; use += 1) expect(await respond(url, { text: 'Hi' })).toEqual([200, 'ok']);
    expect(await respond(url, { text: 'Hi' })).toEqual([404, expect.stringContaining('used_url')]);
  });
});
