/** Threads in the local Slack: a bot that answers with one, its command, and the posted messages. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished } from 'vitest';
import type { AnswerFile, ThreadAnswer } from '../../../src/bot/commands/framework/command.ts';
import { openStore, type Store } from '../../../src/bot/store/store.ts';
import { message } from '../../../src/bot/views/blocks/message.ts';
import { paragraph, trusted } from '../../../src/bot/views/blocks/rich-text.ts';
import type { SlackMessage } from '../../../src/local-slack/state/history.ts';
import { channelId, personId } from '../../../src/local-slack/state/seed.ts';
import { createTestBot, type TestBotOptions, type TestDispatch } from '../bot/bot.ts';
import { openNewStore } from '../bot/store.ts';
import type { SlackDriver } from './driver.ts';
import { slackError } from './faults.ts';
import { localSlack, slackNow } from './local-slack.ts';

export const [ada, ben, general] = [personId('ada'), personId('ben'), channelId('general')];
export const say = (text: string) => message([paragraph([trusted(text)])]);

type ThreadOptions = Partial<Pick<ThreadAnswer, 'isFinal' | 'isRunning'>> & {
  readonly words?: string;
  readonly file?: AnswerFile | undefined;
};

/** A root and three replies that contain `words`; the file belongs to the second. */
export function thread({ words = 'first', isFinal = true, isRunning = false, file }: ThreadOptions = {}): ThreadAnswer {
  const named = (name: string) => ({ name, message: say(`${name} ${words}`) });
  return {
    kind: 'thread',
    isPrivate: false,
    subject: 'e1',
    about: [trusted(' of payments, run e1')],
    progress: say('Looking into it…'),
    root: say(`payments failed (${words})`),
    replies: [named('verdict'), { ...named('timeline'), file }, named('logs')],
    isFinal,
    isRunning,
  };
}

/** The texts of a complete `thread()`. */
export const wholeThread = ['payments failed (first)', 'verdict first', 'timeline first', 'logs first'];

export async function startStore(url?: string, time: Time = { now: slackNow }): Promise<Store> {
  const options = { clock: () => time.now };
  const store = await (url === undefined ? openNewStore(options) : openStore(url, options));
  onTestFinished(() => store.close());
  return store;
}

/** Epoch milliseconds. */
export type Time = { now: number };

/** @returns a wait that moves the clock */
const passing = (time: Time) => async (ms: number) => {
  time.now += ms;
};

/** A bot whose waits move the clock of its store. */
export async function startPassing(slack: SlackDriver, options: ThreadBotOptions = {}) {
  const time: Time = { now: slackNow };
  const timing = { waitBeforeRepeat: passing(time) };
  return startThreadBot(slack, await startStore(undefined, time), { clock: () => time.now, timing, ...options });
}

type ThreadBotOptions = Pick<TestBotOptions, 'clock' | 'botToken' | 'timing'> & { readonly answer?: TestDispatch };

export async function startThreadBot(slack: SlackDriver, store: Store, options: ThreadBotOptions = {}) {
  const { botToken, appToken, apiUrl: slackApiUrl } = slack;
  const given = { botToken, appToken, slackApiUrl, store, clock: () => slackNow };
  const timing = { finishWithinMs: 0, ...options.timing };
  const test = createTestBot(slack, { ...given, answer: () => thread(), ...options, timing });
  await test.bot.start();
  onTestFinished(() => test.bot.stop());
  return test;
}

type Crash = ThreadBotOptions & {
  /** Matches the message after which the bot is killed, before it gets Slack's answer. */
  readonly at: (shown: SlackMessage) => boolean;
  readonly place?: { readonly user: string; readonly channel: string };
  /** The clock of the bots, if the local Slack shares it. */
  readonly time?: Time;
};

/** A local Slack that limits histories, and bots that share its clock, which their waits move. */
export async function limitedSlack() {
  const time: Time = { now: slackNow };
  const slack = await localSlack({ clock: () => time.now });
  slack.limitHistories();
  return { slack, time, timing: { waitBeforeRepeat: passing(time) } };
}

/** Slack's page says that no bot may read the replies in a channel. @param error the page names none */
export function refuseReplies(slack: SlackDriver, error = 'not_allowed_token_type'): void {
  const isRefused = (channel: unknown) => !String(channel).startsWith('D');
  slack.failWhen('conversations.replies', ({ channel }) => (isRefused(channel) ? slackError(error) : undefined));
}

/** Kills a bot in the middle of a thread, and starts another one on the same database. @returns moves the clock */
export async function crashAndRestart(slack: SlackDriver, { at, place, time = { now: slackNow }, ...options }: Crash) {
  const folder = mkdtempSync(join(tmpdir(), 'threads-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const url = `sqlite:${join(folder, 'bot.db')}`;
  const timing = { waitBeforeRepeat: passing(time), ...options.timing, answerInAckWithinMs: 1 };
  const bots = { ...options, timing, clock: () => time.now };
  const store = await startStore(url, time);
  const { bot } = await startThreadBot(slack, store, bots);
  const crash = slack.nextMessage({ matches: (shown) => shown.viewer === null && at(shown) }).then(() => store.close());
  expect((await investigateOnce(slack, place)).text).toMatch(/went wrong|still being written/);
  await crash;
  await bot.stop();
  await slack.whenConnected(false);
  await startThreadBot(slack, await startStore(url, time), bots);
  const pass = (ms: number) => {
    time.now += ms;
  };
  return pass;
}

/**
 * Types the command. @returns the note to the person about the thread, or the root of a thread that has just appeared
 * there, about which nothing is said
 */
export async function investigate(slack: SlackDriver, place: Place = {}): Promise<SlackMessage> {
  let told = await investigateOnce(slack, place);
  // The root is finished a moment before the bot has recorded it.
  while (told.text.includes('is being written')) told = await investigateOnce(slack, place);
  return told;
}

type Place = { readonly user?: string; readonly channel?: string };

export async function investigateOnce(slack: SlackDriver, { user = ada, channel = general }: Place = {}) {
  const isFirst = standing(slack, channel, user).length === 0;
  return command(slack, { user, channel }, (shown) => isFirst && isNewRoot(shown, channel));
}

/** @returns the note to the person */
export async function noteAfter(slack: SlackDriver): Promise<SlackMessage> {
  return command(slack, { user: ada, channel: general }, () => false);
}

const isNewRoot = (shown: SlackMessage, channel: string) =>
  shown.channel === channel && shown.threadTs === null && shown.text.startsWith('payments failed');

async function command(
  slack: SlackDriver,
  { user, channel }: Required<Place>,
  isEnough: (shown: SlackMessage) => boolean,
) {
  const told = slack.nextMessage({ viewer: user, matches: (shown) => isNote(shown) || isEnough(shown) });
  expect(await slack.command({ user, channel, text: '/workflow execution e1' })).toMatchObject({ ok: true });
  return told;
}

/** An ephemeral message about the thread or a fault. */
function isNote({ viewer, text }: SlackMessage): boolean {
  return viewer !== null && /thread|direct messages|went wrong/.test(text);
}

/** The bot's visible messages, oldest first. @param viewer a person who has typed only commands there */
export function standing(slack: SlackDriver, channel = general, viewer = ada): readonly SlackMessage[] {
  return slack.messages({ channel, viewer }).filter((each) => each.viewer === null && each.user !== viewer);
}

export const texts = (messages: readonly SlackMessage[]) => messages.map(({ text }) => text);
