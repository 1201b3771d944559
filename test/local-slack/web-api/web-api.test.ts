/** The Web API of the local Slack through the real client: who may call what, and what a call does. */
import { describe, expect, test } from 'vitest';
import { channelId, directId, personId } from '../../../src/local-slack/state/seed.ts';
import type { SlackDriver } from '../../support/slack/driver.ts';
import { localSlack, webClient } from '../../support/slack/local-slack.ts';

const ada = personId('ada');
const ben = personId('ben');
const general = channelId('general');

/** Calls without the SDK, which hides parts of Slack's replies. */
async function call(slack: SlackDriver, method: string, init: RequestInit = {}): Promise<Record<string, unknown>> {
  const response = await fetch(slack.apiUrl + method, { method: 'POST', ...init });
  return { status: response.status, ...(await response.json()) };
}

const bearer = (token: string) => ({ authorization: `Bearer ${token}` });

describe('a token', () => {
  test('names its workspace', async () => {
    const slack = await localSlack();
    const second = slack.addWorkspace();
    expect(await webClient(slack).auth.test()).toMatchObject({ team_id: slack.workspace.teamId, team: 'Local Slack' });
    expect(await webClient(slack, second.botToken).auth.test()).toMatchObject({
      team_id: second.teamId,
      user_id: second.botUserId,
    });
  });

  test.each([
    ['none', undefined, 'not_authed'],
    ['an unknown one', 'xoxb-1-nonsense', 'invalid_auth'],
  ])('%s: %s is refused', async (_name, token, error) => {
    const slack = await localSlack();
    expect(await call(slack, 'auth.test', { headers: token ? bearer(token) : {} })).toMatchObject({ ok: false, error });
  });

  test('of the wrong type is refused', async () => {
    const slack = await localSlack();
    const error = 'not_allowed_token_type';
    expect(await call(slack, 'chat.postMessage', { headers: bearer(slack.appToken) })).toMatchObject({ error });
    expect(await call(slack, 'apps.connections.open', { headers: bearer(slack.botToken) })).toMatchObject({ error });
  });

  test('may be in the form', async () => {
    const slack = await localSlack();
    const body = new URLSearchParams({ token: slack.botToken });
    expect(await call(slack, 'auth.test', { body })).toMatchObject({ ok: true });
  });

  test('sees nothing of another workspace', async () => {
    const slack = await localSlack();
    const second = slack.addWorkspace();
    const posting = webClient(slack, second.botToken).chat.postMessage({ channel: general, text: 'hi' });
    await expect(posting).rejects.toMatchObject({ data: { error: 'channel_not_found' } });
    await expect(webClient(slack, second.botToken).users.info({ user: ada })).rejects.toThrow('user_not_found');
  });

  test('needs the granted scopes', async () => {
    const slack = await localSlack();
    const second = slack.addWorkspace(['chat:write']);
    const asking = webClient(slack, second.botToken).users.info({ user: personId('ada', 2) });
    await expect(asking).rejects.toMatchObject({
      data: { error: 'missing_scope', needed: 'users:read', provided: 'chat:write' },
    });
  });

  test('is recorded with its fields', async () => {
    const slack = await localSlack();
    await webClient(slack).chat.postMessage({ channel: general, text: 'hi' });
    expect(slack.requests).toMatchObject([
      { name: 'chat.postMessage', headers: { authorization: `Bearer ${slack.botToken}` }, fields: { text: 'hi' } },
    ]);
  });
});

