/** A restart of the local Slack: what survives it, what bounds the file, and what happens to a file that cannot be read. */
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, onTestFinished, test } from 'vitest';
import { History } from '../../../src/local-slack/state/history.ts';
import { channelId, personId } from '../../../src/local-slack/state/seed.ts';
import { openStorage } from '../../../src/local-slack/state/storage.ts';
import { connectApp, localSlack, type SocketEvent, slackNow, webClient } from '../../support/slack/local-slack.ts';

const [ada, ben] = [personId('ada'), personId('ben')];
const [general, random] = [channelId('general'), channelId('random')];
const silent = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };
const actions = {
  type: 'actions',
  block_id: 'row',
  elements: [{ type: 'button', action_id: 'refresh', text: { type: 'plain_text', text: 'Refresh' }, value: 'status' }],
};

function newFile(): string {
  const folder = mkdtempSync(join(tmpdir(), 'local-slack-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return join(folder, 'local-slack.db');
}

const start = (storageFile: string) => localSlack({ storageFile });

describe('after a restart', () => {
  test('messages have the ts, threads, readers and contents that they had, and later ones come after them', async () => {
    const storageFile = newFile();
    const before = await start(storageFile);
    const client = webClient(before);
    const root = await client.chat.postMessage({ channel: general, text: 'Failing', blocks: [actions] });
    await client.chat.postMessage({ channel: general, text: 'Why', thread_ts: String(root.ts) });
    await client.chat.postEphemeral({ channel: general, text: 'For you', user: ada });
    const gone = await client.chat.postMessage({ channel: general, text: 'Gone' });
    await client.chat.delete({ channel: general, ts: String(gone.ts) });
    await client.chat.update({ channel: general, ts: String(root.ts), text: 'Still failing', blocks: [actions] });
    const shown = [ada, ben].map((viewer) => before.messages({ channel: general, viewer }));
    await before.close();

    const after = await start(storageFile);
    expect(after.storageProblem).toBeNull();
    expect([ada, ben].map((viewer) => after.messages({ channel: general, viewer }))).toEqual(shown);
    expect(shown.map(({ length }) => length)).toEqual([3, 2]);
    const reply = await webClient(after).chat.postMessage({
      channel: general,
      text: 'More',
      thread_ts: String(root.ts),
    });
    // The clock of these tests stays still.
    const kept = shown.flat().map((message) => Number(message.ts));
    expect(Number(reply.ts)).toBeGreaterThan(Math.max(...kept));
    const thread = await webClient(after).conversations.replies({ channel: general, ts: String(root.ts) });
    expect(thread.messages?.map(({ text }) => text)).toEqual(['Still failing', 'Why', 'More']);
  });

  test('a button of an earlier message reaches the app with that message', async () => {
    const storageFile = newFile();
    const before = await start(storageFile);
    const { ts } = await webClient(before).chat.postMessage({ channel: general, text: 'Failing', blocks: [actions] });
    await before.close();

    const after = await start(storageFile);
    const received: SocketEvent['body'][] = [];
    await connectApp(after, {
      interactive: ({ ack, body }: SocketEvent) => {
        received.push(body);
        return ack();
      },
    });
    expect(await after.press({ user: ada, channel: general, ts: String(ts), actionId: 'refresh' })).toMatchObject({
      ok: true,
    });
    expect(received).toMatchObject([{ container: { message_ts: ts }, actions: [{ value: 'status' }] }]);
  });

  test('files, members of channels, and a second workspace with its installation are there', async () => {
    const storageFile = newFile();
    const before = await start(storageFile);
    before.workspace.changeChannel(random, { memberIds: [ada, before.workspace.botUserId] });
    await webClient(before).filesUploadV2({ channel_id: random, filename: 'logs.txt', file: Buffer.from('one line') });
    const there = before.useWorkspace(before.addWorkspace().teamId);
    const token = there.botToken;
    await webClient(there, token).chat.postMessage({ channel: channelId('general', 2), text: 'Hello' });
    await before.close();

    const after = await start(storageFile);
    const [message] = after.messages({ channel: random, viewer: ada });
    expect(await (await fetch(after.url + message?.files[0]?.downloadUrl)).text()).toBe('one line');
    expect(await webClient(after).chat.postMessage({ channel: random, text: 'I am here' })).toMatchObject({ ok: true });
    expect(after.workspaces().map(({ teamId }) => teamId)).toEqual([before.workspace.teamId, there.workspace.teamId]);
    const client = webClient(after, token);
    expect(await client.chat.postMessage({ channel: channelId('general', 2), text: 'Again' })).toMatchObject({
      ok: true,
    });
    const texts = after
      .messages({ channel: channelId('general', 2), viewer: personId('ada', 2) })
      .map(({ text }) => text);
    expect(texts).toEqual(['Hello', 'Again']);
    expect(readFileSync(storageFile).includes(token)).toBe(false);
  });
});

test('after a restart an organization has its workspaces, its installation and the workspaces that have the app', async () => {
  const storageFile = newFile();
  const before = await start(storageFile);
  const { organization, workspaces } = before.addOrganization();
  const [first = '', second = ''] = workspaces.map(({ teamId }) => teamId);
  const { accessToken } = before.installOrganization(organization.id);
  await before.changeAccess(organization.id, [second], true);
  before.addWorkspace(null);
  await webClient(before, accessToken).chat.postMessage({ channel: channelId('general', 3), text: 'Hello' });
  await before.close();

  const after = await start(storageFile);
  expect(after.workspaces().map((each) => [each.teamId, each.organization?.id ?? null])).toEqual([
    [before.workspace.teamId, null],
    [first, organization.id],
    [second, organization.id],
    ['T04LOCAL000', null],
  ]);
  const { teams } = await webClient(after, accessToken).auth.teams.list();
  expect(teams?.map(({ id }) => id)).toEqual([second]);
  const [message] = after.messages({ channel: channelId('general', 3), viewer: personId('ada', 3) });
  expect(message?.text).toBe('Hello');
});

test('the file is its owner’s alone, and keeps the newest messages within a number and a size', () => {
  const file = newFile();
  const open = () => {
    const storage = openStorage(file, silent);
    return { storage, history: new History(() => slackNow, storage.records('message', 1)) };
  };
  const { storage, history } = open();
  for (let count = 0; count <= 2000; count += 1) history.post({ channel: general, user: ada, text: `${count}` });
  storage.close();
  const again = open();
  expect(
    again.history
      .list(general)
      .map(({ text }) => text)
      .slice(0, 2),
  ).toEqual(['1', '2']);
  expect(again.history.list(general)).toHaveLength(2000);
  const long = 'x'.repeat(1_048_576);
  for (let count = 0; count < 40; count += 1) again.history.post({ channel: general, user: ada, text: long });
  expect(again.history.list(general).length).toBeLessThan(33);
  again.storage.close();
  expect(statSync(file).size).toBeLessThan(40 * 1_048_576);
  expect(statSync(file).mode & 0o077).toBe(0);
});

describe('a file that cannot be read is moved away, and a sentence says where', () => {
  const statement = (sql: string) => (file: string) => {
    const database = new DatabaseSync(file);
    database.exec(sql);
    database.close();
  };
  const damages: readonly (readonly [name: string, damage: (file: string) => void])[] = [
    ['something else', (file) => writeFileSync(file, 'This is not a database.'.repeat(100))],
    ['half of it', (file) => writeFileSync(file, readFileSync(file).subarray(0, 10_000))],
    ['another version', statement('pragma user_version = 99')],
    ['another table', statement('drop table records; create table records (kind)')],
    ['a damaged record', statement(`update records set record = x'ff01'`)],
  ];
  test.each(damages)('%s', async (_, damage) => {
    const storageFile = newFile();
    const before = await start(storageFile);
    for (let count = 0; count < 50; count += 1) before.say({ user: ada, channel: general, text: 'Hello '.repeat(50) });
    await before.close();
    damage(storageFile);
    const { size } = statSync(storageFile);

    const after = await start(storageFile);
    const [, aside = ''] = /moved to (\S+),/.exec(after.storageProblem ?? '') ?? [];
    expect(statSync(aside).size).toBe(size);
    expect(after.messages({ channel: general, viewer: ada })).toEqual([]);
    after.say({ user: ada, channel: general, text: 'Afresh' });
    await after.close();
    const third = await start(storageFile);
    expect([third.storageProblem, third.messages({ channel: general, viewer: ada }).length]).toEqual([null, 1]);
    expect(readdirSync(join(storageFile, '..')).filter((name) => /unreadable.*Z$/.test(name))).toHaveLength(1);
  });
});
