/** Installation for an enterprise: the served workspaces, their tokens, and the uninstallation. */
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { openBeside, openTestStore } from '../../../support/bot/store.ts';
import { newSqlite } from '../../../support/databases/engines.ts';
import {
  eventPayload,
  type InstallBot,
  installNow,
  startInstallBot,
  tokenUsedIn,
} from '../../../support/slack/installing.ts';
import { commandPayload, pressPayload, submissionPayload } from '../../../support/slack/slack-payloads.ts';
import { credential } from '../../store/contracts/credentials.contract.ts';

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
  const before = listsOf(bot).length;
  expect(await typedIn(bot, 'T1')).toContain('You typed fine');
  expect(await tokenUsedIn(bot, 'T2', through)).toBe('xoxb-of-E1');
  expect(bot.requests.map(({ actor }) => actor.teamId)).toEqual(['T1', 'T2']);
  expect(
    listsOf(bot)
      .slice(before)
      .map(({ token, fields }) => [token, fields['cursor'] ?? '']),
  ).toEqual([
    ['xoxb-of-E1', ''],
    ['xoxb-of-E1', 'more'],
  ]);
});

// https://docs.slack.dev/enterprise/developing-for-enterprise-orgs: no workspace has the bot yet.
test('after an organization’s installation the page and the message name the next step: adding it to workspaces', async () => {
  const direct = { body: { ok: true, channel: { id: 'D0ADMIN' } } };
  const bot = await startInstallBot({ prepare: ({ script }) => script('conversations.open', direct) });
  const { text } = await bot.install(whole);
  expect(text).toContain('https://app.slack.com/manage/E1/integrations/profile/A1/workspaces/add');
  const sent = await bot.slack.until(() => bot.slack.calls.find(({ method }) => method === 'chat.postMessage'));
  expect(sent.fields['text']).toContain('each workspace to which you add it');
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

test('simultaneous requests share one list of the granted workspaces', async () => {
  const bot = await installed('T1', 'T2');
  bot.slack.script('auth.teams.list', lists('T1', 'T2'), lists(), lists());
  const before = listsOf(bot).length;
  const answers = await Promise.all(['T1', 'T2', 'T1'].map((teamId) => typedIn(bot, teamId)));
  for (const answer of answers) expect(answer).toContain('You typed fine');
  expect(listsOf(bot)).toHaveLength(before + 1);
});

test('a list of workspaces without an end is read for fifty pages, and people are asked to wait', async () => {
  const bot = await installed('T1');
  const page = { body: { ok: true, teams: [{ id: 'T1' }], response_metadata: { next_cursor: 'more' } } };
  bot.slack.script('auth.teams.list', ...Array.from({ length: 60 }, () => page));
  const before = listsOf(bot).length;
  expect(await typedIn(bot, 'T1')).toContain('cannot look up your workspace right now');
  await bot.slack.until(() => listsOf(bot)[before + 49]);
  expect(listsOf(bot)).toHaveLength(before + 50);
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

/** As bolt-python’s pull request 23 shows it: no team, and the person's home workspace, which does not count. */
const withoutTeam = {
  team: null,
  user: { id: 'U0ANNA', username: 'anna', team_id: 'T3' },
  enterprise: { id: 'E1', name: 'Globex' },
  is_enterprise_install: true,
};
const lists = (...teamIds: readonly string[]) => ({ body: { ok: true, teams: teamIds.map((id) => ({ id })) } });

/** @returns the message that the person reads after a press without a team */
async function pressedIn(bot: InstallBot, fields: object) {
  const before = bot.slack.responses.length;
  const payload = pressPayload(bot.slack, { mode: 'open', line: 'fine' }, { ...withoutTeam, ...fields });
  await bot.post({ payload: JSON.stringify(payload) });
  const answers = () => bot.slack.responses[before]?.payload;
  return JSON.stringify(await bot.slack.until(answers));
}

const at = (id: string) => ({ channel: { id }, container: { type: 'message', message_ts: '1.1', channel_id: id } });
const unknown = 'Slack did not say which workspace of your organization this came from';

test('a press without a team belongs to the only workspace that has the bot', async () => {
  const bot = await installed('T1', 'T2');
  bot.slack.script('auth.teams.list', lists('T2'));
  expect(await pressedIn(bot, at('D0ANNA'))).toContain('You typed fine');
  expect(bot.requests.map(({ actor }) => actor.teamId)).toEqual(['T2']);
});

// https://docs.slack.dev/reference/objects/conversation-object
test.each([
  ['one workspace', { context_team_id: 'T2' }],
  ['several, of which one has the bot', { is_org_shared: true, context_team_id: 'T3', shared_team_ids: ['T3', 'T2'] }],
])('a press without a team belongs to the workspace of its channel, if that is of %s', async (_, channel) => {
  const bot = await installed('T1', 'T2');
  bot.slack.script('conversations.info', { body: { ok: true, channel } });
  expect(await pressedIn(bot, at('C0OPS'))).toContain('You typed fine');
  expect(bot.requests.map(({ actor }) => actor.teamId)).toEqual(['T2']);
});

test('the workspace of a channel is asked once in ten minutes, also while people use it', async () => {
  const bot = await installed('T1', 'T2');
  const of = (teamId: string) => ({ body: { ok: true, channel: { context_team_id: teamId, is_ext_shared: false } } });
  // The second, third and fifth are for the buttons of the answers.
  bot.slack.script('conversations.info', of('T2'), of('T2'), of('T2'), of('T1'), of('T1'));
  for (const _ of [1, 2, 3]) {
    bot.slack.script('auth.teams.list', lists('T1', 'T2'));
    expect(await pressedIn(bot, at('C0OPS'))).toContain('You typed fine');
    bot.pass(6 * 60_000);
  }
  expect(bot.requests.map(({ actor }) => actor.teamId)).toEqual(['T2', 'T2', 'T1']);
  expect(bot.slack.calls.filter(({ method }) => method === 'conversations.info')).toHaveLength(5);
});

test('a press whose workspace Slack does not tell in time is answered with a request to wait', async () => {
  const bot = await installed('T1', 'T2');
  bot.slack.script('conversations.info', 'hang');
  expect(await pressedIn(bot, at('C0OPS'))).toContain('cannot look up your workspace right now');
});

test.each([
  ['in direct messages', at('D0ANNA'), {}],
  [
    'in a channel of several',
    at('C0OPS'),
    { is_org_shared: true, context_team_id: 'T2', shared_team_ids: ['T1', 'T2'] },
  ],
  ['in a channel of another workspace', at('C0OPS'), { context_team_id: 'T3' }],
  ['in a channel that Slack does not describe', at('C0OPS'), {}],
])('a press that could be of several workspaces, %s, does nothing and says why', async (_, fields, channel) => {
  const bot = await installed('T1', 'T2');
  bot.slack.script('conversations.info', { body: { ok: true, channel } });
  expect(await pressedIn(bot, fields)).toContain(unknown);
  expect(bot.requests).toEqual([]);
});

test('a form and a menu without a workspace do nothing', async () => {
  const bot = await installed('T1', 'T2');
  const form = submissionPayload({ ...withoutTeam, view: { id: 'V1', callback_id: 'cmd:connect', hash: '1' } });
  const { text } = await bot.post({ payload: JSON.stringify(form) });
  expect(text).toContain(unknown);
  const menu = { type: 'block_suggestion', action_id: 'search:x', value: 'pay', ...withoutTeam };
  const { text: options } = await bot.post({ payload: JSON.stringify(menu) });
  expect(JSON.parse(options)).toEqual({ options: [] });
});

test.each([
  ['a mention', { type: 'app_mention', channel: 'C0OPS' }, 'chat.postEphemeral'],
  ['a direct message', { type: 'message', channel_type: 'im', channel: 'D0ANNA' }, 'chat.postMessage'],
])('%s without a workspace is answered with the organization’s token', async (_, event, method) => {
  const bot = await installed('T1', 'T2');
  const said = { user: 'U0ANNA', text: '<@U0BOT> list', ts: '1.1', ...event };
  await bot.postJson(eventPayload(said, { team_id: 'E1', ...through }));
  const sent = await bot.slack.until(() => bot.slack.calls.find((call) => call.method === method));
  expect([sent.token, sent.fields['text']]).toEqual(['xoxb-of-E1', expect.stringContaining(unknown)]);
  expect(bot.requests).toEqual([]);
});

test('a Home without a workspace says so', async () => {
  const bot = await installed('T1', 'T2');
  const opened = { type: 'app_home_opened', user: 'U0ANNA', tab: 'home', channel: 'D0ANNA' };
  await bot.postJson(eventPayload(opened, { team_id: 'E1', ...through }));
  const sent = await bot.slack.until(() => bot.slack.calls.find(({ method }) => method === 'views.publish'));
  expect([sent.token, sent.fields['view']]).toEqual(['xoxb-of-E1', expect.stringContaining(unknown)]);
});

/** As https://docs.slack.dev/reference/events/team_access_granted describes it, with the fields of `@slack/types`. */
const access = (type: 'team_access_granted' | 'team_access_revoked', ...team_ids: readonly string[]) =>
  eventPayload(
    { type, team_ids },
    {
      team_id: null,
      enterprise_id: 'E1',
      event_time: installNow / 1000 + 1,
      authorizations: [{ enterprise_id: 'E1', team_id: 'T123ABC456', is_bot: false, is_enterprise_install: false }],
    },
  );
const granted = 'an organization added the bot to a workspace';
const left = 'workspace uninstalled the bot';

test('a workspace to which the organization adds the bot is served at once, with an audit and a first admin', async () => {
  const bot = await installed('T1');
  expect(await typedIn(bot, 'T2')).toContain('not installed in this workspace');
  bot.slack.script('auth.teams.list', lists('T1', 'T2'));
  await bot.postJson(access('team_access_granted', 'T2'));
  await bot.log.until(granted);
  expect(await typedIn(bot, 'T2')).toContain('You typed fine');
  const { store } = bot;
  expect(await store.roles.list('T2')).toMatchObject([{ userId: 'U0ADMIN', role: 'admin' }]);
  expect((await store.audit.page('T2', 9)).map(({ action, detail }) => [action, detail['through']])).toEqual([
    ['role granted', undefined],
    ['installed', 'E1'],
  ]);
  expect([await store.roles.list('E1'), await store.roles.list('T1')]).toEqual([[], []]);
});

test('a workspace whose first admin could not be stored is not served, and gets one with the next request', async () => {
  const url = await newSqlite();
  const store = await openTestStore(url);
  const bot = await startInstallBot({ store });
  await bot.install(whole);
  bot.slack.script('auth.teams.list', lists('T1'));
  const beside = await openBeside(url);
  await sql`create trigger full before insert on role begin select raise(abort, 'full'); end`.execute(beside);
  expect(await typedIn(bot, 'T1')).toContain('cannot look up your workspace right now');
  expect(await Promise.all([store.installations.find('T1'), store.audit.page('T1', 9)])).toEqual([undefined, []]);
  await sql`drop trigger full`.execute(beside);
  expect(await typedIn(bot, 'T1')).toContain('You typed fine');
  expect(await store.roles.list('T1')).toMatchObject([{ userId: 'U0ADMIN', role: 'admin' }]);
  expect((await store.audit.page('T1', 9)).map(({ action }) => action)).toEqual(['role granted', 'installed']);
});

test('processes that notice a workspace of an organization at once write one audit entry and one admin', async () => {
  const store = await openTestStore(await newSqlite());
  const bots = [await startInstallBot({ store }), await startInstallBot({ store }), await startInstallBot({ store })];
  for (const { slack } of bots) slack.script('auth.teams.list', lists('T1'));
  await bots[0]?.install(whole);
  const answers = await Promise.all(bots.map((bot) => typedIn(bot, 'T1')));
  for (const answer of answers) expect(answer).toContain('You typed fine');
  expect((await store.audit.page('T1', 9)).map(({ action }) => action)).toEqual(['role granted', 'installed']);
  expect(bots.flatMap(({ log }) => log.messages().filter((message) => message === granted))).toHaveLength(1);
});

test('an event about a workspace that Slack does not list adds nothing', async () => {
  const bot = await installed('T1');
  bot.slack.script('auth.teams.list', lists('T1'), lists('T1'));
  await bot.postJson(access('team_access_granted', 'T2'));
  expect(await typedIn(bot, 'T2')).toContain('not installed in this workspace');
  expect(await bot.store.installations.find('T2')).toBeUndefined();
});

test('a workspace that the organization removes loses its key at once; one that installed the bot itself keeps it', async () => {
  const bot = await installed('T1', 'T2');
  await bot.install({ team: { id: 'T9', name: 'Alone' }, enterprise: { id: 'E1', name: 'Globex' } });
  for (const teamId of ['T1', 'T2']) await typedIn(bot, teamId);
  for (const teamId of ['T1', 'T2', 'T9']) await bot.store.credentials.connect(teamId, credential);
  bot.pass(2_000);
  bot.slack.script('auth.teams.list', lists('T1'));
  await bot.postJson(access('team_access_revoked', 'T2', 'T9'));
  await bot.log.until(left);
  expect(await typedIn(bot, 'T2')).toContain('not installed in this workspace');
  expect(await typedIn(bot, 'T1')).toContain('You typed fine');
  const keys = await Promise.all(['T1', 'T2', 'T9'].map((teamId) => bot.store.credentials.find(teamId)));
  expect(keys.map((key) => key !== undefined)).toEqual([true, false, true]);
});

test('a workspace that another process removed is stored again as soon as the organization adds it', async () => {
  const bot = await installed('T1', 'T2');
  for (const _ of [1, 2]) await typedIn(bot, 'T2');
  const other = await startInstallBot({ store: bot.store });
  other.pass(2_000);
  other.slack.script('auth.teams.list', lists('T1'));
  await other.postJson(access('team_access_revoked', 'T2'));
  await other.log.until(left);
  await bot.postJson(access('team_access_granted', 'T2'));
  await bot.log.until(granted, 2);
  expect((await bot.store.installations.find('T2'))?.uninstalledAt).toBeNull();
});

test.each([
  ['is believed while Slack does not list the workspaces', 'drop', true],
  ['is outdated if Slack lists the workspace again', lists('T1', 'T2'), false],
] as const)('the event that a workspace was removed %s', async (_, answer, isRemoved) => {
  const bot = await installed('T1', 'T2');
  await typedIn(bot, 'T2');
  await bot.store.credentials.connect('T2', credential);
  bot.slack.script('auth.teams.list', answer, lists('T1', 'T2'));
  await bot.postJson(access('team_access_revoked', 'T2'));
  await bot.bot.finish();
  expect((await bot.store.credentials.find('T2')) === undefined).toBe(isRemoved);
});

test('a workspace that installed the bot itself keeps its token and key beside its organization’s installation', async () => {
  const bot = await installed('T1', 'T9');
  await bot.install({ team: { id: 'T9', name: 'Alone' }, enterprise: { id: 'E1', name: 'Globex' } });
  await bot.store.credentials.connect('T9', credential);
  expect(await typedIn(bot, 'T9')).toContain('You typed fine');
  bot.pass(2_000);
  bot.slack.script('auth.teams.list', lists('T1'));
  await bot.postJson(access('team_access_revoked', 'T9'));
  const own = { team_id: 'T9', enterprise_id: 'E1', is_enterprise_install: 'false' };
  expect((await bot.post(commandPayload(bot.slack, 'fine', own))).text).toContain('You typed fine');
  expect((await bot.store.installations.openTokens('T9'))?.botToken).toBe('xoxb-canary-granted');
  expect(await bot.store.credentials.find('T9')).toBeDefined();
});

test('a workspace of one organization is not removed by the event of another', async () => {
  const bot = await installed('T1', 'T2');
  await typedIn(bot, 'T1');
  const event = access('team_access_revoked', 'T1');
  const elsewhere = { enterprise_id: 'E2', authorizations: [{ enterprise_id: 'E2', team_id: null }] };
  await bot.postJson({ ...event, ...elsewhere });
  expect(await typedIn(bot, 'T1')).toContain('You typed fine');
  expect((await bot.store.installations.find('T1'))?.uninstalledAt).toBeNull();
});

test('the first admin of a workspace stays if the organization adds the bot again', async () => {
  const bot = await installed('T1');
  await typedIn(bot, 'T1');
  await bot.store.roles.grant('T1', { userId: 'U0BEN', role: 'admin', grantedBy: 'U0ADMIN', grantedAt: 1 });
  await bot.store.roles.revoke('T1', 'U0ADMIN');
  bot.pass(2_000);
  bot.slack.script('auth.teams.list', lists(), lists('T1'));
  await bot.postJson(access('team_access_revoked', 'T1'));
  await bot.log.until(left);
  await bot.postJson(access('team_access_granted', 'T1'));
  await bot.log.until(granted, 2);
  expect(await typedIn(bot, 'T1')).toContain('You typed fine');
  expect((await bot.store.roles.list('T1')).map(({ userId }) => userId)).toEqual(['U0BEN']);
});