describe('a body', () => {
  const blocks = [{ type: 'header', text: { type: 'plain_text', text: 'Hello' } }];
  const fields = { channel: general, text: 'hi', blocks: JSON.stringify(blocks) };
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) form.append(name, value);

  test.each<[string, RequestInit]>([
    ['form', { body: new URLSearchParams(fields) }],
    ['multipart', { body: form }],
    ['JSON', { body: JSON.stringify({ ...fields, blocks }), headers: { 'content-type': 'application/json' } }],
  ])('may be %s', async (_name, init) => {
    const slack = await localSlack();
    await call(slack, 'chat.postMessage', { ...init, headers: { ...init.headers, ...bearer(slack.botToken) } });
    expect(slack.messages({ channel: general, viewer: ada })).toMatchObject([{ text: 'hi', blocks }]);
  });

  test('that is invalid JSON or over a megabyte is refused', async () => {
    const slack = await localSlack();
    const headers = { ...bearer(slack.botToken), 'content-type': 'application/json' };
    expect(await call(slack, 'auth.test', { headers, body: '{' })).toMatchObject({ error: 'invalid_json' });
    const response = await fetch(`${slack.apiUrl}auth.test`, { method: 'POST', headers, body: 'x'.repeat(1_100_000) });
    expect(response.status).toBe(413);
  });
});

test('the error for an unknown method names it', async () => {
  const slack = await localSlack();
  expect(await call(slack, 'calls.add', { headers: bearer(slack.botToken) })).toMatchObject({
    error: 'unknown_method',
    req_method: 'calls.add',
  });
});

describe('chat.postMessage', () => {
  test('shows a message to all members of the channel', async () => {
    const slack = await localSlack();
    const answer = await webClient(slack).chat.postMessage({ channel: general, text: 'hi' });
    expect(answer).toMatchObject({ channel: general, message: { user: slack.workspace.botUserId, text: 'hi' } });
    expect(slack.messages({ channel: general, viewer: ben })).toMatchObject([{ ts: answer.ts, isEphemeral: false }]);
  });

  test.each([
    ['an unknown channel', { channel: 'C0NOWHERE' }, 'channel_not_found'],
    ['a private channel without the bot', { channel: channelId('incident-room') }, 'channel_not_found'],
    ['a public channel without the bot', { channel: channelId('random') }, 'not_in_channel'],
    ['an archived channel', { channel: channelId('old-alerts') }, 'is_archived'],
    ['no words', { text: '' }, 'no_text'],
    ['too many words', { text: 'x'.repeat(40_001) }, 'msg_too_long'],
    ['blocks that are no list', { blocks: '{}' }, 'invalid_blocks_format'],
    ['blocks that are no JSON', { blocks: '[' }, 'invalid_blocks_format'],
    ['a thread that is none', { thread_ts: 'yesterday' }, 'invalid_thread_ts'],
    ['a thread that is gone', { thread_ts: '1700000000.000100' }, 'cannot_reply_to_message'],
    ['half of the metadata', { metadata: { event_type: 'a' } }, 'invalid_metadata_format'],
    ['attachments', { attachments: [{ text: 'old' }] }, 'invalid_attachments'],
  ])('refuses %s', async (_what, fields, error) => {
    const slack = await localSlack();
    const posting = webClient(slack).apiCall('chat.postMessage', { channel: general, text: 'hi', ...fields });
    await expect(posting).rejects.toMatchObject({ data: { ok: false, error } });
    expect(slack.messages({ channel: general, viewer: ada })).toEqual([]);
  });

  test('reports the errors of refused blocks with their pointers', async () => {
    const slack = await localSlack();
    const text = { type: 'mrkdwn' as const, text: 'x'.repeat(3001) };
    const posting = webClient(slack).chat.postMessage({
      channel: general,
      text: 'hi',
      blocks: [{ type: 'section', text }],
    });
    const problem = 'must be less than 3001 characters [json-pointer:/blocks/0/text/text]';
    await expect(posting).rejects.toMatchObject({
      data: { error: 'invalid_blocks', errors: [problem], response_metadata: { messages: [`[ERROR] ${problem}`] } },
    });
  });

  test('accepts 40,000 characters, and blocks without a text', async () => {
    const slack = await localSlack();
    const client = webClient(slack);
    await client.chat.postMessage({ channel: general, text: 'x'.repeat(40_000) });
    await client.apiCall('chat.postMessage', { channel: general, blocks: [{ type: 'divider' }] });
    expect(slack.messages({ channel: general, viewer: ada })).toHaveLength(2);
  });

  test('replies in a thread, under its root', async () => {
    const slack = await localSlack();
    const client = webClient(slack);
    const root = await client.chat.postMessage({ channel: general, text: 'root' });
    const reply = await client.chat.postMessage({ channel: general, text: 'reply', thread_ts: root.ts ?? '' });
    await client.chat.postMessage({ channel: general, text: 'third', thread_ts: reply.ts ?? '' });
    const threads = slack.messages({ channel: general, viewer: ada }).map(({ threadTs }) => threadTs);
    expect(threads).toEqual([null, root.ts, root.ts]);
  });

  test('gives ids to blocks and elements that have none', async () => {
    const slack = await localSlack();
    const button = { type: 'button' as const, text: { type: 'plain_text' as const, text: 'Go' } };
    await webClient(slack).chat.postMessage({
      channel: general,
      text: 'hi',
      blocks: [{ type: 'actions', elements: [button] }],
    });
    expect(slack.messages({ channel: general, viewer: ada })[0]?.blocks).toMatchObject([
      { block_id: expect.stringMatching(/^\S{5}$/), elements: [{ action_id: expect.stringMatching(/^\S{5}$/) }] },
    ]);
  });

  test('finds a channel by its name, and a person’s direct messages by the person', async () => {
    const slack = await localSlack();
    expect(await webClient(slack).chat.postMessage({ channel: '#general', text: 'hi' })).toMatchObject({
      channel: general,
    });
    expect(await webClient(slack).chat.postMessage({ channel: ada, text: 'hi' })).toMatchObject({
      channel: directId('ada'),
    });
  });

  test('hides metadata from people', async () => {
    const slack = await localSlack();
    const metadata = { event_type: 'slot', event_payload: { id: '1' } };
    await webClient(slack).chat.postMessage({ channel: general, text: 'hi', metadata });
    expect(slack.messages({ channel: general, viewer: ada })).toMatchObject([{ metadata }]);
  });
});

