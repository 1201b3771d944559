/** A bot that posts without a request, in the local Slack or in a scripted one. */
import { expect, onTestFinished } from 'vitest';
import type { OutboundSlack } from '../../../src/bot/slack/outbound/outbound-slack.ts';
import { message } from '../../../src/bot/views/blocks/message.ts';
import { paragraph, trusted } from '../../../src/bot/views/blocks/rich-text.ts';
import type { LocalSlackOptions } from '../../../src/local-slack/server/server.ts';
import { channelId } from '../../../src/local-slack/state/seed.ts';
import type { SlackDriver } from '../slack/driver.ts';
import { fakeTeamId, fakeTokens, startFakeSlack } from '../slack/fake-slack.ts';
import { localSlack, slackNow } from '../slack/local-slack.ts';
import { createTestBot, type TestBot, type TestBotOptions } from './bot.ts';

export const digest = message([paragraph([trusted('2 failures')])]);
/** A time range that contains every message of a test. */
export const allDay = { from: slackNow - 60_000, to: slackNow + 60_000 };

export type PostingBot = {
  readonly digests: OutboundSlack['outboxPosting'];
  readonly bot: TestBot['bot'];
  readonly waits: readonly number[];
};

async function start(slack: { readonly apiUrl: string }, options: TestBotOptions): Promise<PostingBot> {
  const { bot, waits } = createTestBot(slack, { clock: () => slackNow, ...options });
  await bot.start();
  onTestFinished(() => bot.stop());
  return { digests: bot.outboxPosting, bot, waits };
}

/** Starts the bot in the first workspace of a new local Slack. */
export async function startPostingBot(options: TestBotOptions = {}, slackOptions: Partial<LocalSlackOptions> = {}) {
  const slack = await localSlack(slackOptions);
  const { botToken, appToken } = slack;
  const run = await start(slack, { botToken, appToken, ...options });
  const target = { teamId: slack.workspace.teamId, channelId: channelId('general') };
  return { ...run, slack, target, visible: () => visibleIn(slack, target.channelId) };
}

function visibleIn({ workspace }: SlackDriver, channel: string): readonly string[] {
  return workspace.history.list(channel).map(({ text }) => text);
}

/** Starts the bot with a Slack that answers call by call. */
export async function startScriptedPosting(options: TestBotOptions = {}) {
  const slack = await startFakeSlack();
  onTestFinished(() => slack.close());
  const run = await start(slack, { botToken: fakeTokens.bot, ...options });
  const callsOf = (method: string) => slack.calls.filter((call) => call.method === method);
  return { ...run, slack, callsOf, target: { teamId: fakeTeamId, channelId: 'C0OPS' } };
}

/** Posts `count` digests, named d0, d1 and so on. @returns their `ts` */
export async function sendMany({ digests }: Pick<PostingBot, 'digests'>, target: Place, count: number) {
  const stamps: string[] = [];
  for (let index = 0; index < count; index += 1) {
    const sent = await digests.send(target, digest, `d${index}`);
    expect(sent.kind).toBe('posted');
    if (sent.kind === 'posted') stamps.push(sent.ts);
  }
  return stamps;
}

type Place = Parameters<OutboundSlack['outboxPosting']['send']>[0];
