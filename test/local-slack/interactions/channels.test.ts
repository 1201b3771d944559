/** Members, archives, sharing and deletion of channels and messages. */
import { describe, expect, it } from 'vitest';
import { channelId, directId, otherTeamId, personId } from '../../../src/local-slack/state/seed.ts';
import { localSlack, webClient } from '../../support/slack/local-slack.ts';

const [ada, ben, chiyo] = [personId('ada'), personId('ben'), personId('chiyo')];
const [general, random, payments] = [channelId('general'), channelId('random'), channelId('payments')];

async function workspace() {
  const slack = await localSlack();
  const client = webClient(slack);
  const type = (text: string, channel: string, user = ada) => slack.command({ user, channel, text });
  const post = (channel: string, more: object = {}) => client.chat.postMessage({ channel, text: 'hi', ...more });
  const texts = (channel: string) => slack.messages({ channel, viewer: ada }).map(({ text }) => text);
  return { slack, client, type, post, texts };
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

  it('that is shared with another company is marked for apps', async () => {
    const { slack, client } = await workspace();
    slack.changeChannel(general, { isShared: true });
    const answers = await Promise.all([general, payments].map((channel) => client.conversations.info({ channel })));
    expect(answers.map(({ channel }) => channel?.is_ext_shared)).toEqual([true, false]);
  });
});

describe('a person of another company', () => {
  it('joins by /invite and an address: the channel is shared, and it is the only one that they see', async () => {
    const { slack, client, type, texts } = await workspace();
    expect(await type('/invite rob.hale@partner.example', payments)).toMatchObject({ ok: true });
    const rob = slack.workspace.people.find(({ name }) => name === 'rob.hale')?.id ?? '';
    expect(texts(payments)).toEqual([
      'Rob Hale was added to #payments by Ada Okafor.',
      '#payments is now shared with partner.example.',
    ]);
    const { user } = await client.users.info({ user: rob });
    expect(user).toMatchObject({ team_id: otherTeamId, real_name: 'Rob Hale', is_stranger: false });
    expect(user?.enterprise_user).toBeUndefined();
    expect(await type('/workflow list', payments, rob)).toMatchObject({ error: 'not_a_command' });
    slack.say({ user: ben, channel: random, text: 'not for Rob' });
    expect(slack.messages({ channel: random, viewer: rob })).toEqual([]);
    expect(slack.say({ user: rob, channel: random, text: 'hello' })).toBeUndefined();
    expect(slack.say({ user: rob, channel: payments, text: 'hello' })?.user).toBe(rob);
  });

  it('leaves by /remove and the address; with the last one the channel is no longer shared', async () => {
    const { slack, client, type } = await workspace();
    const isShared = async () => (await client.conversations.info({ channel: payments })).channel?.is_ext_shared;
    for (const name of ['rob', 'sue']) await type(`/invite ${name}@partner.example`, payments);
    await type('/remove rob@partner.example', payments);
    expect(await isShared()).toBe(true);
    await type('/remove sue@partner.example', payments);
    expect(await isShared()).toBe(false);
    expect(await type('/remove sue@partner.example', payments)).toMatchObject({ error: 'invalid_arguments' });
    await type('/invite rob@partner.example', payments);
    expect(slack.workspace.people.filter(({ name }) => name === 'rob')).toHaveLength(1);
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