describe('chat.postEphemeral', () => {
  test('shows a message to one person only', async () => {
    const slack = await localSlack();
    await webClient(slack).chat.postEphemeral({ channel: general, user: ada, text: 'psst' });
    expect(slack.messages({ channel: general, viewer: ada })).toMatchObject([{ text: 'psst', isEphemeral: true }]);
    expect(slack.messages({ channel: general, viewer: ben })).toEqual([]);
  });

  test.each([
    [channelId('payments'), personId('chiyo'), 'user_not_in_channel'],
    [general, 'U0NOBODY', 'user_not_found'],
    [channelId('random'), ada, 'not_in_channel'],
  ])('in %s for %s is refused: %s', async (channel, user, error) => {
    const slack = await localSlack();
    const posting = webClient(slack).chat.postEphemeral({ channel, user, text: 'psst' });
    await expect(posting).rejects.toMatchObject({ data: { error } });
  });
});

describe('a message of the bot', () => {
  const posted = async () => {
    const slack = await localSlack();
    const client = webClient(slack);
    const { ts = '' } = await client.chat.postMessage({ channel: general, text: 'one', blocks: [{ type: 'divider' }] });
    return { slack, client, ts, visibleTo: () => slack.messages({ channel: general, viewer: ben }) };
  };

  test('is changed in place and marked as edited', async () => {
    const { client, ts, visibleTo } = await posted();
    await client.chat.update({ channel: general, ts, text: 'two', blocks: [] });
    expect(visibleTo()).toMatchObject([{ ts, text: 'two', blocks: [], isEdited: true }]);
  });

  test('keeps its blocks when an update sends none', async () => {
    const { client, ts, visibleTo } = await posted();
    await client.chat.update({ channel: general, ts, text: 'two' });
    expect(visibleTo()).toMatchObject([{ text: 'two', blocks: [{ type: 'divider' }] }]);
  });

  test('accepts at most 4,000 characters in an update', async () => {
    const { client, ts } = await posted();
    await client.chat.update({ channel: general, ts, text: 'x'.repeat(4000) });
    const longer = client.chat.update({ channel: general, ts, text: 'x'.repeat(4001) });
    await expect(longer).rejects.toMatchObject({ data: { error: 'msg_too_long' } });
  });

  test('is unchanged after an update with invalid blocks, which is refused', async () => {
    const { client, ts, visibleTo } = await posted();
    const blocks = [{ type: 'alert' }];
    await expect(client.chat.update({ channel: general, ts, text: 'two', blocks })).rejects.toThrow('invalid_blocks');
    expect(visibleTo()).toMatchObject([{ text: 'one', isEdited: false }]);
  });

  test('is removed when deleted', async () => {
    const { client, ts, visibleTo } = await posted();
    await client.chat.delete({ channel: general, ts });
    expect(visibleTo()).toEqual([]);
    await expect(client.chat.delete({ channel: general, ts })).rejects.toThrow('message_not_found');
  });

  test('has a permalink on this machine', async () => {
    const { slack, client, ts } = await posted();
    const { permalink } = await client.chat.getPermalink({ channel: general, message_ts: ts });
    expect(permalink).toBe(`${slack.url}/archives/${general}/p${ts.replace('.', '')}`);
    expect((await fetch(permalink ?? '')).status).toBe(200);
  });
});

