/** Access control of the whole bot in the local Slack. */
import { describe, expect, it } from 'vitest';
import * as registry from '../../../../src/bot/commands/registry.ts';
import { commandButton } from '../../../../src/bot/views/blocks/command-button.ts';
import { channelId, personId } from '../../../../src/local-slack/state/seed.ts';
import { type Name, useGovernedBot } from '../../../support/bot/governed-bot.ts';
import { httpStatus } from '../../../support/slack/faults.ts';

const governed = useGovernedBot();
const [ada, ben, eva] = [personId('ada'), personId('ben'), personId('eva')];
const guarded = Object.values(registry).filter(({ needs = 'reader' }) => needs !== 'reader');

describe.each(guarded)('the command $name', ({ name, needs }) => {
  it('lifecycle/non-admin-config: is refused to a member in a private answer that names the admins, and the audit records it', async () => {
    const bot = await governed();
    await bot.store.roles.grant(bot.teamId, { userId: eva, role: 'admin', grantedBy: ada, grantedAt: 1 });
    const answer = await bot.answer('ben', name);
    expect(answer).toContain(needs === 'admin' ? 'Only bot admins can' : 'Only bot operators and bot admins can');
    expect(answer).toContain(eva);
    expect(await bot.audited()).toEqual([`${ben} permission refused`]);
  });

  it.each<[Name, string]>([
    ['ada', 'is an admin of the workspace'],
    ['eva', 'has the role admin of the bot'],
  ])('is answered for %s, who %s', async (person) => {
    const bot = await governed();
    await bot.store.roles.grant(bot.teamId, { userId: eva, role: 'admin', grantedBy: ada, grantedAt: 1 });
    expect(await bot.answer(person, name)).not.toContain('Only bot');
    expect(await bot.audited()).toEqual([]);
  });
});

describe('an admin', () => {
  it('lifecycle/admin-cache: a former admin is refused within a minute', async () => {
    const { type, says, time } = await governed();
    expect((await type('ada', 'audit')).text).not.toContain('Only bot admins');
    says({ is_admin: false });
    time.now += 59_000;
    expect((await type('ada', 'audit')).text).not.toContain('Only bot admins');
    time.now += 1_000;
    expect((await type('ada', 'audit')).text).toContain('Only bot admins can do that.');
  });

  it('lifecycle/deactivated-user: a deactivated person is refused every command', async () => {
    const { type, says } = await governed();
    says({ is_admin: true, deleted: true });
    expect((await type('ada', 'audit')).text).toContain('deactivated');
    expect((await type('ada', 'list')).text).toContain('deactivated');
  });

  it('lifecycle/admin-check-fails: is refused with a way to try again while Slack does not return their profile', async () => {
    const { type, slack } = await governed();
    slack.fail('users.info', httpStatus(500));
    const { text, blocks } = await type('ada', 'audit');
    expect(text).toContain('Slack did not say what you may do');
    expect(JSON.stringify(blocks)).toContain('Try again');
    expect((await type('ada', 'list')).text).toContain('Workflows');
    expect((await type('ada', 'audit')).text).toContain('permission refused');
  });
});

describe('a button', () => {
  it('in an admin’s message runs with the rights of the person who presses it', async () => {
    const { slack, type, audited } = await governed();
    const { botToken } = slack;
    const channel = channelId('general');
    const button = commandButton({ label: 'Audit', line: 'audit', mode: 'open' });
    const body = { channel, text: 'For admins', blocks: [{ type: 'actions', elements: [button] }] };
    const posted = slack.nextMessage({ channel, matches: ({ text }) => text === 'For admins' });
    await fetch(`${slack.apiUrl}chat.postMessage`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${botToken}` },
      body: JSON.stringify(body),
    });
    const { ts } = await posted;
    const read = slack.nextMessage({ channel, viewer: ben });
    await slack.press({ user: ben, channel, ts, actionId: button.action_id ?? '' });
    expect(await read).toMatchObject({ isEphemeral: true, text: expect.stringContaining('Only bot admins') });
    expect((await type('ada', 'audit')).text).toContain('permission refused');
    expect(await audited()).toEqual([`${ben} permission refused`]);
  });
});
