/** One person types every command and presses everything in the answers, in one channel of the local Slack. */
import { expect } from 'vitest';
import * as registry from '../../../src/bot/commands/registry.ts';
import { interactiveElements } from '../../../src/local-slack/interactions/elements.ts';
import type { SlackMessage } from '../../../src/local-slack/state/history.ts';
import { channelId, personId } from '../../../src/local-slack/state/seed.ts';
import type { SlackView } from '../../../src/local-slack/state/view.ts';
import { isRecord, type JsonRecord } from '../../../src/shared/json.ts';
import type { GovernedBot, Name } from './governed-bot.ts';

/** Every command with the examples of its description. */
export const everyLine = [...new Set(Object.values(registry).flatMap(({ name, examples }) => [name, ...examples]))];

type Seen = { readonly message: SlackMessage } | { readonly view: SlackView };

export type Walker = {
  /** @returns the next message or modal that this person sees */
  readonly type: (line: string) => Promise<Seen>;
  /** @param isWanted chooses by effect and command, such as `share status`; everything is pressed if absent @returns what the person saw each time */
  readonly pressAll: (message: SlackMessage, isWanted?: (kind: string) => boolean) => Promise<readonly Seen[]>;
  readonly mention: (line: string) => Promise<Seen>;
  readonly shortcut: (message: SlackMessage) => Promise<Seen>;
};

export function walkerIn({ slack, time }: GovernedBot, name: Name = 'ada'): Walker {
  const [user, channel] = [personId(name), channelId('general')];
  const next = async (what: string, act: () => unknown): Promise<Seen> => {
    // Long enough for the rate limit.
    time.now += 11_000;
    const message = slack.nextMessage({ viewer: user, user: slack.workspace.botUserId });
    const view = slack.nextView({ user });
    const seen = Promise.any([message.then((found) => ({ message: found })), view.then((found) => ({ view: found }))]);
    await act();
    return seen.catch((cause: unknown) => {
      throw new Error(`Nothing was to be seen after ${what}.`, { cause });
    });
  };
  return {
    type: (line) => next(line, () => slack.command({ user, channel, text: `/workflow ${line}` })),
    pressAll: async (message, isWanted = () => true) => {
      const all: Seen[] = [];
      for (const { blockId, element } of interactiveElements(message.blocks)) {
        const choice = firstOption(element);
        if (('options' in element && choice === undefined) || element['type'] === 'external_select') continue;
        const actionId = String(element['action_id']);
        // An answer may have replaced the pressed message.
        const now = slack.workspace.history.find(message.channel, message.ts);
        if ('url' in element || !isThere(now, blockId, actionId)) continue;
        if (!isWanted(kindOf(actionId, choice))) continue;
        const at = { channel: message.channel, ts: message.ts, blockId, actionId };
        const chosen = choice === undefined ? {} : { selected: choice };
        all.push(await next(`pressing ${actionId}`, () => slack.press({ ...at, ...chosen, user })));
      }
      return all;
    },
    mention: (line) =>
      next(`mentioning the bot with ${line}`, () => slack.say({ user, channel, text: `@workflow-bot ${line}` })),
    shortcut: ({ ts }) =>
      next('the shortcut', () => slack.shortcut({ user, channel, ts, callbackId: 'explain_failure' })),
  };
}

function kindOf(actionId: string, choice: string | undefined): string {
  const [, mode = '', line = ''] = /^cmd:(\w+):(.*)$/s.exec(actionId) ?? [];
  return `${mode} ${(choice ?? line).split(' ', 1)}`;
}

function firstOption({ options }: JsonRecord): string | undefined {
  const [first] = Array.isArray(options) ? options : [];
  return isRecord(first) ? String(first['value']) : undefined;
}

/** A bot that shows every answer to the whole channel, with an answer that is there already and public. */
export async function withPublicAnswer(bot: GovernedBot) {
  await bot.store.settings.change(bot.teamId, { defaultVisibility: 'channel' }, personId('ada'), bot.time.now);
  const walker = walkerIn(bot);
  await walker.type('failures payments');
  const [standing] = seenBySeveral(bot);
  if (!standing) throw new Error('The answer is not public.');
  // The cached audience of the channel has expired.
  bot.time.now += 120_000;
  return { bot, walker, standing };
}

/** Types these lines and presses what is wanted in the answers, in a channel that is shared: several people see nothing of it. */
export async function expectPrivateLines(
  bot: GovernedBot,
  lines: readonly string[],
  isWanted?: (kind: string) => boolean,
) {
  const { walker, standing } = await withPublicAnswer(bot);
  const general = channelId('general');
  await bot.slack.shareChannel(general, true);
  for (const line of lines) {
    const seen = await walker.type(line);
    if ('message' in seen && seen.message.channel === general) await walker.pressAll(seen.message, isWanted);
  }
  await bot.finish();
  expect(seenBySeveral(bot)).toEqual([standing]);
}

/** @returns the bot's messages that several people in the channel see */
export function seenBySeveral({ slack }: GovernedBot): readonly SlackMessage[] {
  const { history, botUserId } = slack.workspace;
  return history.list(channelId('general')).filter(({ user, viewer }) => viewer === null && user === botUserId);
}

function isThere(message: SlackMessage | undefined, blockId: string, actionId: string): boolean {
  return interactiveElements(message?.blocks ?? []).some(
    (found) => found.blockId === blockId && found.element['action_id'] === actionId,
  );
}
