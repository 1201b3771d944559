/** Slack answers messages with tables with an error of its own: a simpler form follows, once, if nothing was posted. */
import { describe, expect, it, onTestFinished } from 'vitest';
import { ephemeral } from '../../../../../src/bot/commands/framework/command.ts';
import { cell, table } from '../../../../../src/bot/views/blocks/blocks.ts';
import { message } from '../../../../../src/bot/views/blocks/message.ts';
import { plan } from '../../../../../src/bot/views/blocks/plan.ts';
import { paragraph, rich } from '../../../../../src/bot/views/blocks/rich-text.ts';
import type { Fault } from '../../../../../src/local-slack/server/local-slack.ts';
import { directId } from '../../../../../src/local-slack/state/seed.ts';
import { createTestBot, lateAnswer, noStore } from '../../../../support/bot/bot.ts';
import type { SlackDriver } from '../../../../support/slack/driver.ts';
import { carriedOutAnyway, failsOnTables, httpStatus, slackError } from '../../../../support/slack/faults.ts';
import { localSlack, slackNow } from '../../../../support/slack/local-slack.ts';
import {
  ada,
  general,
  investigate,
  standing,
  startPassing,
  thread,
  wholeThread,
} from '../../../../support/slack/threads.ts';

const listed = message([
  paragraph(rich`Runs`),
  table([{ title: 'Started' }, { title: 'Result' }], [[cell('10:29'), cell('failed')]]),
]);

async function start(visibility: 'ephemeral' | 'channel' = 'ephemeral') {
  const slack = await localSlack();
  const { botToken, appToken, apiUrl: slackApiUrl } = slack;
  let now = slackNow;
  const waitBeforeRepeat = async (ms: number) => {
    now += ms;
  };
  const given = { botToken, appToken, slackApiUrl, store: noStore, clock: () => now, timing: { waitBeforeRepeat } };
  // No acknowledgement carries it.
  const answer = lateAnswer(() => ({ ...ephemeral(listed), visibility }));
  const { bot } = createTestBot(slack, { ...given, answer });
  await bot.start();
  onTestFinished(() => bot.stop());
  return { slack };
}

/** The kinds of blocks of the bot's messages. */
const kindsIn = (slack: SlackDriver, channel: string, viewer = ada) =>
  slack
    .messages({ channel, viewer })
    .filter(({ user }) => user !== viewer)
    .map(({ blocks }) => blocks.map(({ type }) => type));

const postsOf = (slack: SlackDriver) => slack.requests.filter(({ name }) => name === 'chat.postMessage').length;

describe('a table in direct messages that Slack fails on', () => {
  it.each<[string, Fault]>([
    ['internal_error', slackError('internal_error')],
    ['fatal_error', slackError('fatal_error')],
    ['500', httpStatus(500)],
  ])('with %s is followed by a list, once the history shows that nothing was posted', async (_, fault) => {
    const { slack } = await start();
    slack.failWhen('chat.postMessage', failsOnTables(fault));
    const answer = slack.nextMessage({ channel: directId('ada'), matches: ({ text }) => text.includes('failed') });
    slack.say({ user: ada, channel: directId('ada'), text: 'executions' });
    expect(JSON.stringify((await answer).blocks)).toMatch(/10:29.*failed/);
    expect(kindsIn(slack, directId('ada'))).toEqual([['rich_text', 'rich_text']]);
    const calls = slack.requests.map(({ name }) => name).filter((name) => /post|history/.test(name));
    expect(calls).toEqual(['chat.postMessage', 'conversations.history', 'chat.postMessage']);
  });

  it('although it is posted stays the only message', async () => {
    const { slack } = await start();
    slack.failWhen('chat.postMessage', failsOnTables(carriedOutAnyway(slackError('internal_error'))));
    const read = slack.nextMessage({ channel: directId('ada'), matches: ({ user }) => user !== ada });
    slack.say({ user: ada, channel: directId('ada'), text: 'executions' });
    await read;
    await expect.poll(() => slack.requests.at(-1)?.name).toBe('conversations.history');
    expect([kindsIn(slack, directId('ada')), postsOf(slack)]).toEqual([[['rich_text', 'table']], 1]);
  });

  it('is not followed by anything while the history cannot be read', async () => {
    const { slack } = await start();
    slack.failWhen('chat.postMessage', failsOnTables(slackError('internal_error')));
    slack.fail('conversations.history', httpStatus(503));
    slack.say({ user: ada, channel: directId('ada'), text: 'executions' });
    await expect.poll(() => slack.requests.at(-1)?.name).toBe('conversations.history');
    expect([kindsIn(slack, directId('ada')), postsOf(slack)]).toEqual([[], 1]);
  });
});

it.each([
  ['nothing was posted', slackError('internal_error'), ['rich_text', 'rich_text'], 2],
  ['it was posted', carriedOutAnyway(slackError('internal_error')), ['rich_text', 'table'], 1],
])(
  'a table for a channel that Slack fails on is there once: the history shows that %s',
  async (_, fault, kinds, posts) => {
    const { slack } = await start('channel');
    slack.fail('response_url', httpStatus(404, 'expired_url'));
    slack.failWhen('chat.postMessage', failsOnTables(fault));
    const answer = slack.nextMessage({ channel: general, matches: ({ text }) => text.includes('Runs') });
    await slack.command({ user: ada, channel: general, text: '/workflow executions' });
    await answer;
    await expect.poll(() => slack.requests.some(({ name }) => name === 'conversations.history')).toBe(true);
    expect([kindsIn(slack, general), postsOf(slack)]).toEqual([[kinds], posts]);
  },
);

it.each([
  ['a mention', 'chat.postEphemeral', '@workflow-bot executions'],
  ['a command', 'response_url', '/workflow executions'],
])('a table in the private answer to %s is followed by a list at once', async (_, method, text) => {
  const { slack } = await start();
  slack.failWhen('chat.postEphemeral', failsOnTables(slackError('internal_error')));
  if (method === 'response_url') slack.fail('response_url', httpStatus(500), 2);
  const answer = slack.nextMessage({ viewer: ada, matches: (shown) => shown.text.includes('Runs') });
  if (method === 'response_url') await slack.command({ user: ada, channel: general, text });
  else slack.say({ user: ada, channel: general, text });
  expect((await answer).blocks.map(({ type }) => type)).toEqual(['rich_text', 'rich_text']);
});

it('a plan in a thread that Slack fails on is followed by a list, and the thread is complete', async () => {
  const slack = await localSlack();
  slack.failWhen('chat.postMessage', failsOnTables(slackError('internal_error')));
  const steps = message([
    paragraph(rich`timeline first`),
    plan('1 step', [{ number: 1, title: ['http@1'], status: 'error', details: rich`failed` }]),
  ]);
  const answer = () => {
    const whole = thread();
    return {
      ...whole,
      replies: whole.replies.map((one) => (one.name === 'timeline' ? { ...one, message: steps } : one)),
    };
  };
  await startPassing(slack, { answer });
  await investigate(slack);
  const [, , timeline, ...others] = standing(slack);
  expect(timeline?.text).toContain('timeline first');
  expect(timeline?.blocks.map(({ type }) => type)).toEqual(['rich_text', 'rich_text']);
  expect(others.map(({ text }) => text)).toEqual(wholeThread.slice(3));
});
