/** What stands in a conversation of the local Slack, as an app may read it. */
import { describe, expect, it } from 'vitest';
import { channelId, directId, personId } from '../../src/playground/seed.ts';
import { localSlack, webClient } from '../support/local-slack.ts';

const general = channelId('general');
const metadata = { event_type: 'thread', event_payload: { part: 'root' } };

async function withThread() {
  const slack = await localSlack();
  const client = webClient(slack);
  const root = await client.chat.postMessage({ channel: general, text: 'root', metadata });
  const { ts = '' } = root;
  await client.chat.postMessage({ channel: general, text: 'reply', thread_ts: ts });
  await client.chat.postEphemeral({ channel: general, text: 'private', user: personId('ada') });
  await client.chat.postMessage({ channel: general, text: 'after' });
  return { slack, client, ts };
}

const textsOf = ({ messages = [] }: { readonly messages?: readonly { readonly text?: string }[] }) =>
  messages.map(({ text }) => text);

describe('an app reads', () => {
  it('a channel newest first, without replies and without what one person alone sees', async () => {
    const { client, ts } = await withThread();
    expect(textsOf(await client.conversations.history({ channel: general }))).toEqual(['after', 'root']);
    expect(textsOf(await client.conversations.history({ channel: general, oldest: ts }))).toEqual(['after']);
    const page = await client.conversations.history({ channel: general, limit: 1 });
    expect([textsOf(page), page.has_more]).toEqual([['after'], true]);
  });

  it('a thread from its root on, by the id of any of its messages', async () => {
    const { client, ts } = await withThread();
    const { messages = [] } = await client.conversations.replies({ channel: general, ts });
    expect(textsOf({ messages })).toEqual(['root', 'reply']);
    const again = await client.conversations.replies({ channel: general, ts: messages[1]?.ts ?? '' });
    expect(textsOf(again)).toEqual(['root', 'reply']);
    const nowhere = client.conversations.replies({ channel: general, ts: '1.000000' });
    await expect(nowhere).rejects.toMatchObject({ data: { error: 'thread_not_found' } });
  });

  it('metadata only when it asks for it', async () => {
    const { client, ts } = await withThread();
    const page = { channel: general, ts };
    expect((await client.conversations.replies(page)).messages?.[0]).not.toHaveProperty('metadata');
    const whole = await client.conversations.replies({ ...page, include_all_metadata: true });
    expect(whole.messages?.[0]).toMatchObject({ metadata });
  });

  it('only where it is a member and has the scope', async () => {
    const slack = await localSlack();
    const second = slack.addWorkspace(['chat:write', 'im:history']);
    const few = webClient(slack, second.botToken);
    const refused = (channel: string, client = few) => client.conversations.history({ channel });
    await expect(refused(channelId('general', 2))).rejects.toMatchObject({ data: { needed: 'channels:history' } });
    expect(await refused(directId('ada', 2))).toMatchObject({ ok: true });
    await expect(refused(channelId('random'), webClient(slack))).rejects.toThrow('not_in_channel');
    await expect(refused(channelId('incident-room'), webClient(slack))).rejects.toThrow('channel_not_found');
  });
});

describe('a file that is deleted', () => {
  it('leaves its message, which says so, and cannot be deleted twice', async () => {
    const { client, slack } = await withThread();
    const { upload_url = '', file_id = '' } = await client.files.getUploadURLExternal({ filename: 'a.txt', length: 2 });
    await fetch(upload_url, { method: 'POST', body: 'hi' });
    await client.files.completeUploadExternal({ files: [{ id: file_id }], channel_id: general });
    await client.files.delete({ file: file_id });
    expect(slack.messages({ channel: general, viewer: personId('ada') }).at(-1)).toMatchObject({
      files: [],
      text: '_This file was deleted._',
      isEdited: false,
    });
    await expect(client.files.delete({ file: file_id })).rejects.toThrow('file_not_found');
  });
});
