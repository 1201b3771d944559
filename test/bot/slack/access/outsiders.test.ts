/**
 * The home workspace in a payload decides nothing; users.info decides who is a member. Payloads as in
 * https://github.com/slackapi/bolt-js/issues/1875 (an Enterprise organization names the home workspace in presses),
 * https://docs.slack.dev/apis/slack-connect (`user_team`), and bolt-python's tests/slack_bolt/request/test_internals.py
 * (`user_team` may be an organization).
 */
import { describe, expect, it } from 'vitest';
import { interactiveElements } from '../../../../src/local-slack/interactions/elements.ts';
import { channelId, personId } from '../../../../src/local-slack/state/seed.ts';
import { useGovernedBot } from '../../../support/bot/governed-bot.ts';
import { walkerIn } from '../../../support/bot/walk-commands.ts';
import { personIn } from '../../../support/bot/whole-bot.ts';
import { httpStatus, replacedAnswer } from '../../../support/slack/faults.ts';

const governed = useGovernedBot();
const [ben, general] = [personId('ben'), channelId('general')];
const [homeTeamId, ownTeamId, enterpriseId] = ['T0HOME', 'T01LOCAL000', 'E0ACME'];

type Payload = Readonly<Record<string, unknown>>;

const atHome = (payload: Payload): Payload => ({
  ...payload,
  ...(payload['user'] !== undefined && { user: { ...Object(payload['user']), team_id: homeTeamId } }),
});
const fromTeam = (userTeam: string | undefined) => (payload: Payload) => ({
  ...payload,
  is_ext_shared_channel: true,
  event: { ...Object(payload['event']), team: userTeam, user_team: userTeam },
});

const profile = (user: object) => replacedAnswer({ ok: true, user: { id: ben, ...user } });
const colleague = profile({
  team_id: homeTeamId,
  enterprise_user: { id: ben, enterprise_id: enterpriseId, teams: [homeTeamId, ownTeamId] },
});
const onlyMembers = /This bot answers only members of this workspace/;

const refused = [
  ['a person of another company', profile({ team_id: homeTeamId }), onlyMembers],
  ['a stranger', profile({ team_id: ownTeamId, is_stranger: true }), onlyMembers],
  [
    'a person of the organization who is not a member of this workspace',
    profile({ team_id: homeTeamId, enterprise_user: { enterprise_id: enterpriseId, teams: [homeTeamId] } }),
    onlyMembers,
  ],
  ['a person whom the workspace does not list', replacedAnswer({ ok: false, error: 'user_not_found' }), onlyMembers],
  ['a person about whom Slack does not answer', httpStatus(500), /Slack did not say what you may do/],
] as const;

/** Ben has an answer and an open form from the time when he was a member. */
async function withBen(fault: ReturnType<typeof httpStatus>) {
  const bot = await governed();
  const { slack, time } = bot;
  const help = await bot.type('ben', 'help');
  const note = slack.say({ user: ben, channel: general, text: '9e107d9d-372b-4c5f-8a51-6f0d1e2c3b4a' });
  if (!note) throw new Error('The message was not posted.');
  slack.failWhen('users.info', ({ user }) => (user === ben ? fault : undefined));
  time.now += 600_001;
  return { ...bot, help, note, walker: walkerIn(bot, 'ben') };
}

async function textSeen(seen: ReturnType<ReturnType<typeof walkerIn>['mention']>) {
  const found = await seen;
  return 'message' in found ? found.message.text : JSON.stringify(found.view.blocks);
}

/** @returns the text of the answer to the first button of the help */
async function pressHelp({ slack, help }: Pick<Awaited<ReturnType<typeof withBen>>, 'slack' | 'help'>) {
  const button = interactiveElements(help.blocks).find(({ element }) => element['type'] === 'button');
  if (!button) throw new Error('The help has no button.');
  const answer = slack.nextMessage({ viewer: ben, user: slack.workspace.botUserId });
  slack.tamper(atHome);
  const actionId = String(button.element['action_id']);
  await slack.press({ user: ben, channel: general, ts: help.ts, blockId: button.blockId, actionId });
  return (await answer).text;
}

describe('a colleague whose home is another workspace of the Enterprise organization', () => {
  it('presses a button', async () => {
    expect(await pressHelp(await withBen(colleague))).not.toMatch(onlyMembers);
  });

  it('searches in a menu', async () => {
    const { slack, help } = await withBen(colleague);
    slack.tamper(atHome);
    expect(await personIn(slack, 'ben').search(help, 'Status of…', 'pay')).not.toEqual([]);
  });

  it('uses the shortcut of a message', async () => {
    const { slack, walker, note } = await withBen(colleague);
    slack.tamper(atHome);
    expect(await textSeen(walker.shortcut(note))).not.toMatch(onlyMembers);
  });

  it('mentions the bot in a channel that is shared with another company', async () => {
    const { slack, walker } = await withBen(colleague);
    slack.tamper(fromTeam(homeTeamId));
    expect(await textSeen(walker.mention('list'))).toContain('payments');
  });

  it('submits a form', async () => {
    const bot = await governed();
    const form = await bot.open('ada', 'settings');
    const admin = { team_id: homeTeamId, is_admin: true, enterprise_user: { teams: [homeTeamId, ownTeamId] } };
    bot.slack.failWhen('users.info', () => replacedAnswer({ ok: true, user: admin }));
    bot.time.now += 60_000;
    bot.slack.tamper(atHome);
    expect(await bot.submit('ada', form, { guests: { value: 'multi_channel' } })).toMatchObject({ ok: true });
    expect(await bot.audited()).toEqual([`${personId('ada')} settings changed`]);
  });
});

describe.each(refused)('%s reads the reason and nothing else', (_, fault, sentence) => {
  it('after pressing a button', async () => {
    expect(await pressHelp(await withBen(fault))).toMatch(sentence);
  });

  it('in a menu, which stays empty', async () => {
    const { slack, help } = await withBen(fault);
    slack.tamper(atHome);
    expect(await personIn(slack, 'ben').search(help, 'Status of…', 'pay')).toEqual([]);
  });

  it('after the shortcut of a message', async () => {
    const { slack, walker, note } = await withBen(fault);
    slack.tamper(atHome);
    expect(await textSeen(walker.shortcut(note))).toMatch(sentence);
  });

  it.each([
    ['their workspace', homeTeamId],
    ['their organization', enterpriseId],
    ['nothing', undefined],
    ['this workspace', ownTeamId],
  ])('after a mention of whose author Slack names %s', async (_what, userTeam) => {
    const { slack, walker } = await withBen(fault);
    slack.tamper(fromTeam(userTeam));
    expect(await textSeen(walker.mention('list'))).toMatch(sentence);
  });
});
