/** Reading posted messages: conversations.history and conversations.replies through the real client. */
import { describe, expect, it } from 'vitest';
import { channelId, directId, personId } from '../../../src/local-slack/state/seed.ts';
import type { SlackDriver } from '../../support/slack/driver.ts';
import { localSlack, webClient } from '../../support/slack/local-slack.ts';

const [ada, general] = [personId('ada'), channelId('general')];
const metadata = { event_type: 'slot', event_payload: { id: 's1' } };

/** @returns a Slack with so many messages of the bot in the channel, and their `ts`, oldest first */
async function posted(count: number) {
  const slack = await localSlack();
  const client = webClient(slack);
  const stamps: string[] = [];
  for (let index = 1; index <= count; index += 1) {
    const { ts = '' } = await client.chat.postMessage({ channel: general, text: `m${index}`, metadata });
    stamps.push(ts);
  }
  const read = async (fields: object = {}) =>
    textsOf(await client.apiCall('conversations.history', { channel: general, ...fields }));
  return { slack, client, stamps, read };
}

function textsOf(answer: object): readonly string[] {
  const messages: readonly { readonly text: string }[] =
    'messages' in answer && Array.isArray(answer.messages) ? answer.messages : [];
  return messages.map(({ text }) => text);
}

/** Page by page, as an app reads. */
async function pages(
  slack: SlackDriver,
  method: 'history' | 'replies',
  fields: { readonly ts: string },
  limit: number,
) {
  const found: (readonly string[])[] = [];
  for await (const page of webClient(slack).paginate(`conversations.${method}`, {
    channel: general,
    limit,
    ...fields,
  })) {
    found.push(textsOf(page));
  }
  return found;
}

describe('the history of a channel', () => {
  it('is newest first, with messages of people and without replies and ephemeral messages', async () => {
    const { slack, client, stamps, read } = await posted(2);
    await client.chat.postMessage({ channel: general, text: 'reply', thread_ts: stamps[0] ?? '' });
    await client.chat.postEphemeral({ channel: general, user: ada, text: 'psst' });
    slack.say({ user: ada, channel: general, text: 'hello' });
    expect(await read()).toEqual(['hello', 'm2', 'm1']);
  });

  it('has pages with every message once, also if one is deleted meanwhile', async () => {
    const { slack, client, stamps } = await posted(5);
    expect(await pages(slack, 'history', { ts: '' }, 2)).toEqual([['m5', 'm4'], ['m3', 'm2'], ['m1']]);
    const first = await client.conversations.history({ channel: general, limit: 2 });
    expect(first).toMatchObject({ has_more: true, response_metadata: { next_cursor: expect.stringMatching(/./) } });
    await client.chat.delete({ channel: general, ts: stamps[2] ?? '' });
    const cursor = first.response_metadata?.next_cursor ?? '';
    const second = await client.conversations.history({ channel: general, limit: 2, cursor });
    expect(textsOf(second)).toEqual(['m2', 'm1']);
    expect(second).toMatchObject({ has_more: false });
    expect(second.response_metadata?.next_cursor).toBeUndefined();
  });

  it('is limited to a time range, whose ends are inclusive only on request', async () => {
    const { stamps, read } = await posted(4);
    const [oldest, , , latest] = stamps;
    expect(await read({ oldest, latest })).toEqual(['m3', 'm2']);
    expect(await read({ oldest, latest, inclusive: true })).toEqual(['m4', 'm3', 'm2', 'm1']);
    expect(await read({ latest: stamps[1] })).toEqual(['m1']);
    expect(await read({ oldest: '0', inclusive: true, limit: 1 })).toEqual(['m4']);
  });

  it('has the type of metadata, and its payload on request', async () => {
    const { client } = await posted(1);
    const [short, whole] = await Promise.all(
      [false, true].map((all) => client.conversations.history({ channel: general, include_all_metadata: all })),
    );
    expect(short?.messages?.[0]?.metadata).toEqual({ event_type: 'slot' });
    expect(whole?.messages?.[0]?.metadata).toEqual(metadata);
  });

  it.each([
    ['an unknown channel', { channel: 'C0NOWHERE' }, 'channel_not_found'],
    ['a private channel without the bot', { channel: channelId('incident-room') }, 'channel_not_found'],
    ['a public channel without the bot', { channel: channelId('random') }, 'not_in_channel'],
    ['a limit that is none', { limit: 0 }, 'invalid_limit'],
    ['a time that is none', { oldest: 'yesterday' }, 'invalid_ts_oldest'],
    ['an end that is none', { latest: '-1' }, 'invalid_ts_latest'],
    ['a cursor of somebody else', { cursor: 'bm9uZQ==' }, 'invalid_cursor'],
  ])('refuses %s', async (_what, fields, error) => {
    const slack = await localSlack();
    const reading = webClient(slack).apiCall('conversations.history', { channel: general, ...fields });
    await expect(reading).rejects.toMatchObject({ data: { ok: false, error } });
  });

  it.each([
    [channelId('general', 2), 'channels:history'],
    [directId('ada', 2), 'im:history'],
  ])('of %s needs the scope %s', async (channel, needed) => {
    const slack = await localSlack();
    const { botToken } = slack.addWorkspace(['chat:write']);
    const reading = webClient(slack, botToken).conversations.history({ channel });
    await expect(reading).rejects.toMatchObject({ data: { error: 'missing_scope', needed } });
  });
});

