/** response_url: five answers in thirty minutes, and who sees them. */
import { describe, expect, test } from 'vitest';
import type { LocalSlackOptions } from '../../../src/local-slack/server/server.ts';
import { channelId, personId } from '../../../src/local-slack/state/seed.ts';
import { connectApp, localSlack, respond, slackNow } from '../../support/slack/local-slack.ts';

const ada = personId('ada');
const ben = personId('ben');
const random = channelId('random');

/** A command in a channel without the bot, acknowledged with `answer`. */
async function invoked(answer: unknown = undefined, options: Partial<LocalSlackOptions> = {}) {
  const slack = await localSlack(options);
  await connectApp(slack, { slash_commands: ({ ack }) => ack(answer) });
  const result = await slack.command({ user: ada, channel: random, text: '/workflow status' });
  if (!result.ok) throw new Error(result.error);
  const visibleTo = (viewer: string) => slack.messages({ channel: random, viewer });
  return { slack, url: result.responseUrl, visibleTo };
}

describe('an answer through response_url', () => {
  test('is ephemeral by default', async () => {
    const { url, visibleTo } = await invoked();
    expect(await respond(url, { text: 'psst' })).toEqual({ status: 200, body: 'ok' });
    expect(visibleTo(ada)).toMatchObject([{ text: 'psst', isEphemeral: true }]);
    expect(visibleTo(ben)).toEqual([]);
  });

  test('is public with in_channel, also if the bot is not a member', async () => {
    const { url, visibleTo } = await invoked();
    await respond(url, { text: 'look', response_type: 'in_channel' });
    expect(visibleTo(ben)).toMatchObject([{ text: 'look', isEphemeral: false }]);
  });

  test('is in a thread only with in_channel', async () => {
    const { slack, url, visibleTo } = await invoked();
    const root = slack.say({ user: ben, channel: random, text: 'root' });
    await respond(url, { text: 'a', response_type: 'in_channel', replace_original: false, thread_ts: root?.ts });
    await respond(url, { text: 'b', thread_ts: root?.ts });
    expect(visibleTo(ada).map(({ threadTs }) => threadTs)).toEqual([null, root?.ts, null]);
  });

  test('replaces the message of the acknowledgement', async () => {
    const { url, visibleTo } = await invoked({ text: 'working' });
    await respond(url, { text: 'done', replace_original: true });
    expect(visibleTo(ada)).toMatchObject([{ text: 'done', isEphemeral: true, isEdited: false }]);
  });

  test('never makes a private answer public by replacing it', async () => {
    const { url, visibleTo } = await invoked({ text: 'working' });
    await respond(url, { text: 'done', replace_original: true, response_type: 'in_channel' });
    expect(visibleTo(ada)).toMatchObject([{ text: 'done', isEphemeral: true }]);
    expect(visibleTo(ben)).toEqual([]);
  });

  test('marks a public answer as edited when it replaces it', async () => {
    const { url, visibleTo } = await invoked();
    await respond(url, { text: 'one', response_type: 'in_channel' });
    await respond(url, { text: 'two', replace_original: true });
    expect(visibleTo(ben)).toMatchObject([{ text: 'two', isEdited: true }]);
  });

  test('deletes the original', async () => {
    const { url, visibleTo } = await invoked({ text: 'working' });
    expect(await respond(url, { delete_original: true })).toMatchObject({ status: 200 });
    expect(visibleTo(ada)).toEqual([]);
  });
});

describe('a response_url is refused', () => {
  test('at its sixth use', async () => {
    const { url, visibleTo } = await invoked();
    const statuses: number[] = [];
    for (const text of ['1', '2', '3', '4', '5']) statuses.push((await respond(url, { text })).status);
    expect(statuses).toEqual([200, 200, 200, 200, 200]);
    expect(await respond(url, { text: '6' })).toEqual({ status: 404, body: 'used_url' });
    expect(visibleTo(ada)).toHaveLength(5);
  });

  test('after thirty minutes', async () => {
    let now = slackNow;
    const { url } = await invoked(undefined, { clock: () => now });
    now += 30 * 60_000 - 1;
    expect(await respond(url, { text: 'in time' })).toMatchObject({ status: 200 });
    now += 1;
    expect(await respond(url, { text: 'late' })).toEqual({ status: 404, body: 'expired_url' });
  });

  test.each([
    ['blocks that Slack refuses', { text: 'hi', blocks: [{ type: 'alert' }] }, 'invalid_blocks'],
    ['nothing', {}, 'no_text'],
    ['what is no object', 'hi', 'invalid_payload'],
    [
      'a second table',
      { blocks: [1, 2].map(() => ({ type: 'table', rows: [[{ type: 'raw_text', text: 'a' }]] })) },
      'invalid_attachments',
    ],
  ])('with %s, and the use is not counted', async (_what, payload, error) => {
    const { url, visibleTo } = await invoked();
    expect(await respond(url, payload)).toEqual({ status: 400, body: error });
    expect(visibleTo(ada)).toEqual([]);
    for (const text of ['1', '2', '3', '4', '5']) expect((await respond(url, { text })).status).toBe(200);
  });

  test('for an unknown address', async () => {
    const { slack } = await invoked();
    expect(await respond(`${slack.url}/commands/${slack.workspace.teamId}/guess`, { text: 'hi' })).toEqual({
      status: 404,
      body: 'invalid_url',
    });
  });
});
