/** In a channel that people of another company may read, every answer is private. */
import { describe, expect, it } from 'vitest';
import * as registry from '../../../../src/bot/commands/registry.ts';
import type { Fault } from '../../../../src/local-slack/server/local-slack.ts';
import type { SlackMessage } from '../../../../src/local-slack/state/history.ts';
import { channelId, personId } from '../../../../src/local-slack/state/seed.ts';
import { type GovernedBot, useGovernedBot } from '../../../support/bot/governed-bot.ts';
import {
  expectPrivateLines,
  seenBySeveral,
  type Walker,
  withPublicAnswer,
} from '../../../support/bot/walk-commands.ts';
import { pressable } from '../../../support/bot/whole-bot.ts';
import { httpStatus, rateLimited, replacedAnswer, slackError } from '../../../support/slack/faults.ts';

const governed = useGovernedBot();
const general = channelId('general');
const failure = 'execution payments';

type Prepare = (bot: GovernedBot) => unknown;
const answering =
  (fault: Fault): Prepare =>
  ({ slack }) =>
    slack.failWhen('conversations.info', () => fault);
const told = (channel: object) => answering(replacedAnswer({ ok: true, channel }));

type Unsafe = readonly [name: string, prepare: Prepare, reason: RegExp];

/** Each with what the person reads. */
const unsafe: readonly [Unsafe, ...Unsafe[]] = [
  ['is shared', ({ slack }) => slack.shareChannel(general, true), /people from another company can read this channel/],
  [
    'will be shared once somebody accepts',
    told({ is_ext_shared: false, is_pending_ext_shared: true }),
    /another company/,
  ],
  ['lacks the scope', answering(slackError('missing_scope')), /lacks permissions.*install the bot again/s],
  ['is asked about too often', answering(rateLimited(30)), /Slack did not answer/],
  ['is not shown to the bot', answering(slackError('channel_not_found')), /not a member.*\/invite/s],
  ['is asked about while Slack fails', answering(httpStatus(503)), /Slack did not answer/],
  ['is told of without the fact', told({ id: general }), /Slack did not answer/],
];

type Path = (walker: Walker, standing: SlackMessage) => Promise<unknown>;

/** A command asks about the channel for its answer, a thread before its first post. */
const asking: readonly (readonly [string, Path])[] = [
  ['an answer to a command', ({ type }) => type('list')],
  ['a thread that is typed for', ({ type }) => type(failure)],
];

/** Each way by which something becomes public. */
const paths: typeof asking = [
  ...asking,
  ['an answer to a mention', ({ mention }) => mention('list')],
  ['a thread under a mention', ({ mention }) => mention(failure)],
  ['a thread by a shortcut', ({ shortcut }, standing) => shortcut(standing)],
  ['everything on a public answer', ({ pressAll }, standing) => pressAll(standing)],
];

async function expectPrivate(prepare: Prepare, reason: RegExp, taken: readonly Path[]): Promise<void> {
  const { bot, walker, standing } = await withPublicAnswer(await governed());
  const told = () => bot.slack.messages({ channel: general, viewer: personId('ada') }).map(({ text }) => text);
  await prepare(bot);
  for (const take of taken) {
    const known = told().length;
    await take(walker, standing);
    await expect.poll(() => told().slice(known).join('\n')).toMatch(reason);
    // The cached audience of the channel has expired.
    bot.time.now += 120_000;
  }
  await bot.finish();
  expect(seenBySeveral(bot)).toEqual([standing]);
}

const [shared, ...others] = unsafe;

it.each(paths)('in a channel that is shared %s is private, and says why', (_, take) =>
  expectPrivate(shared[1], shared[2], [take]),
);

it.each(others)(
  'in a channel that %s an answer to a command and a thread that is typed for are private, and say why',
  (_, prepare, reason) =>
    expectPrivate(
      prepare,
      reason,
      asking.map(([, take]) => take),
    ),
);

it.each(paths)('in a channel of the company alone %s is public', async (_, take) => {
  const { bot, walker, standing } = await withPublicAnswer(await governed());
  await take(walker, standing);
  await bot.finish();
  expect(seenBySeveral(bot)).not.toEqual([standing]);
});

/** @returns the words on the buttons and menus of the answer to a command */
async function buttonsOf(bot: GovernedBot, line: string, channel = general): Promise<readonly string[]> {
  const user = personId('ada');
  const answer = bot.slack.nextMessage({ channel, viewer: user, user: bot.slack.workspace.botUserId });
  bot.time.now += 11_000;
  await bot.slack.command({ user, channel, text: `/workflow ${line}` });
  return pressable(await answer);
}

describe('the buttons of an answer', () => {
  const lines = ['status payments', 'failures payments', 'executions payments'];

  it('post here in a channel of the company', async () => {
    const bot = await governed();
    for (const line of lines) {
      const words = await buttonsOf(bot, line);
      expect(words).toContain('Share in channel');
      expect(words.filter((each) => each.startsWith('Investigate (posts here)'))).not.toEqual([]);
    }
  });

  it.each([
    ['payments', 'channel_left'],
    ['incident-room', 'group_left'],
  ] as const)('say where a thread goes once the bot left #%s', async (name, type) => {
    const bot = await governed();
    const [user, channel] = [personId('ada'), channelId(name)];
    const investigates = async () =>
      (await buttonsOf(bot, 'status payments', channel)).filter((each) => each.startsWith('Investigate'));
    bot.slack.changeChannel(channel, { memberIds: [user, bot.slack.workspace.botUserId] });
    expect(await investigates()).toEqual(['Investigate (posts here)', 'Investigate privately']);
    bot.slack.changeChannel(channel, { memberIds: [user] });
    await bot.slack.sendEvent(bot.teamId, { type, channel });
    expect(await investigates()).toEqual(['Investigate (in direct messages)']);
  });

  it.each(unsafe.filter(([, , reason]) => !reason.test('Slack did not answer')))(
    'do not offer what is refused in a channel that %s',
    async (_, prepare) => {
      const bot = await governed();
      await prepare(bot);
      for (const line of lines) {
        const words = await buttonsOf(bot, line);
        expect(words).toContain('Refresh');
        expect(words).not.toContain('Share in channel');
        const toInvestigate = words.filter((each) => each.startsWith('Investigate'));
        expect(new Set(toInvestigate.map((each) => each.replace('…', '')))).toEqual(
          new Set(['Investigate (in direct messages)']),
        );
      }
    },
  );

  it('lead to direct messages where the bot is not in the channel', async () => {
    const bot = await governed();
    for (const line of lines) {
      const words = await buttonsOf(bot, line, channelId('random'));
      expect(words).toContain('Share in channel');
      expect(words.filter((each) => /^Investigate(?! \(in direct messages\))/.test(each))).toEqual([]);
      expect(words.join()).toContain('Investigate (in direct messages)');
    }
  });
});

it('each command, and each kind of press once, in a channel that is shared shows nothing to several people', async () => {
  const lines = Object.values(registry).flatMap(({ name, examples: [example = name] }) => [
    ...new Set([name, example]),
  ]);
  const pressed = new Set<string>();
  const isNew = (kind: string) => !pressed.has(kind) && Boolean(pressed.add(kind));
  await expectPrivateLines(await governed(), lines, isNew);
  expect(pressed.size).toBeGreaterThan(lines.length / 2);
});
