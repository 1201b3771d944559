/** Installation for an enterprise: the served workspaces, their tokens, and the uninstallation. */
import { expect, test } from 'vitest';
import {
  eventPayload,
  type InstallBot,
  installNow,
  startInstallBot,
  tokenUsedIn,
} from '../../../support/installing.ts';
import { commandPayload } from '../../../support/slack-payloads.ts';
import { credential } from '../../store/credentials.contract.ts';

const whole = {
  is_enterprise_install: true,
  team: null,
  enterprise: { id: 'E1', name: 'Globex' },
  access_token: 'xoxb-of-E1',
};
const through = {
  enterprise_id: 'E1',
  authorizations: [{ enterprise_id: 'E1', team_id: null, is_enterprise_install: true }],
};
const typed = { enterprise_id: 'E1', is_enterprise_install: 'true' };

/** @param teamIds of the workspaces that may use it, in two pages */
async function installed(...teamIds: readonly string[]) {
  const bot = await startInstallBot();
  const [first, ...rest] = teamIds.map((id) => ({ id }));
  const pages = [
    { body: { ok: true, teams: [first], response_metadata: { next_cursor: 'more' } } },
    { body: { ok: true, teams: rest, response_metadata: { next_cursor: '' } } },
  ];
  bot.slack.script('auth.teams.list', ...pages, ...pages, ...pages);
  expect((await bot.install(whole)).text).toContain('Workflow Bot is in Globex');
  return bot;
}

const typedIn = async (bot: InstallBot, teamId: string, line = 'fine') =>
  (await bot.post(commandPayload(bot.slack, line, { team_id: teamId, ...typed }))).text;
const listsOf = ({ slack }: InstallBot) => slack.calls.filter(({ method }) => method === 'auth.teams.list');

test('lifecycle/grid-org-install: a granted workspace is served with its enterprise’s token', async () => {
  const bot = await installed('T1', 'T2');
  expect(await typedIn(bot, 'T1')).toContain('You typed fine');
  expect(await tokenUsedIn(bot, 'T2', through)).toBe('xoxb-of-E1');
  expect(bot.requests.map(({ actor }) => actor.teamId)).toEqual(['T1', 'T2']);
  expect(listsOf(bot).map(({ token, fields }) => [token, fields['cursor'] ?? ''])).toEqual([
    ['xoxb-of-E1', ''],
    ['xoxb-of-E1', 'more'],
  ]);
});

test('lifecycle/grid-team-not-granted: a workspace of the enterprise that was not granted it is refused', async () => {
  const bot = await installed('T1', 'T2');
  expect(await typedIn(bot, 'T3')).toContain('not installed in this workspace');
  expect([bot.requests, await bot.store.installations.find('T3')]).toEqual([[], undefined]);
});

test('a withdrawn grant counts for one more minute', async () => {
  const bot = await installed('T1', 'T2');
  expect(await typedIn(bot, 'T2')).toContain('You typed fine');
  bot.slack.script('auth.teams.list', { body: { ok: true, teams: [{ id: 'T1' }] } });
  bot.pass(60_000);
  expect(await typedIn(bot, 'T2')).toContain('not installed in this workspace');
});

test('while Slack does not list the granted workspaces, people are asked to wait', async () => {
  const bot = await installed('T1');
  bot.slack.script('auth.teams.list', 'drop');
  expect(await typedIn(bot, 'T1')).toContain('cannot look up your workspace right now');
});

test('lifecycle/grid-same-channel: in a channel of several workspaces the key is that of the one in which it was typed', async () => {
  const bot = await installed('T1', 'T2');
  await bot.install({ team: { id: 'T9', name: 'Alone' }, enterprise: { id: 'E1', name: 'Globex' } });
  for (const teamId of ['T1', 'T2', 'T9']) {
    const own = teamId === 'T9' ? { enterprise_id: 'E1', is_enterprise_install: 'false' } : typed;
    await bot.post(commandPayload(bot.slack, 'fine', { team_id: teamId, channel_id: 'C0SHARED', ...own }));
  }
  expect(bot.requests.map(({ actor }) => [actor.teamId, actor.channelId])).toEqual(
    ['T1', 'T2', 'T9'].map((teamId) => [teamId, 'C0SHARED']),
  );
});

test('an enterprise that uninstalls the bot removes its workspaces, but none that installed the bot itself', async () => {
  const bot = await installed('T1', 'T2');
  await bot.install({ team: { id: 'T9', name: 'Alone' }, enterprise: { id: 'E1', name: 'Globex' } });
  await typedIn(bot, 'T1');
  await bot.store.credentials.connect('T1', credential);
  await bot.store.credentials.connect('T9', credential);
  bot.pass(2_000);
  const event_time = installNow / 1000 + 1;
  await bot.postJson(eventPayload({ type: 'app_uninstalled' }, { team_id: 'E1', event_time, ...through }));
  await bot.log.until('workspace uninstalled the bot', 2);
  expect(await typedIn(bot, 'T1')).toContain('not installed in this workspace');
  const keys = await Promise.all(['T1', 'T9'].map((teamId) => bot.store.credentials.find(teamId)));
  expect(keys.map((key) => key !== undefined)).toEqual([false, true]);
});
