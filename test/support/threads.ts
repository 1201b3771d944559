/** Threads in the local Slack: a bot that answers with one, who asks for it, and what then stands. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished } from 'vitest';
import type { AnswerFile, ThreadAnswer } from '../../src/bot/commands/framework/command.ts';
import { openStore, type Store } from '../../src/bot/store/store.ts';
import { message } from '../../src/bot/views/blocks/message.ts';
import { paragraph, trusted } from '../../src/bot/views/blocks/rich-text.ts';
import type { LocalSlack } from '../../src/local-slack/server/local-slack.ts';
import type { SlackMessage } from '../../src/local-slack/state/history.ts';
import { channelId, personId } from '../../src/local-slack/state/seed.ts';
import { createTestBot, type TestBotOptions, type TestDispatch } from './bot.ts';
import { slackNow } from './local-slack.ts';

export const [ada, ben, general] = [personId('ada'), personId('ben'), channelId('general')];
export const say = (text: string) => message([paragraph([trusted(text)])]);

type ThreadOptions = { readonly words?: string; readonly isFinal?: boolean; readonly files?: readonly AnswerFile[] };

/** A root and three replies that say `words`; the files belong to the second. */
export function thread({ words = 'first', isFinal = true, files = [] }: ThreadOptions = {}): ThreadAnswer {
  const named = (name: string) => ({ name, message: say(`${name} ${words}`) });
  return {
    kind: 'thread',
    subject: 'e1',
    progress: say('Looking into it…'),
    root: say(`payments failed (${words})`),
    replies: [named('verdict'), { ...named('timeline'), files }, named('logs')],
    isFinal,
  };
}

/** What stands when all of `thread()` does. */
export const wholeThread = ['payments failed (first)', 'verdict first', 'timeline first', 'logs first'];

export async function startStore(url = 'sqlite::memory:'): Promise<Store> {
  const store = await openStore(url);
  onTestFinished(() => store.close());
  return store;
}

type ThreadBotOptions = Pick<TestBotOptions, 'clock' | 'botToken'> & { readonly answer?: TestDispatch };

export async function startThreadBot(slack: LocalSlack, store: Store, options: ThreadBotOptions = {}) {
  const { botToken, appToken, apiUrl: slackApiUrl } = slack;
  const given = { botToken, appToken, slackApiUrl, threads: store.threads, clock: () => slackNow };
  const timing = { finishWithinMs: 0 };
  const test = createTestBot(slack, { ...given, answer: () => thread(), ...options, timing });
  await test.bot.start();
  onTestFinished(() => test.bot.stop());
  return test;
}

type Crash = ThreadBotOptions & {
  /** What Slack shows when the bot ends, which has not heard of it yet. */
  readonly at: (shown: SlackMessage) => boolean;
  readonly place?: { readonly user: string; readonly channel: string };
};

/** A bot that ends in the middle of a thread, and another one on the same database. @returns what makes the time pass */
export async function crashAndRestart(slack: LocalSlack, { at, place, ...options }: Crash) {
  const folder = mkdtempSync(join(tmpdir(), 'threads-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const url = `sqlite:${join(folder, 'bot.db')}`;
  let now = slackNow;
  const clock = () => now;
  const store = await startStore(url);
  const { bot } = await startThreadBot(slack, store, { ...options, clock });
  const crash = slack.nextMessage({ matches: (shown) => shown.viewer === null && at(shown) }).then(() => store.close());
  expect((await investigate(slack, place)).text).toContain('went wrong');
  await crash;
  await bot.stop();
  await slack.whenConnected(false);
  await startThreadBot(slack, await startStore(url), { ...options, clock });
  const pass = (ms: number) => {
    now += ms;
  };
  return pass;
}

/** Types the command and waits for what the person is told of the thread. */
export async function investigate(slack: LocalSlack, { user = ada, channel = general } = {}): Promise<SlackMessage> {
  const note = slack.nextMessage({ viewer: user, matches: isNote });
  expect(await slack.command({ user, channel, text: '/workflow execution e1' })).toMatchObject({ ok: true });
  return note;
}

/** What is private, and about the thread or a fault. */
function isNote({ viewer, text }: SlackMessage): boolean {
  return viewer !== null && /thread|direct messages|went wrong/.test(text);
}

/** What the bot wrote for everybody, oldest first. @param viewer who has written nothing but commands there */
export function standing(slack: LocalSlack, channel = general, viewer = ada): readonly SlackMessage[] {
  return slack.messages({ channel, viewer }).filter((each) => each.viewer === null && each.user !== viewer);
}

export const texts = (messages: readonly SlackMessage[]) => messages.map(({ text }) => text);
