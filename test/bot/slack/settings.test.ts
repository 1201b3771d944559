/** The settings form, and the immediate effect of each setting. */
import { describe, expect, it } from 'vitest';
import type { InputValues } from '../../../src/local-slack/page/protocol.ts';
import { channelId, directId, personId } from '../../../src/local-slack/state/seed.ts';
import { type GovernedBot, useGovernedBot } from '../../support/bot/governed-bot.ts';
import { carriedOutAnyway, httpStatus, slackError } from '../../support/slack/faults.ts';

const governed = useGovernedBot();
const [ada, ben, eva] = [personId('ada'), personId('ben'), personId('eva')];
const chosen = (values: Readonly<Record<string, string | readonly string[]>>): InputValues =>
  Object.fromEntries(Object.entries(values).map(([id, value]) => [id, { value }]));

/** Ada chooses. @returns what she is told */
async function choose({ slack, open, submit }: GovernedBot, values: Parameters<typeof chosen>[0]): Promise<string> {
  const told = slack.nextMessage({ viewer: ada, matches: ({ text }) => /Settings saved|No setting was/.test(text) });
  expect(await submit('ada', await open('ada', 'settings'), chosen(values))).toMatchObject({ ok: true });
  return (await told).text;
}

describe('the form', () => {
  it('opens with the current values, and changes nothing if it is saved unchanged', async () => {
    const bot = await governed();
    await bot.store.settings.change(bot.teamId, { logChannels: [channelId('payments')] }, ada, 1);
    await bot.store.roles.grant(bot.teamId, { userId: ben, role: 'operator', grantedBy: ada, grantedAt: 1 });
    expect(await choose(bot, {})).toContain('No setting was changed');
    expect(await bot.audited()).toEqual([]);
  });

  it('shows an error beside the channels if none is chosen, and stays open', async () => {
    const { open, submit, slack } = await governed();
    const result = await submit('ada', await open('ada', 'settings'), chosen({ readers: 'chosen', logs: 'chosen' }));
    const words = expect.stringContaining('Choose at least one channel');
    expect(result).toMatchObject({ ok: false, errors: { readersChannels: words, logsChannels: words } });
    expect(slack.modals(ada)).toHaveLength(1);
  });

  it('changes nothing if the person is no longer an admin', async () => {
    const bot = await governed();
    const view = await bot.open('ada', 'settings');
    bot.says({ is_admin: false });
    bot.time.now += 60_000;
    await bot.submit('ada', view, chosen({ visibility: 'channel' }));
    expect((await bot.store.settings.read(bot.teamId)).defaultVisibility).toBe('ephemeral');
    expect(await bot.audited()).toEqual([`${ada} permission refused`]);
  });
});

describe('a role', () => {
  it('counts at once when granted and ends at once when revoked; both are announced and audited', async () => {
    const bot = await governed();
    expect(await choose(bot, { admins: [ben], operators: [eva] })).toContain(`<@${ben}> is now a bot admin.`);
    expect((await bot.type('ben', 'audit')).text).toContain(
      `<@${ada}>: role granted: to <@${eva}>, role operator, before reader`,
    );
    expect(await choose(bot, { admins: [] })).toContain(`<@${ben}> is no longer a bot admin.`);
    expect((await bot.type('ben', 'audit')).text).toContain('Only bot admins');
    expect((await bot.audited()).filter((entry) => entry.startsWith(ada))).toEqual([
      `${ada} role granted`,
      `${ada} role granted`,
      `${ada} role revoked`,
    ]);
  });
});

describe('the channels for commands', () => {
  it('change at once; elsewhere a member gets their names, and an operator an answer', async () => {
    const bot = await governed();
    await choose(bot, { readers: 'chosen', readersChannels: [channelId('payments')], operators: [eva] });
    expect((await bot.type('ben', 'list', 'payments')).text).toContain('Workflows');
    const refused = await bot.type('ben', 'list', 'general');
    expect(refused).toMatchObject({ isEphemeral: true, text: expect.stringContaining(`<#${channelId('payments')}>`) });
    expect((await bot.type('eva', 'list', 'general')).text).toContain('Workflows');
    expect((await bot.type('ada', 'list', 'general')).text).toContain('Workflows');
  });
});

describe('the visibility of an answer', () => {
  it('is the whole channel once that is chosen, without a Share button', async () => {
    const bot = await governed();
    expect((await bot.type('ben', 'list')).isEphemeral).toBe(true);
    await choose(bot, { visibility: 'channel' });
    const answer = await bot.type('ben', 'list');
    expect(answer.isEphemeral).toBe(false);
    expect(JSON.stringify(answer.blocks)).not.toContain('Share in channel');
  });

  it('is still one person for a question, a refusal or a private answer', async () => {
    const bot = await governed();
    await choose(bot, { visibility: 'channel' });
    for (const line of ['status', 'status pay', 'help', 'no-such-command', 'audit']) {
      expect([line, (await bot.type('ada', line)).isEphemeral]).toEqual([line, true]);
    }
  });
});

describe('logs in a channel that is not chosen for logs', () => {
  it('go to the direct messages of the person who asked', async () => {
    const bot = await governed();
    await choose(bot, { logs: 'chosen', logsChannels: [channelId('payments')] });
    const sent = bot.slack.nextMessage({ channel: directId('ben') });
    expect((await bot.type('ben', 'logs payments')).text).toContain('in your direct messages');
    expect((await sent).text).toMatch(/Logs.*nodes/s);
    expect((await bot.type('ben', 'logs payments', 'payments')).text).toMatch(/Logs.*nodes/s);
  });

  it('are withheld if the bot cannot write to the person, whoever is the cause', async () => {
    const bot = await governed();
    await choose(bot, { logs: 'nowhere' });
    bot.slack.fail('conversations.open', { isCarriedOut: false, answer: { status: 500, headers: {}, body: '' } }, 4);
    const { text } = await bot.type('ben', 'logs payments');
    expect(text).toMatch(/is not shown.*the bot could not send you a direct message/);
    expect(text).not.toContain('nodes');
  });

  it('may be in the direct messages if Slack does not confirm it, so the person looks there first', async () => {
    const bot = await governed();
    await choose(bot, { logs: 'nowhere' });
    bot.slack.fail('conversations.history', slackError('missing_scope'), 4);
    bot.slack.fail('chat.postMessage', carriedOutAnyway(httpStatus(500)), 4);
    const { text } = await bot.type('ben', 'logs payments');
    expect(text).toMatch(/Slack did not confirm.*[Ll]ook there first/);
    expect(text).not.toContain('could not send');
  });

  it('are replaced in a thread by a button that sends them to the person who presses it', async () => {
    const bot = await governed();
    await choose(bot, { logs: 'nowhere' });
    const { slack } = bot;
    const channel = channelId('general');
    const reply = slack.nextMessage({
      channel,
      matches: ({ text }) => text.includes('in this channel. Press the button'),
    });
    await bot.type('ben', 'execution payments');
    const { ts, blocks } = await reply;
    const [, actionId = ''] = /"action_id":"(cmd:open:logs [^"]*)"/.exec(JSON.stringify(blocks)) ?? [];
    const sent = slack.nextMessage({ channel: directId('eva') });
    await slack.press({ user: eva, channel, ts, actionId });
    expect((await sent).text).toMatch(/Logs.*nodes/s);
    const thread = slack.messages({ channel, viewer: eva }).map(({ text }) => text);
    expect(thread.filter((text) => /\dZ? ×\d|nodes logged the same lines/.test(text))).toEqual([]);
  });
});