describe('a thread', () => {
  async function thread() {
    const { slack, client, stamps, read } = await posted(1);
    const root = stamps[0] ?? '';
    for (const text of ['r1', 'r2', 'r3']) await client.chat.postMessage({ channel: general, text, thread_ts: root });
    return { slack, client, root, read };
  }

  it('is its root and then its replies, oldest first, whichever of them is requested', async () => {
    const { client, root } = await thread();
    const { messages = [] } = await client.conversations.replies({ channel: general, ts: root });
    expect(messages.map(({ text }) => text)).toEqual(['m1', 'r1', 'r2', 'r3']);
    const named = await client.conversations.replies({ channel: general, ts: messages[2]?.ts ?? '' });
    expect(textsOf(named)).toEqual(['m1', 'r1', 'r2', 'r3']);
  });

  it('has its number of replies at its root, and each reply names its author', async () => {
    const { slack, client, root } = await thread();
    const { messages = [] } = await client.conversations.replies({ channel: general, ts: root });
    const bot = slack.workspace.botUserId;
    expect(messages[0]).toMatchObject({
      thread_ts: root,
      reply_count: 3,
      reply_users: [bot],
      latest_reply: messages[3]?.ts,
    });
    expect(messages[1]).toMatchObject({ thread_ts: root, parent_user_id: bot });
  });

  it('is read in pages, and of a message without replies is that message', async () => {
    const { slack, client, root } = await thread();
    expect(await pages(slack, 'replies', { ts: root }, 3)).toEqual([['m1', 'r1', 'r2'], ['r3']]);
    const { ts = '' } = await client.chat.postMessage({ channel: general, text: 'alone' });
    const { messages = [] } = await client.conversations.replies({ channel: general, ts });
    expect(messages).toMatchObject([{ text: 'alone' }]);
    expect(messages[0]).not.toHaveProperty('reply_count');
  });

  it('that does not exist is refused', async () => {
    const slack = await localSlack();
    const reading = webClient(slack).conversations.replies({ channel: general, ts: '1700000000.000100' });
    await expect(reading).rejects.toMatchObject({ data: { error: 'thread_not_found' } });
  });
});

describe('the metadata of a message', () => {
  const metadataAfter = async (change: object) => {
    const { client, stamps } = await posted(1);
    await client.apiCall('chat.update', { channel: general, ts: stamps[0], text: 'new', ...change });
    const { messages } = await client.conversations.history({ channel: general, include_all_metadata: true });
    return messages?.[0]?.metadata;
  };

  it('stays in an update without metadata', async () => expect(await metadataAfter({})).toEqual(metadata));

  it('is replaced by another, and removed by an empty one', async () => {
    const other = { event_type: 'slot', event_payload: { id: 's2' } };
    expect(await metadataAfter({ metadata: other })).toEqual(other);
    expect(await metadataAfter({ metadata: {} })).toBeUndefined();
  });

  it('is refused if it is incomplete', async () => {
    await expect(metadataAfter({ metadata: { event_type: 'slot' } })).rejects.toThrow('invalid_metadata_format');
  });
});
