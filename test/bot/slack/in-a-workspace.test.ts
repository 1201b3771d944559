/** The bot in the local Slack: the messages that people see when they type and press. */
import { expect, onTestFinished, test } from 'vitest';
import { commandButton } from '../../../src/bot/views/blocks/command-button.ts';
import { channelId, personId } from '../../../src/local-slack/state/seed.ts';
import { createTestBot, echo, lateAnswer, type TestDispatch } from '../../support/bot/bot.ts';
import type { SlackDriver } from '../../support/slack/driver.ts';
import { localSlack } from '../../support/slack/local-slack.ts';

const channel = channelId('payments');
const ada = personId('ada');
const ben = personId('ben');

async function workspace(answer?: TestDispatch) {
  const slack = await localSlack();
  const { botToken, appToken } = slack;
  const test = createTestBot(slack, { botToken, appToken, ...(answer && { answer }) });
  await test.bot.start();
  onTestFinished(() => test.bot.stop());
  return { slack, ...test };
}

const late = lateAnswer(({ line }) => echo(line));

/** @returns the message that Ada reads */
async function typed(slack: SlackDriver, line: string) {
  const next = slack.nextMessage({ channel, viewer: ada });
  expect(await slack.command({ user: ada, channel, text: `/workflow ${line}` })).toMatchObject({ ok: true });
  return next;
}

const press = (slack: SlackDriver, ts: string, mode: 'refresh' | 'share', user = ada) =>
  slack.press({ user, channel, ts, actionId: commandButton({ label: 'x', line: 'list', mode }).action_id ?? '' });

const shown = (slack: SlackDriver, viewer: string) => slack.messages({ channel, viewer }).map(({ text }) => text);

test.each<[string, TestDispatch | undefined]>([
  ['a warm', undefined],
  ['a late', late],
])('%s answer is visible only to the person who asked', async (_, answer) => {
  const { slack } = await workspace(answer);
  expect(await typed(slack, 'list')).toMatchObject({ text: 'You typed list', isEphemeral: true });
  expect(shown(slack, ben)).not.toContain('You typed list');
});

test('a shared answer is visible to all members, and each of them can refresh it', async () => {
  const { slack, requests } = await workspace();
  const own = await typed(slack, 'list');
  const posted = slack.nextMessage({ channel, viewer: ben });
  const replaced = slack.nextMessage({ ts: own.ts });
  await press(slack, own.ts, 'share');
  const { ts, text } = await posted;
  expect(text).toContain(`Shared by <@${ada}>`);
  expect(await replaced).toMatchObject({ text: 'Shared in this channel.' });
  const changed = slack.nextMessage({ ts });
  await press(slack, ts, 'refresh', ben);
  expect(await changed).toMatchObject({ text, isEdited: true });
  expect(requests.at(-1)).toMatchObject({ isFresh: true, actor: { userId: ben } });
});

test('a refreshed answer replaces the old one', async () => {
  const { slack } = await workspace(late);
  const own = await typed(slack, 'list');
  const changed = slack.nextMessage({ ts: own.ts });
  await press(slack, own.ts, 'refresh');
  await changed;
  expect(shown(slack, ada).filter((text) => text === 'You typed list')).toHaveLength(1);
});

test.each(['warning', 'refresh_requested', 'abrupt'] as const)(
  'after %s commands are answered again',
  async (reason) => {
    const { slack } = await workspace();
    slack.disconnectSockets(reason);
    await slack.whenConnected();
    expect(await typed(slack, 'list')).toMatchObject({ text: 'You typed list' });
  },
);

test('each reader’s time zone is Slack’s', async () => {
  const { slack, bot } = await workspace();
  const { teamId } = slack.workspace;
  expect(await bot.zoneOf({ teamId, userId: personId('chiyo') })).toBe('Asia/Tokyo');
});

test('a response_url that is used up does not lose the answer', async () => {
  const { slack, log } = await workspace(late);
  const used = { status: 404, headers: {}, body: 'used_url' };
  slack.fail('response_url', { isCarriedOut: false, answer: used });
  expect(await typed(slack, 'list')).toMatchObject({ text: 'You typed list', isEphemeral: true });
  expect(log.text()).toContain('used_url');
});

test('a socket event for another app runs nothing', async () => {
  const { slack, requests, log } = await workspace();
  slack.tamper((payload) => ({ ...payload, api_app_id: 'A0OTHERAPP' }));
  expect((await typed(slack, 'list')).text).toContain('meant for another app');
  expect(requests).toEqual([]);
  expect(log.text()).toContain('"refusal":"other_app"');
});