test('neither a person’s message nor an ephemeral one can be changed or deleted', async () => {
  const slack = await localSlack();
  const client = webClient(slack);
  const theirs = slack.say({ user: ada, channel: general, text: 'mine' });
  const { message_ts = '' } = await client.chat.postEphemeral({ channel: general, user: ada, text: 'psst' });
  const change = (ts: string) => client.chat.update({ channel: general, ts, text: 'x' });
  await expect(change(theirs?.ts ?? '')).rejects.toThrow('cant_update_message');
  await expect(change(message_ts)).rejects.toThrow('message_not_found');
  await expect(client.chat.delete({ channel: general, ts: theirs?.ts ?? '' })).rejects.toThrow('cant_delete_message');
});

test('an ephemeral message has neither replies nor a permalink', async () => {
  const slack = await localSlack();
  const client = webClient(slack);
  const { message_ts = '' } = await client.chat.postEphemeral({ channel: general, user: ada, text: 'psst' });
  const reply = client.chat.postMessage({ channel: general, text: 'hi', thread_ts: message_ts });
  await expect(reply).rejects.toThrow('cannot_reply_to_message');
  await expect(client.chat.getPermalink({ channel: general, message_ts })).rejects.toThrow('message_not_found');
});

describe('people and channels', () => {
  test.each([
    ['ada', 'Europe/Berlin', true],
    ['dev', 'Asia/Kolkata', false],
    ['eva', 'America/Los_Angeles', false],
  ] as const)('%s has the profile of the sample, with the time zone %s', async (name, tz, isAdmin) => {
    const slack = await localSlack();
    const { user } = await webClient(slack).users.info({ user: personId(name) });
    expect(user).toMatchObject({ id: personId(name), name, tz, is_admin: isAdmin, is_bot: false });
  });

  test('conversations.info shows conversations that the bot can see, with a scope for each kind', async () => {
    const slack = await localSlack();
    const info = (channel: string) => webClient(slack).conversations.info({ channel });
    expect(await info(channelId('random'))).toMatchObject({ channel: { name: 'random', is_member: false } });
    await expect(info(channelId('incident-room'))).rejects.toThrow('channel_not_found');
    await expect(info(directId('ada'))).rejects.toMatchObject({ data: { error: 'missing_scope', needed: 'im:read' } });
  });

  test('conversations.open finds the direct messages with a person', async () => {
    const slack = await localSlack();
    const { channel } = await webClient(slack).conversations.open({ users: ada });
    expect(channel?.id).toBe(directId('ada'));
    await expect(webClient(slack).conversations.open({ users: 'U0NOBODY' })).rejects.toThrow('user_not_found');
  });
});
