/** Guests and people of another company get no data by any way, until an admin opens reading to guests. */
import { describe, expect, it } from 'vitest';
import { channelId, directId, personId } from '../../../../src/local-slack/state/seed.ts';
import { type GovernedBot, useGovernedBot } from '../../../support/bot/governed-bot.ts';
import { everyLine, seenBySeveral, walkerIn } from '../../../support/bot/walk-commands.ts';
import { personIn } from '../../../support/bot/whole-bot.ts';
import { expectEvery } from '../../../support/runner/every.ts';
import { httpStatus, replacedAnswer } from '../../../support/slack/faults.ts';

const governed = useGovernedBot();
const fay = personId('fay');
const general = channelId('general');
const noGuests = /As a guest of this workspace, you cannot use this bot\./;

type Prepare = (bot: GovernedBot) => unknown;
const saying =
  (user: object): Prepare =>
  ({ slack }) =>
    slack.failWhen('users.info', ({ user: id }) => (id === fay ? replacedAnswer({ ok: true, user }) : undefined));

/** Each with what they read, whatever they do. */
const shutOut: readonly (readonly [string, Prepare, RegExp])[] = [
  ['a guest', () => undefined, noGuests],
  ['a guest of one channel', ({ slack }) => slack.changePerson(fay, { guest: 'single_channel' }), noGuests],
  ['a stranger', saying({ id: fay, team_id: 'T01LOCAL000', is_stranger: true }), /This bot answers only members/],
  [
    'a member of another workspace',
    saying({ id: fay, team_id: 'T0OTHER', is_admin: true }),
    /This bot answers only members/,
  ],
  [
    'a person whose profile Slack does not return',
    ({ slack }) => slack.failWhen('users.info', ({ user }) => (user === fay ? httpStatus(500) : undefined)),
    /Slack did not say what you may do/,
  ],
];

/** A bot whose answers the whole channel sees, and one of them that a guest can press. */
async function withPublicAnswer() {
  const bot = await governed();
  await bot.store.settings.change(bot.teamId, { defaultVisibility: 'channel' }, personId('ada'), bot.time.now);
  await walkerIn(bot).type('status payments');
  const [standing] = seenBySeveral(bot);
  if (!standing) throw new Error('The answer is not public.');
  return { bot, standing };
}

/** The bot's ephemeral and direct messages to them. */
function readBy({ slack }: GovernedBot): readonly string[] {
  const all = [general, directId('fay')].flatMap((channel) => slack.messages({ channel, viewer: fay }));
  return all
    .filter((message) => message.viewer === fay || message.channel === directId('fay'))
    .filter(({ user }) => user === slack.workspace.botUserId)
    .map(({ text }) => text);
}

describe.each(shutOut)('%s', (_, prepare, sentence) => {
  it('is refused every command and every button', async () => {
    const { bot, standing } = await withPublicAnswer();
    await prepare(bot);
    const walker = walkerIn(bot, 'fay');
    const seen = [];
    for (const line of everyLine) seen.push(await walker.type(line));
    seen.push(...(await walker.pressAll(standing)), await walker.mention('list'), await walker.shortcut(standing));
    await bot.finish();
    expect(readBy(bot).length).toBeGreaterThan(everyLine.length / 2);
    for (const text of readBy(bot)) expect(text).toMatch(sentence);
    // If a form was requested, the refusal is in its modal.
    for (const { title, blocks } of bot.slack.modals(fay)) {
      if (title?.text !== 'One moment') expect(JSON.stringify(blocks)).toMatch(sentence);
    }
    expect(seenBySeveral(bot)).toEqual([standing]);
  });

  it('gets no menu options, an empty Home and no direct messages', async () => {
    const bot = await governed();
    const { slack } = bot;
    slack.changePerson(fay, { guest: null });
    const help = await bot.type('fay', 'help');
    slack.changePerson(fay, { guest: 'multi_channel' });
    await prepare(bot);
    bot.time.now += 600_000;
    expect(await personIn(slack, 'fay').search(help, 'Status of…', 'pay')).toEqual([]);
    const { blocks } = await bot.home('fay');
    expectEvery(blocks, ({ type }) => type === 'rich_text');
    expect(JSON.stringify(blocks)).not.toContain('payments');
    expect(JSON.stringify(blocks)).toMatch(
      /As a guest of this workspace|This bot answers only members|Slack did not say who you are/,
    );
    const answered = slack.nextMessage({ channel: directId('fay'), user: slack.workspace.botUserId });
    slack.say({ user: fay, channel: directId('fay'), text: 'list' });
    expect((await answered).text).toMatch(sentence);
  });

  it.each(['settings', 'digest'])('is refused the form of %s that they opened as an admin', async (word) => {
    const bot = await governed();
    bot.slack.changePerson(fay, { guest: null, isAdmin: true });
    const form = await bot.open('fay', word);
    bot.slack.changePerson(fay, { guest: 'multi_channel', isAdmin: false });
    await prepare(bot);
    bot.time.now += 60_000;
    const values = word === 'digest' ? { channel: { value: general } } : {};
    await bot.submit('fay', form, values);
    const [, refusal] = bot.slack.modals(fay);
    expect(JSON.stringify(refusal?.blocks)).toMatch(sentence);
    expect(await bot.audited()).toEqual([`${fay} permission refused`]);
  });
});

it('a guest reads in their Home who can open reading to guests', async () => {
  const bot = await governed();
  await bot.type('ada', 'help');
  const { blocks } = await bot.home('fay');
  const text = JSON.stringify(blocks);
  expect(text).toMatch(/or bot admin to allow it/);
  expect(text).toContain(personId('ada'));
});

describe('a guest to whom an admin opened reading', () => {
  it('reads, and the audit names the admin who opened reading', async () => {
    const bot = await governed();
    const form = await bot.open('ada', 'settings');
    const notice = bot.slack.nextMessage({
      viewer: personId('ada'),
      matches: ({ text }) => text.includes('Settings saved'),
    });
    await bot.submit('ada', form, { guests: { value: 'multi_channel' } });
    expect((await notice).text).toContain('Multi-channel guests can use the bot.');
    expect((await bot.type('fay', 'list')).text).toContain('payments');
    expect((await bot.type('fay', 'settings')).text).toContain('Only bot admins can do that.');
    bot.slack.changePerson(fay, { guest: 'single_channel' });
    bot.time.now += 600_000;
    expect((await bot.type('fay', 'list')).text).toMatch(noGuests);
    expect(await bot.audited()).toEqual([
      `${personId('ada')} settings changed`,
      `${fay} permission refused`,
      `${fay} permission refused`,
    ]);
  });
});
