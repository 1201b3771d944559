/** Files, as the bot uploads them and as people find them. */
import { describe, expect, it, onTestFinished } from 'vitest';
import { Posting } from '../../../src/bot/slack/outbound/delivery/posting.ts';
import { createSlackClients } from '../../../src/bot/slack/outbound/web-api/client.ts';
import {
  createSendBytes,
  createSlackAgent,
  createSlackFetch,
} from '../../../src/bot/slack/outbound/web-api/slack-fetch.ts';
import { Files } from '../../../src/local-slack/files/store.ts';
import { channelId, directId, personId } from '../../../src/local-slack/state/seed.ts';
import { createMemoryLog } from '../../support/runner/memory-log.ts';
import { httpStatus, slackError } from '../../support/slack/faults.ts';
import { localSlack, webClient } from '../../support/slack/local-slack.ts';
import { tinyPicture } from '../../support/slack/page-blocks.ts';

const ada = personId('ada');
const general = channelId('general');
const bytes = (text: string) => new TextEncoder().encode(text);
const png = Buffer.from(tinyPicture.replace(/^.*,/, ''), 'base64');

/** The bot's own way to upload, against a local Slack. */
async function start() {
  const slack = await localSlack();
  const agent = createSlackAgent();
  onTestFinished(() => agent.destroy());
  const { log } = createMemoryLog();
  const clients = createSlackClients({
    slackApiUrl: slack.apiUrl,
    fetch: createSlackFetch(agent),
    log,
    callTimeoutMs: 2000,
  });
  const posting = new Posting({
    post: async () => ({ kind: 'refused', error: 'not_here' }),
    slashCommand: '/workflow',
    clients,
    sendBytes: createSendBytes(agent),
    log,
  });
  const target = { botToken: slack.botToken, channelId: general };
  const upload = (name: string, content: Uint8Array, altText?: string) =>
    posting.upload(target, { name, title: name, content: async () => content, ...(altText && { altText }) });
  const shared = () => slack.messages({ channel: general, viewer: ada }).flatMap(({ files }) => files);
  return { slack, posting, target, upload, shared, client: webClient(slack) };
}

/** Asks where to send one file, and sends it. @returns the file's id */
async function sent({ client }: Awaited<ReturnType<typeof start>>, content = 'one\ntwo', filename = 'a.txt') {
  const { upload_url = '', file_id = '' } = await client.files.getUploadURLExternal({
    filename,
    length: content.length,
  });
  expect((await fetch(upload_url, { method: 'POST', body: content })).status).toBe(200);
  return file_id;
}

describe('the bot uploads', () => {
  it('a text, and the message has its name, its size and its first lines', async () => {
    const { upload, shared, slack } = await start();
    const text = Array.from({ length: 150 }, (_, line) => `line ${line}`).join('\n');
    expect(await upload('logs.txt', bytes(text))).toEqual({ kind: 'done' });
    expect(shared()).toMatchObject([{ name: 'logs.txt', kind: 'text', bytes: text.length, lineCount: 150 }]);
    expect(shared()[0]?.head.split('\n')).toHaveLength(100);
    expect(slack.messages({ channel: general, viewer: ada })).toMatchObject([
      { text: '', blocks: [], isEphemeral: false },
    ]);
  });

  it('a picture with its alternative text', async () => {
    const { upload, shared } = await start();
    await upload('timeline.png', png, '5 steps in 4 s');
    expect(shared()).toMatchObject([{ kind: 'image', mimeType: 'image/png', altText: '5 steps in 4 s' }]);
  });

  it('into a thread, and into direct messages', async () => {
    const { slack, posting, target, client } = await start();
    const file = { name: 'a.txt', title: 'a', content: async () => bytes('x') };
    const { ts: threadTs = '' } = await client.chat.postMessage({ channel: general, text: 'root' });
    await posting.upload({ ...target, threadTs }, file);
    await posting.upload({ ...target, channelId: directId('ada') }, file);
    expect(slack.messages({ channel: general, viewer: ada }).at(-1)).toMatchObject({
      files: [{ title: 'a' }],
      threadTs,
    });
    expect(slack.messages({ channel: directId('ada'), viewer: ada })).toMatchObject([{ files: [{ name: 'a.txt' }] }]);
  });

  it.each([
    ['files.getUploadURLExternal', slackError('internal_error'), 'internal_error'],
    ['upload', httpStatus(503), 'upload_http_503'],
    ['files.completeUploadExternal', slackError('posting_to_channel_denied'), 'posting_to_channel_denied'],
  ])('nothing if %s fails, and gets the error', async (target, fault, error) => {
    const { slack, upload, shared } = await start();
    slack.fail(target, fault);
    expect(await upload('a.txt', bytes('x'))).toMatchObject({ error });
    expect(shared()).toEqual([]);
  });

  it('nothing if it is no member, or the file cannot be created', async () => {
    const { posting, target } = await start();
    const file = { name: 'a.txt', title: 'a', content: async () => bytes('x') };
    const at = (name: 'incident-room' | 'random') => posting.upload({ ...target, channelId: channelId(name) }, file);
    expect(await at('incident-room')).toMatchObject({ error: 'channel_not_found' });
    expect(await at('random')).toMatchObject({ error: 'not_in_channel' });
    const broken = { ...file, content: async () => Promise.reject(new Error('no picture')) };
    expect(await posting.upload(target, broken)).toMatchObject({ kind: 'unknown' });
  });
});

