/** People of another company in a shared channel (Slack Connect): the bot runs no query for them. */
import { expect, it, onTestFinished } from 'vitest';
import { openStore } from '../../../src/bot/store/store.ts';
import { commandButton } from '../../../src/bot/views/blocks/command-button.ts';
import { channelId, personId } from '../../../src/local-slack/state/seed.ts';
import { createTestBot } from '../../support/bot.ts';
import { localSlack } from '../../support/local-slack.ts';

const [ada, general] = [personId('ada'), channelId('general')];
const stranger = 'T0STRANGER';

type Payload = Readonly<Record<string, unknown>>;

async function start() {
  const slack = await localSlack();
  const store = await openStore('sqlite::memory:');
  const { botToken, appToken } = slack;
  const test = createTestBot(slack, { botToken, appToken, threads: store.threads });
  await test.bot.start();
  onTestFinished(async () => {
    await test.bot.stop();
    await store.close();
  });
  return { slack, ...test };
}

/** The field that only an event in a shared channel has of its author. */
const written = (said: Payload, around: Payload = {}) => {
  return (payload: Payload) => ({ ...payload, ...around, event: { ...Object(payload['event']), ...said } });
};
const shared = { is_ext_shared_channel: true };

it.each([
  ['names another workspace', written({ user_team: stranger })],
  ['names another enterprise', written({ user_team: 'E0STRANGER' }, shared)],
  ['names another workspace in its older field', written({ team: stranger }, shared)],
  ['does not say whose its author is', written({ team: undefined, user_team: undefined }, shared)],
])('a mention in a shared channel that %s is not answered', async (_what, change) => {
  const { slack, requests, log } = await start();
  slack.tamper(change);
  slack.say({ user: ada, channel: general, text: '@workflow-bot list' });
  await log.until('request refused');
  const answer = slack.nextMessage({ viewer: ada, matches: ({ text }) => text.includes('You typed help') });
  slack.say({ user: ada, channel: general, text: '@workflow-bot help' });
  await answer;
  expect(requests.map(({ line }) => line.trim())).toEqual(['help']);
});

it('a member’s own mention in a shared channel is answered', async () => {
  const { slack } = await start();
  const answer = slack.nextMessage({ viewer: ada, matches: ({ text }) => text.includes('You typed list') });
  slack.tamper(written({ user_team: slack.workspace.teamId }, shared));
  slack.say({ user: ada, channel: general, text: '@workflow-bot list' });
  await answer;
});

it('a press is refused, and the person who pressed reads why', async () => {
  const { slack, requests } = await start();
  const own = slack.nextMessage({ channel: general, viewer: ada });
  await slack.command({ user: ada, channel: general, text: '/workflow list' });
  const { ts } = await own;
  const told = slack.nextMessage({ matches: ({ text }) => text.includes('members of the workspace') });
  slack.tamper((payload) => ({ ...payload, user: { ...Object(payload['user']), team_id: stranger } }));
  const actionId = commandButton({ label: 'x', line: 'list', mode: 'refresh' }).action_id ?? '';
  await slack.press({ user: ada, channel: general, ts, actionId });
  await told;
  expect(requests).toHaveLength(1);
});
