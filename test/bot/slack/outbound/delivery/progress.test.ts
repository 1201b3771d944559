/** Progress notes before an answer, in the local Slack. */
import { expect, it, onTestFinished } from 'vitest';
import { commandButton } from '../../../../../src/bot/views/blocks/command-button.ts';
import { message } from '../../../../../src/bot/views/blocks/message.ts';
import { paragraph, trusted } from '../../../../../src/bot/views/blocks/rich-text.ts';
import { channelId, directId, personId } from '../../../../../src/local-slack/state/seed.ts';
import { createTestBot, echo, type TestDispatch } from '../../../../support/bot/bot.ts';
import type { SlackDriver } from '../../../../support/slack/driver.ts';
import { httpStatus } from '../../../../support/slack/faults.ts';
import { localSlack } from '../../../../support/slack/local-slack.ts';

const [ada, ben, channel] = [personId('ada'), personId('ben'), channelId('payments')];
const say = (text: string) => message([paragraph([trusted(text)])]);

/** A dispatcher that reports `steps` steps and answers when the test allows it; a cached answer comes at once. */
function slowly(steps: number) {
  const told = Promise.withResolvers<void>();
  const released = Promise.withResolvers<void>();
  const answer: TestDispatch = async ({ line, isFresh }, onProgress) => {
    if (line === 'warm' && !isFresh) return echo(line);
    for (let step = 1; step <= steps; step += 1) {
      onProgress?.(say(`step ${step}`));
      await new Promise(setImmediate);
    }
    told.resolve();
    await released.promise;
    return echo(line);
  };
  return { answer, told: told.promise, release: () => released.resolve() };
}

async function workspace(answer: TestDispatch): Promise<SlackDriver> {
  const slack = await localSlack();
  const { botToken, appToken } = slack;
  const { bot } = createTestBot(slack, { botToken, appToken, answer });
  await bot.start();
  onTestFinished(() => bot.stop());
  return slack;
}

const next = (slack: SlackDriver, words: string) =>
  slack.nextMessage({ viewer: ada, matches: ({ text }) => text.includes(words) });
const seen = (slack: SlackDriver, viewer: string, where = channel) =>
  slack.messages({ channel: where, viewer }).map(({ text }) => text);
const press = (slack: SlackDriver, ts: string, mode: 'refresh' | 'share') =>
  slack.press({ user: ada, channel, ts, actionId: commandButton({ label: 'x', line: 'warm', mode }).action_id ?? '' });
const responses = (slack: SlackDriver) => slack.requests.filter(({ name }) => name === 'response_url');

it('a command’s answer replaces the progress note, which only the person saw', async () => {
  const slow = slowly(1);
  const slack = await workspace(slow.answer);
  const note = next(slack, 'step 1');
  await slack.command({ user: ada, channel, text: '/workflow list' });
  const { ts } = await note;
  expect(seen(slack, ben)).not.toContain('step 1');
  const answer = next(slack, 'You typed list');
  slow.release();
  expect((await answer).ts).toBe(ts);
});

it('at most three of many steps are reported, so that the answer can still be sent', async () => {
  const slow = slowly(40);
  const slack = await workspace(slow.answer);
  await slack.command({ user: ada, channel, text: '/workflow list' });
  await slow.told;
  const answer = next(slack, 'You typed list');
  slow.release();
  await answer;
  expect(responses(slack)).toHaveLength(4);
  expect(seen(slack, ada).filter((text) => text.includes('step'))).toEqual([]);
});

it('a refreshed answer replaces the progress note, which replaces the old answer', async () => {
  const slow = slowly(1);
  const slack = await workspace(slow.answer);
  const warm = next(slack, 'You typed warm');
  await slack.command({ user: ada, channel, text: '/workflow warm' });
  const { ts } = await warm;
  const note = next(slack, 'step 1');
  await press(slack, ts, 'refresh');
  expect((await note).ts).toBe(ts);
  const answer = next(slack, 'You typed warm');
  slow.release();
  expect((await answer).ts).toBe(ts);
});

it('a channel’s message is not replaced by a progress note: the person who pressed gets an ephemeral one', async () => {
  const slow = slowly(1);
  const slack = await workspace(slow.answer);
  const warm = next(slack, 'You typed warm');
  await slack.command({ user: ada, channel, text: '/workflow warm' });
  const shared = next(slack, 'Shared by');
  await press(slack, (await warm).ts, 'share');
  const { ts } = await shared;
  const note = next(slack, 'step 1');
  await press(slack, ts, 'refresh');
  expect(await note).toMatchObject({ isEphemeral: true });
  expect(seen(slack, ben).at(-1)).toContain('You typed warm');
  const answer = slack.nextMessage({ ts });
  slow.release();
  expect((await answer).text).toContain('You typed warm');
});

it('in the direct messages the note becomes the answer', async () => {
  const slow = slowly(3);
  const slack = await workspace(slow.answer);
  const note = next(slack, 'step 3');
  slack.say({ user: ada, channel: directId('ada'), text: 'list' });
  const { ts } = await note;
  const answer = next(slack, 'You typed list');
  slow.release();
  expect((await answer).ts).toBe(ts);
  expect(seen(slack, ada, directId('ada')).filter((text) => /step|You typed/.test(text))).toHaveLength(1);
});

it('a mention is answered after a progress note, and only the person who typed it sees both', async () => {
  const slow = slowly(3);
  const slack = await workspace(slow.answer);
  const note = next(slack, 'step');
  slack.say({ user: ada, channel, text: '@workflow-bot list' });
  expect(await note).toMatchObject({ isEphemeral: true });
  const answer = next(slack, 'You typed list');
  slow.release();
  expect(await answer).toMatchObject({ isEphemeral: true });
  expect(seen(slack, ada).filter((text) => text.includes('step'))).toHaveLength(1);
});

it('a progress note that Slack refuses does not affect the answer', async () => {
  const slow = slowly(1);
  const slack = await workspace(slow.answer);
  slack.fail('response_url', httpStatus(500));
  const answer = next(slack, 'You typed list');
  await slack.command({ user: ada, channel, text: '/workflow list' });
  slow.release();
  await answer;
  expect(seen(slack, ada).filter((text) => /step|You typed/.test(text))).toEqual(['You typed list']);
});