describe('an address for an upload', () => {
  it.each([
    ['no name', { length: 3 }, 'missing_argument'],
    ['no length', { filename: 'a.txt' }, 'missing_argument'],
    ['half a byte', { filename: 'a.txt', length: 0.5 }, 'invalid_arguments'],
    ['a length over the cap', { filename: 'a.txt', length: 40_000_000 }, 'file_upload_size_restricted'],
    ['too many words for a picture', { filename: 'a.png', length: 3, alt_txt: 'x'.repeat(1001) }, 'alt_txt_too_large'],
  ])('is not given for %s', async (_what, fields, error) => {
    const { client } = await start();
    await expect(client.apiCall('files.getUploadURLExternal', fields)).rejects.toMatchObject({ data: { error } });
  });

  it('accepts the announced number of bytes, once', async () => {
    const { client } = await start();
    const { upload_url = '' } = await client.files.getUploadURLExternal({ filename: 'a.txt', length: 3 });
    const status = async (body: string) => (await fetch(upload_url, { method: 'POST', body })).status;
    expect(await status('four')).toBe(400);
    expect(await status('x'.repeat(20_000))).toBe(413);
    expect(await status('new')).toBe(200);
    expect(await status('old')).toBe(404);
  });

  it('accepts a form, too', async () => {
    const { client, shared } = await start();
    const { upload_url = '', file_id = '' } = await client.files.getUploadURLExternal({ filename: 'a.txt', length: 3 });
    const form = new FormData();
    form.append('filename', new Blob(['one']), 'whatever.bin');
    expect((await fetch(upload_url, { method: 'POST', body: form })).status).toBe(200);
    await client.files.completeUploadExternal({ files: [{ id: file_id }], channel_id: general });
    expect(shared()).toMatchObject([{ name: 'a.txt', title: 'a.txt', head: 'one' }]);
  });

  it('works with the SDK’s own helper', async () => {
    const { client, shared } = await start();
    await client.filesUploadV2({
      channel_id: general,
      file: png,
      filename: 'a.png',
      title: 'A',
    });
    expect(shared()).toMatchObject([{ kind: 'image', title: 'A' }]);
  });
});

