/** The whole bot in the local Slack, and a person who finds elements by their text. */
import { onTestFinished } from 'vitest';
import { interactiveElements } from '../../../src/local-slack/interactions/elements.ts';
import type { SlackMessage } from '../../../src/local-slack/state/history.ts';
import { channelId, personId } from '../../../src/local-slack/state/seed.ts';
import { isRecord, type JsonRecord } from '../../../src/shared/json.ts';
import type { SlackDriver } from '../slack/driver.ts';
import { localSlack } from '../slack/local-slack.ts';
import { createTestBot, type TestBotOptions } from './bot.ts';
import { sampleNow, type TestCommands, useTestCommands } from './commands.ts';
import { openNewStore } from './store.ts';

/** One service with the sample for all tests of a file. @returns how a test starts a bot, with Ada in its workspace */
export function useWholeBot(): (options?: TestBotOptions) => Promise<Person> {
  let now = sampleNow;
  const commands = useTestCommands({ clock: () => now });
  return async (options = {}) => {
    // The rate limit counts the commands of the previous test.
    now += 11_000;
    return personIn(await wholeBot(commands(), options));
  };
}

/** @param commands its commands, which the caller closes @param options overrides */
export async function wholeBot(
  { dispatch: answer, searchNames }: TestCommands,
  options: TestBotOptions = {},
): Promise<SlackDriver> {
  const slack = await localSlack();
  const store = await openNewStore();
  const { botToken, appToken } = slack;
  const own = { botToken, appToken, answer, searchNames, store };
  const { bot } = createTestBot(slack, { ...own, ...options });
  await bot.start();
  onTestFinished(async () => {
    await bot.stop();
    await store.close();
  });
  return slack;
}

export type Person = {
  /** @returns the answer to a command line */
  readonly type: (line: string) => Promise<SlackMessage>;
  /** Presses a button or chooses in a menu, found by its text or accessibility label. @returns the next message that this person sees, new or changed */
  readonly press: (message: SlackMessage, words: string, option?: string) => Promise<SlackMessage>;
  /** Presses an element that opens a thread. @returns the texts of the complete thread, root and replies */
  readonly investigate: (message: SlackMessage, words: string, option?: string) => Promise<string>;
  /** @returns the texts of the options that an external menu offers for the typed text */
  readonly search: (message: SlackMessage, words: string, typed: string) => Promise<readonly string[]>;
};

export function personIn(slack: SlackDriver, name: Parameters<typeof personId>[0] = 'ada'): Person {
  const [user, channel] = [personId(name), channelId('general')];
  const suggest = async (message: SlackMessage, words: string, typed: string) => {
    const result = await slack.suggest({ ...addressOf(message, words), user, value: typed });
    if (!result.ok) throw new Error(`The menu “${words}” could not be filled: ${result.error}`);
    return [...result.options];
  };
  const choose = async (message: SlackMessage, words: string, option: string) => {
    const written = find(message, words).element['options'];
    const options = Array.isArray(written) ? written : await suggest(message, words, option);
    return chosen(options, option);
  };
  const press = async (message: SlackMessage, words: string, option?: string) => {
    const choice = option === undefined ? {} : { selected: await choose(message, words, option) };
    await slack.press({ ...addressOf(message, words), ...choice, user });
  };
  return {
    type: async (line) => {
      const next = slack.nextMessage({ viewer: user });
      await slack.command({ user, channel, text: `/workflow ${line}` });
      return next;
    },
    press: async (message, words, option) => {
      const next = slack.nextMessage({ viewer: user });
      await press(message, words, option);
      return next;
    },
    investigate: async (message, words, option) => {
      // A thread under an earlier message is told of; one with a root of its own is whole once its root is changed.
      const isWhole = ({ text, threadTs, isEdited }: SlackMessage) =>
        text.includes('in a thread here') || (threadTs === null && isEdited);
      const end = slack.nextMessage({ viewer: user, matches: isWhole });
      await press(message, words, option);
      await end;
      const standing = slack.messages({ channel, viewer: user }).filter(({ viewer }) => viewer === null);
      return standing.map(({ text }) => text).join('\n');
    },
    search: async (message, words, typed) => (await suggest(message, words, typed)).map(({ text }) => text.text),
  };
}

/** The texts of the elements of a message. */
export function pressable({ blocks }: SlackMessage): readonly string[] {
  return interactiveElements(blocks).map(({ element }) => wordsOn(element));
}

function addressOf(message: SlackMessage, words: string) {
  const { blockId, element } = find(message, words);
  return { channel: message.channel, ts: message.ts, blockId, actionId: String(element['action_id']) };
}

function find(message: SlackMessage, words: string) {
  const all = interactiveElements(message.blocks);
  const found =
    all.find(({ element }) => wordsOn(element) === words) ??
    all.find(({ element }) => String(element['accessibility_label'] ?? '').includes(words));
  if (!found) throw new Error(`Nothing says “${words}”, but: ${pressable(message).join(', ')}`);
  return found;
}

/** @returns the value of the option whose text contains this one */
function chosen(options: readonly JsonRecord[], option: string): string {
  const match = options.find((each) => wordsOn(each).includes(option));
  if (!match) throw new Error(`“${option}” is not offered, but: ${options.map(wordsOn).join(', ')}`);
  return String(match['value']);
}

/** The text of a button or an option, the placeholder of a menu. */
function wordsOn(element: JsonRecord): string {
  const text = element['text'] ?? element['placeholder'];
  return isRecord(text) ? String(text['text']) : '';
}
