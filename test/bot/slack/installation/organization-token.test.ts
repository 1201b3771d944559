/** A bot token of a whole organization in Socket Mode: the workspaces it serves. */
import { expect, test } from 'vitest';
import { startTestBot, type TestBotOptions } from '../../../support/bot/bot.ts';
import type { FakeSlack } from '../../../support/slack/fake-slack.ts';
import { commandPayload } from '../../../support/slack/slack-payloads.ts';

/** auth.test with the token of an organization: https://docs.slack.dev/reference/methods/auth.test */
const whole = {
  ok: true,
  team_id: null,
  enterprise_id: 'E1',
  is_enterprise_install: true,
  user_id: 'U0BOT',
  bot_id: 'B1',
};
const lists = (...teamIds: readonly string[]) => ({ body: { ok: true, teams: teamIds.map((id) => ({ id })) } });

const started = (teams: Parameters<FakeSlack['script']>[1][], options: TestBotOptions = {}) =>
  startTestBot(options, ({ script }) => {
    script('auth.test', { body: whole });
    script('bots.info', { body: { ok: true, bot: { app_id: 'A1' } } });
    script('auth.teams.list', ...teams);
  });

test('each workspace to which the organization added the bot is served, and no other', async () => {
  await using run = await started([lists('T1', 'T2')]);
  const typedIn = async (team_id: string) => {
    const typed = { team_id, enterprise_id: 'E1', is_enterprise_install: 'true' };
    return JSON.stringify((await run.slack.send('slash_commands', commandPayload(run.slack, 'list', typed))).payload);
  };
  expect([await typedIn('T1'), await typedIn('T2'), await typedIn('T3')]).toEqual([
    expect.stringContaining('You typed list'),
    expect.stringContaining('You typed list'),
    expect.stringContaining('not installed in this workspace'),
  ]);
  expect(run.requests.map(({ actor }) => actor.teamId)).toEqual(['T1', 'T2']);
  expect(run.log.text()).toContain('belongs to an organization');
});

// https://docs.slack.dev/reference/methods/bots.info: `team_id` is required with the token of an organization.
test('the app of the token is looked up in one of the workspaces', async () => {
  await using run = await started([lists('T1', 'T2')]);
  const asked = run.slack.calls.find(({ method }) => method === 'bots.info');
  expect(asked?.fields).toEqual({ bot: 'B1', team_id: 'T1' });
});

test('a withdrawn workspace is served for one more minute, and while Slack does not answer people are asked to wait', async () => {
  const time = { now: 0 };
  await using run = await started([lists('T1', 'T2'), lists('T1'), 'drop'], { clock: () => time.now });
  const typedIn = async (team_id: string) =>
    JSON.stringify((await run.slack.send('slash_commands', commandPayload(run.slack, 'list', { team_id }))).payload);
  expect(await typedIn('T2')).toContain('You typed list');
  time.now = 60_000;
  expect(await typedIn('T2')).toContain('not installed in this workspace');
  time.now = 120_000;
  expect(await typedIn('T1')).toContain('cannot look up your workspace right now');
});