describe('sharing', () => {
  it('several at once posts one message, with the files for apps', async () => {
    const test = await start();
    const ids = [await sent(test), await sent(test)];
    const [first, second] = ids.map((id) => ({ id, title: `T ${id}` }));
    if (!first || !second) throw new Error('not sent');
    await test.client.files.completeUploadExternal({
      files: [first, second],
      channel_id: general,
    });
    const messages = test.slack.messages({ channel: general, viewer: ada });
    expect(messages).toMatchObject([{ text: '', files: ids.map((id) => ({ id, title: `T ${id}` })) }]);
  });

  it.each([
    ['a file that was never sent', { files: [{ id: 'F0NOTHING' }] }, 'file_not_found'],
    ['no file', { files: [] }, 'invalid_arguments'],
    ['what is no list of files', { files: 'F1' }, 'invalid_arguments'],
    ['an unknown channel', { channel_id: 'C0NOWHERE' }, 'channel_not_found'],
    ['a person in place of a channel', { channel_id: ada }, 'channel_not_found'],
    ['an archived channel', { channel_id: channelId('old-alerts') }, 'is_archived'],
    ['a thread that is none', { thread_ts: '1.000000' }, 'cannot_reply_to_message'],
  ])('%s is refused, and the file can still be shared', async (_what, fields, error) => {
    const test = await start();
    const good = { files: [{ id: await sent(test) }], channel_id: general };
    const share = (more: object) => test.client.apiCall('files.completeUploadExternal', { ...good, ...more });
    await expect(share(fields)).rejects.toMatchObject({ data: { error } });
    expect(await share({})).toMatchObject({ ok: true });
  });

  it('needs its scope', async () => {
    const slack = await localSlack();
    const second = slack.addWorkspace(['chat:write']);
    const asking = webClient(slack, second.botToken).files.getUploadURLExternal({ filename: 'a', length: 1 });
    await expect(asking).rejects.toMatchObject({ data: { error: 'missing_scope', needed: 'files:write' } });
  });
});

describe('a file’s address', () => {
  it.each([
    ['a web page by its name', 'evil.html', bytes('<script>alert(1)</script>'), 'text/plain; charset=utf-8'],
    [
      'a web page that calls itself a picture',
      'evil.png',
      bytes('<svg onload="alert(1)">'),
      'text/plain; charset=utf-8',
    ],
    ['bytes of no kind', 'a.bin', Uint8Array.from([0, 1, 2, 255]), 'application/octet-stream'],
  ])('serves %s as a download that no browser runs', async (_what, name, content, type) => {
    const { slack, upload, shared } = await start();
    await upload(name, content);
    const response = await fetch(slack.url + shared()[0]?.url);
    expect(new Uint8Array(await response.arrayBuffer())).toEqual(Uint8Array.from(content));
    expect(response.headers.get('content-type')).toBe(type);
    expect(response.headers.get('content-disposition')).toBe(`attachment; filename*=UTF-8''${name}`);
    expect(response.headers.get('x-content-type-options')).toBe('nosniff');
    expect(response.headers.get('content-security-policy')).toBe("default-src 'none'; sandbox");
  });

  it('shows an image inline, and as a download', async () => {
    const { slack, upload, shared } = await start();
    await upload('Zeit über alles.png', png);
    const [file] = shared();
    const inline = await fetch(slack.url + file?.url);
    expect(inline.headers.get('content-type')).toBe('image/png');
    expect(inline.headers.get('content-disposition')).toMatch(/^inline;/);
    const download = await fetch(slack.url + file?.downloadUrl);
    expect(download.headers.get('content-disposition')).toBe(
      "attachment; filename*=UTF-8''Zeit%20%C3%BCber%20alles.png",
    );
  });

  it('is 404 before the file is shared, and for an unknown file', async () => {
    const test = await start();
    const { teamId } = test.slack.workspace;
    const id = await sent(test);
    expect((await fetch(`${test.slack.url}/files-pri/${teamId}-${id}/a.txt`)).status).toBe(404);
    expect((await fetch(`${test.slack.url}/files-pri/${teamId}-F0NOTHING/a.txt`)).status).toBe(404);
  });
});

it('a deleted file leaves its message with a note, and cannot be deleted twice', async () => {
  const { client, upload, shared, slack } = await start();
  await upload('logs.txt', bytes('one'));
  const file = shared()[0]?.id ?? '';
  await client.files.delete({ file });
  const [message] = slack.messages({ channel: general, viewer: ada });
  expect(message).toMatchObject({ files: [], text: '_This file was deleted._', isEdited: false });
  await expect(client.files.delete({ file })).rejects.toThrow('file_not_found');
});

it('the oldest files are deleted when newer ones need the room', () => {
  const files = new Files(new Map(), 10);
  const share = (name: string) => {
    const { id, key } = files.announce({ name, length: 4, altText: '' });
    expect(files.receive(key, bytes('four'))).toBe(true);
    files.complete([{ id, title: undefined }]);
    return id;
  };
  const [first = '', second = '', third = ''] = ['a', 'b', 'c'].map(share);
  expect(files.find(first)).toBeUndefined();
  expect([files.find(second)?.name, files.find(third)?.name]).toEqual(['b', 'c']);
});
