/** Mentions and direct messages to the bot, in the local Slack. */
import { expect, it, onTestFinished } from 'vitest';
import { answerActions } from '../../../src/bot/views/blocks/command-button.ts';
import { channelId, directId, personId } from '../../../src/local-slack/state/seed.ts';
import { createTestBot, startTestBot } from '../../support/bot/bot.ts';
import { useGovernedBot } from '../../support/bot/governed-bot.ts';
import { beginThread } from '../../support/bot/outbox.ts';
import { openNewStore } from '../../support/bot/store.ts';
import { fakeTeamId } from '../../support/slack/fake-slack.ts';
import { localSlack } from '../../support/slack/local-slack.ts';

const [ada, ben, general] = [personId('ada'), personId('ben'), channelId('general')];

const governed = useGovernedBot();

async function start() {
  const slack = await localSlack();
  const store = await openNewStore();
  const { botToken, appToken, apiUrl: slackApiUrl } = slack;
  const { bot, requests } = createTestBot(slack, { botToken, appToken, slackApiUrl, store });
  await bot.start();
  onTestFinished(async () => {
    await bot.stop();
    await store.close();
  });
  return { slack, requests, store };
}

it('the answer to a mention is visible only to the person who typed it', async () => {
  const { slack } = await start();
  const answer = slack.nextMessage({ viewer: ada, matches: ({ text }) => text.includes('You typed status payments') });
  slack.say({ user: ada, channel: general, text: '@workflow-bot status payments' });
  await answer;
  const seenByBen = slack.messages({ channel: general, viewer: ben }).map(({ text }) => text);
  expect(seenByBen).toHaveLength(1);
});

it('a mention inside a thread is answered inside it, where a slash command does not work', async () => {
  const { slack } = await start();
  const root = slack.say({ user: ben, channel: general, text: 'payments is red' });
  const answer = slack.nextMessage({ viewer: ada, matches: ({ text }) => text.includes('You typed list') });
  slack.say({ user: ada, channel: general, text: '@workflow-bot list', threadTs: root?.ts ?? '' });
  expect((await answer).threadTs).toBe(root?.ts);
});

it.each([
  ['logs', 'logs e1'],
  ['logs --grep "time out"', 'logs e1 --grep "time out"'],
  ['logs node-7', 'logs e1 node-7'],
  ['logs node 3', 'logs e1 node 3'],
  ['status node-7', 'status node-7'],
  ['timeline', 'timeline e1'],
  ['explain', 'execution e1'],
  ['logs payments', 'logs payments'],
  ['status', 'status run e1'],
  ['failures since yesterday', 'failures run e1 since yesterday'],
  ['executions --status failed', 'executions run e1 --status failed'],
  ['deployments please', 'deployments run e1 please'],
  ['status settlement', 'status settlement'],
  ['list', 'list'],
  ['why?', 'status run e1 why?'],
  ['since when?', 'status run e1 since when?'],
  ['when did it start failing?', 'failures run e1 when did it start failing?'],
  ['what changed?', 'deployments run e1 what'],
  ['thanks!', 'thanks!'],
  ['what happened?', 'status run e1 what happened?'],
  ['what now', 'status run e1 what now'],
  ['is it fixed?', 'status run e1 is it fixed?'],
  ['why did it fail yesterday?', 'failures run e1 why did it fail yesterday?'],
  ['show me the logs', 'logs e1 show me the'],
  ['why is payments-eu failing?', 'why is payments-eu failing?'],
])('a mention “%s” in the thread of an execution means “%s”', async (typed, line) => {
  const { slack, requests, store } = await start();
  const root = slack.say({ user: ben, channel: general, text: 'payments failed' });
  await slack.command({ user: ada, channel: general, text: '/workflow help' });
  const teamId = requests[0]?.actor.teamId ?? '';
  const { lease } = await beginThread(store, { key: { teamId, channelId: general, subject: 'e1' } });
  await lease.adoptRoot(root?.ts ?? '');
  const answer = slack.nextMessage({
    viewer: ada,
    matches: ({ threadTs, user }) => threadTs === root?.ts && user !== ada,
  });
  slack.say({ user: ada, channel: general, text: `@workflow-bot ${typed}`, threadTs: root?.ts ?? '' });
  await answer;
  expect(requests.at(-1)?.line.trim()).toBe(line);
});

