/** Members, archives, sharing and deletion of channels and messages. */
import { describe, expect, it } from 'vitest';
import { channelId, directId, personId } from '../../../src/local-slack/state/seed.ts';
import { localSlack, webClient } from '../../support/local-slack.ts';

const [ada, ben, chiyo] = [personId('ada'), personId('ben'), personId('chiyo')];
const [general, random, payments] = [channelId('general'), channelId('random'), channelId('payments')];
const incident = channelId('incident-room');

async function workspace() {
  const slack = await localSlack();
  const client = webClient(slack);
  const type = (text: string, channel: string, user = ada) => slack.command({ user, channel, text });
  const post = (channel: string, more: object = {}) => client.chat.postMessage({ channel, text: 'hi', ...more });
  const texts = (channel: string) => slack.messages({ channel, viewer: ada }).map(({ text }) => text);
  /** Ada presses the page's button. */
  const back = async (channel: string) => {
    const body = JSON.stringify({ user: ada, channel });
    const headers = { 'content-type': 'application/json' };
    return (await fetch(`${slack.url}/page/unarchive`, { method: 'POST', headers, body })).json();
  };
  return { slack, client, type, post, texts, back };
}

describe('a person who types', () => {
  it.each(['@workflow-bot', '@Workflow Bot'])(
    '/invite %s lets the bot write in the channel, and the channel sees who invited it',
    async (name) => {
      const { type, post, texts } = await workspace();
      await expect(post(random)).rejects.toMatchObject({ data: { error: 'not_in_channel' } });
      expect(await type(`/invite ${name}`, random)).toMatchObject({ ok: true });
      expect(await post(random)).toMatchObject({ ok: true });
      expect(texts(random)).toEqual(['Workflow Bot was added to #random by Ada Okafor.', 'hi']);
    },
  );

  it('/remove @workflow-bot removes it again', async () => {
    const { type, post } = await workspace();
    await type('/remove @workflow-bot', general);
    await expect(post(general)).rejects.toMatchObject({ data: { error: 'not_in_channel' } });
  });

  it.each([
    ['nobody', '/invite', random],
    ['a name that nobody has', '/invite @nobody', random],
    ['anybody in direct messages', '/invite @ben', directId('ada')],
  ])('%s changes nothing, and the person gets an ephemeral note', async (_, text, channel) => {
    const { slack, type } = await workspace();
    const before = slack.workspace.channels;
    expect(await type(text, channel)).toMatchObject({ error: 'invalid_arguments', message: { viewer: ada } });
    expect(slack.workspace.channels).toEqual(before);
  });
});

describe('a channel', () => {
  it('that is archived refuses messages', async () => {
    const { slack, post } = await workspace();
    slack.changeChannel(general, { isArchived: true });
    await expect(post(general)).rejects.toMatchObject({ data: { error: 'is_archived' } });
  });

  it('is archived by /archive, and brought back without the members that it had, the bot among them', async () => {
    const { slack, type, post, texts, back } = await workspace();
    expect(await type('/archive', payments)).toMatchObject({ ok: true });
    await expect(post(payments)).rejects.toMatchObject({ data: { error: 'is_archived' } });
    expect([await back(payments), await back(payments)]).toMatchObject([{ ok: true }, { ok: false }]);
    await expect(post(payments)).rejects.toMatchObject({ data: { error: 'not_in_channel' } });
    expect(slack.workspace.channels.find(({ id }) => id === payments)?.memberIds).toEqual([ada]);
    expect(texts(payments)).toEqual(['Ada Okafor archived #payments.', 'Ada Okafor un-archived #payments.']);
  });

  it('that has all members, and direct messages, cannot be archived', async () => {
    const { type } = await workspace();
    for (const channel of [general, directId('ada')]) {
      expect(await type('/archive', channel)).toMatchObject({ error: 'invalid_arguments' });
    }
  });

  it('that is private keeps its members in the archive', async () => {
    const { slack, type, back } = await workspace();
    const { memberIds } = slack.workspace.channels.find(({ id }) => id === incident) ?? {};
    await type('/archive', incident);
    await back(incident);
    expect(slack.workspace.channels.find(({ id }) => id === incident)).toMatchObject({ memberIds, isArchived: false });
  });

  it('that is shared with another company is marked for apps', async () => {
    const { slack, client } = await workspace();
    slack.changeChannel(general, { isShared: true });
    const answers = await Promise.all([general, payments].map((channel) => client.conversations.info({ channel })));
    expect(answers.map(({ channel }) => channel?.is_ext_shared)).toEqual([true, false]);
  });
});

describe('a message', () => {
  it('is deleted by its author and by admins only', async () => {
    const { slack, texts } = await workspace();
    const posted = [1, 2].map((index) => slack.say({ user: ben, channel: general, text: `m${index}` })?.ts ?? '');
    const remove = (user: string, ts = '') => slack.deleteMessage({ user, channel: general, ts });
    expect([remove(chiyo, posted[0]), remove(ada, 'never')]).toEqual([false, false]);
    expect([remove(ben, posted[0]), remove(ada, posted[1])]).toEqual([true, true]);
    expect(texts(general)).toEqual([]);
  });

  it('that was deleted accepts no reply, unless its thread has other replies', async () => {
    const { slack, client, post } = await workspace();
    const [alone, answered] = [await post(general), await post(general)];
    await post(general, { thread_ts: answered.ts });
    for (const { ts = '' } of [alone, answered]) slack.deleteMessage({ user: ada, channel: general, ts });
    await expect(post(general, { thread_ts: alone.ts })).rejects.toMatchObject({
      data: { error: 'cannot_reply_to_message' },
    });
    expect(await post(general, { thread_ts: answered.ts })).toMatchObject({ ok: true });
    const { messages } = await client.conversations.replies({ channel: general, ts: answered.ts ?? '' });
    expect(messages).toHaveLength(2);
  });
});
