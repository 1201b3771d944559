/** Threads under the limit of histories for apps outside of the Marketplace: one call a minute, fifteen messages. */
import { describe, expect, it } from 'vitest';
import type { SlackDriver } from '../../../../support/slack/driver.ts';
import { httpStatus } from '../../../../support/slack/faults.ts';
import { webClient } from '../../../../support/slack/local-slack.ts';
import {
  ada,
  ben,
  crashAndRestart,
  general,
  investigate,
  limitedSlack,
  standing,
  texts,
  wholeThread,
} from '../../../../support/slack/threads.ts';

const leaseMs = 30_000;

/** The bot's messages in the channel. */
const posted = (slack: SlackDriver) => texts(standing(slack).filter(({ user }) => user !== ben));
const reads = (slack: SlackDriver) => slack.requests.filter(({ name }) => /history|replies/.test(name)).length;

/** People write three pages of messages into the channel, and below the thread if there is one. */
function writeMuch(slack: SlackDriver) {
  const root = standing(slack).find(({ threadTs }) => threadTs === null)?.ts;
  for (let index = 0; index < 40; index += 1) slack.say({ user: ben, channel: general, text: `message ${index}` });
  if (root === undefined) return;
  for (let index = 0; index < 20; index += 1)
    slack.say({ user: ben, channel: general, text: `reply ${index}`, threadTs: root });
}

/** Another part of the app has read both histories a moment ago. */
async function spendTheMinute(slack: SlackDriver) {
  const { conversations } = webClient(slack);
  const root = standing(slack).find(({ threadTs }) => threadTs === null)?.ts ?? '';
  await conversations.history({ channel: general });
  await conversations.replies({ channel: general, ts: root });
}

describe('a bot that is killed between Slack’s answer and recording it', () => {
  it.each(['Looking into it…', 'verdict first', 'logs first'])(
    'at “%s” is followed by one that reads the history page by page at Slack’s rate, and duplicates nothing',
    async (text) => {
      const { slack, time, timing } = await limitedSlack();
      const pass = await crashAndRestart(slack, { at: (shown) => shown.text === text, time, timing });
      pass(leaseMs);
      writeMuch(slack);
      await spendTheMinute(slack);
      const [startedAt, readsBefore] = [time.now, reads(slack)];
      expect((await investigate(slack)).text).toContain(
        'The details of payments, run e1 are in a thread here. Open the thread',
      );
      expect(posted(slack)).toEqual(wholeThread);
      expect(time.now - startedAt).toBeGreaterThanOrEqual(60_000);
      // The first call is refused, and at most one more while the rate is learnt.
      expect(reads(slack) - readsBefore).toBeLessThanOrEqual(2 + (time.now - startedAt) / 60_000);
    },
  );

  it('is followed by one that posts nothing while the history cannot be read, and the missing messages later', async () => {
    const { slack, time, timing } = await limitedSlack();
    const pass = await crashAndRestart(slack, { at: ({ text }) => text === 'verdict first', time, timing });
    pass(leaseMs);
    slack.fail('conversations.replies', httpStatus(503));
    expect((await investigate(slack)).text).toMatch(/may be posted already.*Try again/);
    expect(posted(slack)).toEqual(['Looking into it…', 'verdict first']);
    expect((await investigate(slack)).text).toContain('Open the thread');
    expect(posted(slack)).toEqual(wholeThread);
  });

  it('is followed by one that answers while it waits for Slack’s rate, and completes the thread afterwards', async () => {
    const { slack, time } = await limitedSlack();
    const isAllowed = Promise.withResolvers<void>();
    const waitBeforeRepeat = async (ms: number) => {
      await isAllowed.promise;
      time.now += ms;
    };
    const timing = { waitBeforeRepeat, openThreadWithinMs: 50 };
    const pass = await crashAndRestart(slack, { at: ({ text }) => text === 'verdict first', time, timing });
    pass(leaseMs);
    await spendTheMinute(slack);
    expect((await investigate(slack)).text).toMatch(/still being written.*ten minutes/);
    expect(posted(slack)).toEqual(['Looking into it…', 'verdict first']);
    const complete = slack.nextMessage({ viewer: ada, matches: ({ text }) => text === wholeThread[0] });
    isAllowed.resolve();
    await complete;
    expect(posted(slack)).toEqual(wholeThread);
  });
});
