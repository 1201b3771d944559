/** Answers reach the person although Slack refuses, limits, delays or drops calls. */
import { expect, test } from 'vitest';
import { ephemeral } from '../../../../../src/bot/commands/framework/command.ts';
import { echo, lateAnswer, startTestBot, type TestBot } from '../../../../support/bot/bot.ts';
import type { FakeReply } from '../../../../support/slack/fake-slack.ts';
import { commandPayload } from '../../../../support/slack/slack-payloads.ts';

const late = lateAnswer(({ line }) => echo(line));
const lateForAll = lateAnswer(({ line }) => ({ ...echo(line), visibility: 'channel' }));

/** Runs one command whose answer follows, with these replies at its response_url, and waits until all is done. */
async function answerOnce(run: TestBot, replies: readonly FakeReply[], fields = {}) {
  run.slack.script('response_url', ...replies);
  await run.slack.send('slash_commands', commandPayload(run.slack, 'list', fields));
  await run.bot.stop();
  return run.slack.responses.map(({ payload }) => payload);
}

const refused = (error: string): FakeReply => ({ status: 400, body: { ok: false, error } });

test.each(['invalid_blocks', 'msg_too_long', 'invalid_blocks_format'])(
  'blocks refused with %s are followed by the same words without blocks, once, and the log says so',
  async (error) => {
    await using run = await startTestBot({ answer: late });
    const [full, plain, ...more] = await answerOnce(run, [refused(error)]);
    expect(full).toHaveProperty('blocks');
    expect(plain).toMatchObject({ text: 'You typed list' });
    expect(plain).not.toHaveProperty('blocks');
    expect(more).toEqual([]);
    expect(run.log.messages()).toContain('slack refused the blocks, sending a simpler variant');
  },
);

test('a plain version that is too long is cut between characters and entities and states how much is missing', async () => {
  await using run = await startTestBot({
    answer: lateAnswer(() => ephemeral({ text: '&lt;'.repeat(2_000), blocks: [] })),
  });
  const [, plain] = await answerOnce(run, [refused('invalid_blocks')]);
  const [, shown = '', left] = /^((?:&lt;)+)\n… \((\d+) characters are left out\)$/.exec(String(plain?.['text'])) ?? [];
  expect(shown.length + Number(left)).toBe(8_000);
});

test.each(['expired_url', 'used_url'])(
  'a response_url that is %s is replaced by a message to the person',
  async (error) => {
    await using run = await startTestBot({ answer: late });
    await answerOnce(run, [{ status: 404, body: { ok: false, error } }]);
    const { method, fields = {} } = run.slack.calls.at(-1) ?? {};
    expect(method).toBe('chat.postEphemeral');
    // It takes no arguments about link previews.
    expect(Object.keys(fields).toSorted()).toEqual(['blocks', 'channel', 'text', 'user']);
    expect(fields).toMatchObject({ channel: 'C0OPS', user: 'U0ANNA', text: 'You typed list' });
    expect(run.log.text()).toContain(error);
  },
);

test('a response_url on a foreign host gets nothing', async () => {
  await using run = await startTestBot({ answer: late });
  const foreign = run.slack.origin.replace('127.0.0.1', '127.0.0.2');
  expect(await answerOnce(run, [], { response_url: `${foreign}/response/evil` })).toEqual([]);
  expect(run.log.text()).toContain('foreign_response_url');
  expect(run.slack.calls.at(-1)).toMatchObject({ method: 'chat.postEphemeral' });
});

test('a redirect is not followed', async () => {
  await using run = await startTestBot({ answer: late });
  const location = `${run.slack.origin}/response/elsewhere`;
  expect(await answerOnce(run, [{ status: 307, headers: { location }, body: '' }])).toHaveLength(1);
});

test('the bot waits for as long as Slack’s rate limit states, and no message is lost', async () => {
  await using run = await startTestBot({ answer: lateForAll });
  const limited: FakeReply = { status: 429, headers: { 'retry-after': '7' }, body: '' };
  expect(await answerOnce(run, [limited, { status: 429, body: '' }])).toHaveLength(3);
  expect(run.waits).toEqual([7_000, 1_000]);
});

test('the bot does not wait for a rate limit of an hour', async () => {
  await using run = await startTestBot({ answer: late });
  await answerOnce(run, [{ status: 429, headers: { 'retry-after': '3600' }, body: '' }]);
  expect(run.waits).toEqual([]);
  expect(run.slack.calls.at(-1)).toMatchObject({ method: 'chat.postEphemeral' });
});

test.each<[string, FakeReply]>([
  ['an error of the server', { status: 500, body: 'upstream' }],
  ['a connection that breaks', 'drop'],
  ['a page of HTML', { body: '<!doctype html><title>Maintenance</title>' }],
])('after %s an answer for one person is sent once more', async (_, reply) => {
  await using run = await startTestBot({ answer: late });
  expect(await answerOnce(run, [reply])).toHaveLength(2);
  expect(run.slack.calls.map(({ method }) => method)).not.toContain('chat.postEphemeral');
});

test.each<[string, FakeReply]>([
  ['an error of the server', { status: 503, body: 'upstream' }],
  ['a connection that breaks', 'drop'],
])('after %s an answer for a channel is never sent again', async (_, reply) => {
  await using run = await startTestBot({ answer: lateForAll });
  expect(await answerOnce(run, [reply])).toHaveLength(1);
  expect(run.log.messages()).toContain('slack did not confirm the answer');
  expect(run.slack.calls.map(({ method }) => method)).not.toContain('chat.postMessage');
});

test('a post through the Web API is sent once, whatever comes back', async () => {
  await using run = await startTestBot({ answer: lateForAll });
  run.slack.script('chat.postMessage', { status: 500, body: '' }, { status: 500, body: '' });
  await answerOnce(run, [], { response_url: undefined });
  expect(run.slack.calls.filter(({ method }) => method === 'chat.postMessage')).toHaveLength(1);
});

test('an answer that cannot be delivered is in the log', async () => {
  await using run = await startTestBot({ answer: late });
  run.slack.script('chat.postEphemeral', { body: { ok: false, error: 'user_not_in_channel' } });
  await answerOnce(run, [{ status: 404, body: 'expired_url' }]);
  expect(run.log.messages()).toContain('answer could not be delivered');
  expect(run.log.text()).toContain('user_not_in_channel');
});

test('a call that Slack never answers times out', async () => {
  await using run = await startTestBot({ answer: lateForAll, timing: { callTimeoutMs: 500 } });
  await answerOnce(run, ['hang']);
  expect(run.log.text()).toContain('"error":"time_out"');
});