it.each([
  ['logs', /^\*?Logs\*? of payments, run /],
  ['execution --private', /The details of payments, run .* are in your direct messages/],
  ['why?', /payments is failing/],
  ['explain --private', /The details of payments, run /],
  ['failures 7d', /payments.* in the last 7 days/s],
])('a mention “%s” below an answer is about its workflow', async (typed, about) => {
  const bot = await governed();
  const { slack } = bot;
  await bot.store.settings.change(bot.teamId, { defaultVisibility: 'channel' }, ada, bot.time.now);
  await bot.type('ada', 'status payments');
  const root = slack
    .messages({ channel: general, viewer: ben })
    .find(({ text }) => text.includes('payments is failing'));
  const threadTs = root?.ts ?? '';
  const answer = slack.nextMessage({
    viewer: ada,
    matches: (message) => about.test(message.text) && message.ts !== threadTs,
  });
  slack.say({ user: ada, channel: general, text: `@workflow-bot ${typed}`, threadTs });
  expect((await answer).threadTs).toBe(threadTs);
});

it('below a message of another app with a button of the same name, a mention is about no workflow', async () => {
  const { slack, requests } = await start();
  const uuid = '0f0e0d0c-0b0a-4090-8080-706050403020';
  const blocks = [answerActions(`status ${uuid}`)];
  const [workspace] = slack.workspaces();
  const posted = (user: string) => workspace?.history.post({ channel: general, user, text: 'status', blocks })?.ts;
  for (const [user, line] of [
    [ben, 'failures'],
    [workspace?.botUserId ?? '', `failures ${uuid}`],
  ] as const) {
    const threadTs = posted(user) ?? '';
    const answer = slack.nextMessage({
      viewer: ada,
      matches: (shown) => shown.threadTs === threadTs && shown.user !== ada,
    });
    slack.say({ user: ada, channel: general, text: '@workflow-bot failures', threadTs });
    await answer;
    expect(requests.at(-1)?.line.trim()).toBe(line);
  }
});

it('plain words in the direct messages are a command line', async () => {
  const { slack } = await start();
  const answer = slack.nextMessage({ channel: directId('ada'), matches: ({ text }) => text.includes('You typed') });
  slack.say({ user: ada, channel: directId('ada'), text: 'status A & B' });
  expect((await answer).text).toContain('You typed status A &amp; B');
});

it('messages between people, and the bot’s own, are ignored', async () => {
  const { slack, requests } = await start();
  slack.say({ user: ben, channel: general, text: 'status payments' });
  const answer = slack.nextMessage({ channel: directId('ada'), matches: ({ text }) => text.includes('You typed') });
  slack.say({ user: ada, channel: directId('ada'), text: 'help' });
  await answer;
  expect(requests.map(({ line }) => line)).toEqual(['help']);
});

it('the bot’s own message is no command, even if Slack does not mark it as a bot’s', async () => {
  await using run = await startTestBot();
  const said = (user: string, text: string) => ({
    type: 'event_callback',
    team_id: fakeTeamId,
    event_id: `Ev${text}`,
    event: { type: 'message', channel_type: 'im', user, channel: 'D0ANNA', text, ts: '1.1' },
  });
  await run.slack.send('events_api', said('U0BOT', 'status'));
  await run.slack.send('events_api', said('U0ANNA', 'list'));
  await run.slack.until(() => run.slack.calls.find(({ method }) => method === 'chat.postMessage'));
  expect(run.requests.map(({ line }) => line)).toEqual(['list']);
});
