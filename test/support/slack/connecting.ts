/** The whole bot in a local Slack whose workspace connects itself to a test's own query services. */
import { onTestFinished } from 'vitest';
import type { Store } from '../../../src/bot/store/store.ts';
import { channelId, directId, personId } from '../../../src/local-slack/state/seed.ts';
import type { SlackView } from '../../../src/local-slack/state/view.ts';
import { createTestBot, type TestBotOptions } from '../bot/bot.ts';
import { sampleNow, startTestCommands, type TestCommands } from '../bot/commands.ts';
import type { MemoryLog } from '../runner/memory-log.ts';
import type { SlackDriver } from './driver.ts';
import { localSlack } from './local-slack.ts';

export type ConnectingBot = {
  readonly slack: SlackDriver;
  readonly commands: TestCommands;
  readonly store: Store;
  readonly time: { now: number };
  readonly log: MemoryLog;
  readonly teamId: string;
  /** Ada, an admin, types it. @returns the form */
  readonly open: (line?: string) => Promise<SlackView>;
  /** @param values by the id of the input @returns the outcome in words, and the text of the modal afterwards */
  readonly submit: (view: SlackView, values: Readonly<Record<string, string | readonly string[]>>) => Promise<string>;
  /** @returns the answer that Ada sees */
  readonly type: (line: string) => Promise<string>;
  /** The text of all of Ada's open modals. */
  readonly shown: () => string;
  readonly audited: () => Promise<readonly string[]>;
};

type Options = Parameters<typeof startTestCommands>[0] & { readonly bot?: TestBotOptions };

/** @param endpoints the operator's list */
export async function connectingBot(
  endpoints: readonly [string, ...string[]],
  { bot: botOptions, ...options }: Options = {},
): Promise<ConnectingBot> {
  const time = { now: sampleNow };
  const clock = () => time.now;
  const slack = await localSlack();
  const service = { url: endpoints[0], apiKey: 'no key' };
  const commands = await startTestCommands({
    service,
    endpoints,
    clock,
    notifyPerson: (person, message) => bot.notifyPerson(person, message),
    ...options,
  });
  const { botToken, appToken, workspace } = slack;
  const { dispatch: answer, submit: submitForm, searchNames, store } = commands;
  const deps = { botToken, appToken, answer, submit: submitForm, searchNames, store, clock };
  const { bot, log } = createTestBot(slack, { ...deps, ...botOptions });
  await bot.start();
  onTestFinished(async () => {
    await bot.stop();
    await commands.close();
  });
  const user = personId('ada');
  const channel = channelId('general');
  const shown = () => JSON.stringify(slack.modals(user).map(({ title, blocks }) => [title, blocks]));
  return {
    slack,
    commands,
    store,
    time,
    log,
    teamId: workspace.teamId,
    shown,
    open: async (line = 'connect') => {
      time.now += 11_000;
      const next = slack.nextView({ user });
      await slack.command({ user, channel, text: `/workflow ${line}` });
      return next;
    },
    submit: async (view, values) => {
      const result = await slack.submit({ user, view: view.id, values: enteredIn(view, values) });
      return 'errors' in result ? JSON.stringify(result.errors) : shown();
    },
    type: async (line) => {
      time.now += 11_000;
      const next = slack.nextMessage({ viewer: user });
      await slack.command({ user, channel, text: `/workflow ${line}` });
      return (await next).text;
    },
    audited: async () => (await store.audit.page(workspace.teamId, 50)).map(({ action }) => action),
  };
}

/** @returns the values that the menu of an input offers */
export function optionsIn({ blocks }: SlackView, id: string): readonly string[] {
  return JSON.parse(JSON.stringify(blocks)).flatMap((block: MenuBlock) =>
    block.block_id === id ? (block.element?.options ?? []).map(({ value }) => value) : [],
  );
}

type MenuBlock = {
  readonly block_id?: string;
  readonly element?: { readonly options?: readonly { readonly value: string }[] };
};

/** By the action id that the input's element has in this view. */
function enteredIn({ blocks }: SlackView, values: Readonly<Record<string, string | readonly string[]>>) {
  const entries = blocks.flatMap((block) => {
    const { block_id: id = '', element } = block as {
      readonly block_id?: string;
      readonly element?: { readonly action_id?: string };
    };
    const value = values[id];
    return value === undefined || element?.action_id === undefined ? [] : [[id, { [element.action_id]: value }]];
  });
  return Object.fromEntries(entries);
}

/** The direct messages of Ada with the bot. */
export const adasDirect = directId('ada');
