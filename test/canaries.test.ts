/** The search for keys and tokens after every test file (support/watch.ts) finds one in every place. */
import { randomBytes } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { ephemeral } from '../src/bot/commands/framework/command.ts';
import { message } from '../src/bot/views/blocks/message.ts';
import { paragraph, trusted } from '../src/bot/views/blocks/rich-text.ts';
import { channelId } from '../src/local-slack/state/seed.ts';
import { lateAnswer, startTestBot, type TestDispatch } from './support/bot/bot.ts';
import { openTestStore } from './support/bot/store.ts';
import { describeEngines, newSqlite } from './support/databases/engines.ts';
import { startProgram } from './support/programs/program.ts';
import { leave, leaveBit, secret, takeLeaks } from './support/runner/canaries.ts';
import { createMemoryLog } from './support/runner/memory-log.ts';
import { localSlack, webClient } from './support/slack/local-slack.ts';
import { startHttpBot } from './support/slack/signed-http.ts';
import { commandPayload } from './support/slack/slack-payloads.ts';

const newSecret = () => secret(`xoxb-${randomBytes(16).toString('hex')}`);
const found = (where: string) => [expect.stringMatching(`^${where} \\(.+\\)$`)];

/** Runs after the test's other clean-up: handlers run in reverse order. */
function findAtTheEnd(...places: readonly string[]): void {
  onTestFinished(() => expect(takeLeaks()).toEqual(places.flatMap(found)));
}

/** A bot that shows a token to users. */
const telling: (token: string) => TestDispatch = (token) => () =>
  ephemeral(message([paragraph([trusted(`It is ${token}`)])]));

it('in a line of the log', () => {
  createMemoryLog().log.info({ ref: newSecret().slice(-16) }, 'looked up');
  expect(takeLeaks()).toEqual(found('the log'));
});

it('in an acknowledgement over the socket', async () => {
  await using bot = await startTestBot({ answer: telling(newSecret()) });
  await bot.slack.send('slash_commands', commandPayload(bot.slack, 'list'));
  expect(takeLeaks()).toEqual(found('an acknowledgement'));
});

it('in an acknowledgement over HTTP', async () => {
  await using bot = await startHttpBot({ answer: telling(newSecret()) });
  await bot.post(commandPayload(bot.slack, 'list'));
  expect(takeLeaks()).toEqual(found('the answer to Slack’s /slack/events'));
});

it('in a message to a response_url', async () => {
  await using bot = await startTestBot({ answer: lateAnswer(telling(newSecret())) });
  await bot.slack.send('slash_commands', commandPayload(bot.slack, 'list'));
  await bot.slack.until(() => bot.slack.responses[0]);
  expect(takeLeaks()).toEqual(found('/response/.+'));
});

it('in a call of Slack’s Web API, whose header carries the token, and in a file', async () => {
  const slack = await localSlack();
  const client = webClient(slack);
  const { upload_url: url = '' } = await client.files.getUploadURLExternal({ filename: 'a', length: 99 });
  await client.chat.postMessage({
    channel: channelId('general'),
    text: Buffer.from(`a${slack.botToken}z`).toString('base64'),
  });
  await fetch(url, { method: 'POST', body: `first line\n${slack.botToken}\n` });
  expect(takeLeaks()).toEqual([...found('/api/chat.postMessage'), ...found('/upload/v1/.+')]);
});

it('in the output of a program, and in its database', async () => {
  const token = newSecret();
  findAtTheEnd('the output of test/support/programs/open-store.ts', 'data/bot.db');
  const prepare = (folder: string) => {
    mkdirSync(join(folder, 'data'));
    writeFileSync(join(folder, 'data/bot.db'), `SQLite format 3 ${token}`);
  };
  const args = [`postgres://bot@127.0.0.1:1/${token}`];
  await startProgram({ entry: 'test/support/programs/open-store.ts', args, prepare }).ended;
});

it('in the messages to its own Slack of a program that another one has started, before it is killed', async () => {
  findAtTheEnd('/api/chat.postMessage');
  await startProgram({ entry: 'test/support/programs/speak-to-itself.ts', args: ['elsewhere'] }).ended;
});

describeEngines('in a database', (newDatabase) => {
  it('that a test has used', async () => {
    findAtTheEnd('the database(?: on PostgreSQL)?');
    const store = await openTestStore(await newDatabase());
    await store.roles.grant('T1', { userId: newSecret(), role: 'admin', grantedBy: 'U1', grantedAt: 1 });
  });
});

it('in a row that was deleted from a SQLite database', async () => {
  const store = await openTestStore('sqlite::memory:');
  await store.roles.grant('T1', { userId: newSecret(), role: 'admin', grantedBy: 'U1', grantedAt: 1 });
  await store.deleteWorkspace('T1');
  await store.close();
  expect(takeLeaks()).toEqual(found('the database'));
});

describe('spelled', () => {
  const text = secret('wfq_canary+key/with=signs"and\\more');
  it.each([
    ['in an address', encodeURIComponent(text)],
    ['in JSON', JSON.stringify({ text })],
    ['in hexadecimal digits', Buffer.from(text).toString('hex')],
    ...['', 'a', 'ab'].map((before) => [
      `in base64 after “${before}”`,
      Buffer.from(`${before}${text}c`).toString('base64'),
    ]),
    ['in base64 for addresses', Buffer.from(text).toString('base64url')],
  ])('%s', (_how, spelled = '') => {
    leave('somewhere', `before ${spelled} after`);
    expect(takeLeaks()).toEqual(found('somewhere'));
  });

  it('in another way is not found', () => {
    leave('somewhere', text.slice(0, 12));
    expect(takeLeaks()).toEqual([]);
  });
});

it('that is as short as one can be, wherever it stands', () => {
  const token = secret(randomBytes(6).toString('hex'));
  const texts = Array.from({ length: 24 }, (_, at) => `${' '.repeat(at)}${token}`);
  for (const [at, text] of texts.entries()) leave(`after ${at} bytes`, text);
  expect(takeLeaks()).toEqual(texts.flatMap((_, at) => found(`after ${at} bytes`)));
});

describe('in large outputs', () => {
  const mebibyte = Buffer.alloc(1024 * 1024, 'x');

  it('in a body of more than is kept in memory, across two chunks, and registered only afterwards', () => {
    const token = `xoxb-${randomBytes(16).toString('hex')}`;
    const take = leaveBit('a large body');
    for (let count = 0; count < 33; count += 1) take(mebibyte);
    take(token.slice(0, 30));
    take(token.slice(30));
    take(mebibyte);
    secret(token);
    expect(takeLeaks()).toEqual(found('a large body'));
  });

  it('in the recorded part of an output that is too long', () => {
    leave('a note', newSecret());
    for (let count = 0; count < 34; count += 1) leave('much', mebibyte);
    leave('a later note', newSecret());
    expect(takeLeaks()).toEqual([...found('a note'), ...found('a later note')]);
  });

  it('in a database on disk that is not copied into memory', async () => {
    const store = await openTestStore(await newSqlite());
    await store.roles.grant('T1', { userId: newSecret(), role: 'admin', grantedBy: 'U1', grantedAt: 1 });
    const filler = 'x'.repeat(1024 * 1024);
    for (let count = 0; count < 66; count += 1) {
      await store.roles.grant('T1', { userId: `U${count}`, role: 'admin', grantedBy: filler, grantedAt: 1 });
    }
    await store.close();
    expect(takeLeaks()).toEqual(found('the database'));
  });
});
