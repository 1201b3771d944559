/** Workspaces that uninstall the bot: with an event in time, late, forged, or without one. */
import { expect, test } from 'vitest';
import { newSqlite } from '../../../support/engines.ts';
import type { FakeReply } from '../../../support/fake-slack.ts';
import {
  eventPayload,
  type InstallBot,
  installNow,
  startInstallBot,
  tokenUsedIn,
} from '../../../support/installing.ts';
import { commandPayload } from '../../../support/slack-payloads.ts';
import { openBeside, openTestStore } from '../../../support/store.ts';
import { credential } from '../../store/credentials.contract.ts';
import { rowsOf } from '../../store/every-table.ts';

const dayMs = 24 * 60 * 60_000;
const left = 'workspace uninstalled the bot';
const uninstalled = { type: 'app_uninstalled' };
const revoked = { type: 'tokens_revoked', tokens: { oauth: [], bot: ['U0BOT'] } };
const refused = (error: string): FakeReply => ({ body: { ok: false, error } });

/** Installed in T1 and T2, each with a key and settings of its own. @param options `prepare` comes after the installations */
async function installed({ prepare, ...options }: Parameters<typeof startInstallBot>[0] = {}) {
  const bot = await startInstallBot(options);
  for (const teamId of ['T1', 'T2']) {
    await bot.install({ team: { id: teamId, name: teamId }, access_token: `xoxb-of-${teamId}` });
    await bot.store.credentials.connect(teamId, credential);
    await bot.store.settings.change(teamId, { isRedacting: false }, 'U0ADMIN', 1);
  }
  prepare?.(bot.slack);
  // Each installation asks whose token it was given.
  const callsBefore = bot.slack.calls.length;
  // An event in the second of the installation may be about the one before.
  const later = (event: Parameters<typeof eventPayload>[0], envelope = {}) =>
    bot.postJson(eventPayload(event, { event_time: installNow / 1000 + 1, ...envelope }));
  return { ...bot, callsBefore, later };
}

const checksOf = ({ slack, callsBefore }: InstallBot & { readonly callsBefore: number }) =>
  slack.calls.slice(callsBefore).filter(({ method }) => method === 'auth.test');
const hasKey = ({ store }: InstallBot, teamId: string) =>
  store.credentials.find(teamId).then((found) => found !== undefined);

test('a workspace that uninstalls the bot loses token and key at once and gets the reason; other workspaces keep theirs', async () => {
  const gone: string[] = [];
  const bot = await installed({ onGone: (teamId) => gone.push(teamId) });
  await tokenUsedIn(bot, 'T1');
  await bot.later(uninstalled);
  await bot.log.until(left);
  const { text } = await bot.post(commandPayload(bot.slack, 'list', { team_id: 'T1' }));
  expect(text).toContain('not installed in this workspace');
  expect([await bot.store.installations.openTokens('T1'), await hasKey(bot, 'T1'), gone]).toEqual([
    undefined,
    false,
    ['T1'],
  ]);
  expect([await tokenUsedIn(bot, 'T2'), await hasKey(bot, 'T2')]).toEqual(['xoxb-of-T2', true]);
});

test.each([
  ['before the revoked tokens', [uninstalled, revoked]],
  ['after the revoked tokens', [revoked, uninstalled]],
  ['twice', [uninstalled, revoked, uninstalled, revoked]],
])('an uninstall event that arrives %s leaves one audit entry and one removal', async (_, events) => {
  const bot = await installed({ prepare: ({ script }) => script('auth.test', refused('token_revoked')) });
  for (const event of events) await bot.later(event);
  await bot.log.until(left);
  await bot.bot.stop();
  const entries = await bot.store.audit.page('T1', 9);
  expect(entries.filter(({ action }) => action === 'uninstalled')).toMatchObject([{ userId: '' }]);
  expect(bot.log.messages().filter((message) => message === left)).toHaveLength(1);
});

test('lifecycle/uninstall-forged: an unsigned event has no effect', async () => {
  const bot = await installed();
  const body = JSON.stringify(eventPayload(uninstalled, { team_id: 'T2' }));
  const { status } = await bot.send({ body, headers: { 'content-type': 'application/json' } });
  expect([status, await tokenUsedIn(bot, 'T2'), await hasKey(bot, 'T2')]).toEqual([401, 'xoxb-of-T2', true]);
});

test('lifecycle/uninstall-old-event: an event that is older than the installation has no effect', async () => {
  const bot = await installed();
  await bot.later(uninstalled, { event_time: installNow / 1000 - 1 });
  await bot.later(uninstalled, { event_time: undefined });
  expect([await tokenUsedIn(bot, 'T1'), await hasKey(bot, 'T1')]).toEqual(['xoxb-of-T1', true]);
});

test('the revocation of a token that was replaced long ago has no effect on the current token', async () => {
  const bot = await installed();
  await bot.later(revoked);
  await bot.later({ ...revoked, tokens: { oauth: ['U0ADMIN'] } });
  await bot.later({ ...revoked, tokens: null });
  await bot.slack.until(() => checksOf(bot)[0]);
  expect([await tokenUsedIn(bot, 'T1'), await hasKey(bot, 'T1')]).toEqual(['xoxb-of-T1', true]);
  expect(checksOf(bot)).toHaveLength(1);
});

test('while Slack cannot be asked about a token, no workspace counts as uninstalled', async () => {
  const bot = await installed({ prepare: ({ script }) => script('auth.test', 'drop') });
  await bot.later(revoked);
  await bot.slack.until(() => checksOf(bot)[0]);
  expect([await tokenUsedIn(bot, 'T1'), await hasKey(bot, 'T1')]).toEqual(['xoxb-of-T1', true]);
});

test.each(['account_inactive', 'token_revoked'])(
  'lifecycle/uninstall-missed: a workspace whose call Slack refuses with %s is treated as uninstalled',
  async (error) => {
    const bot = await installed();
    bot.slack.script('chat.postEphemeral', refused(error));
    bot.slack.script('auth.test', refused(error));
    await tokenUsedIn(bot, 'T1');
    await bot.log.until(left);
    expect([await hasKey(bot, 'T1'), await hasKey(bot, 'T2')]).toEqual([false, true]);
  },
);

test('lifecycle/uninstall-missed: the daily check finds workspaces that left without an event', async () => {
  const bot = await installed();
  bot.slack.script('auth.test', refused('account_inactive'));
  const next = await startInstallBot({
    store: bot.store,
    slackApiUrl: bot.slack.apiUrl,
    clock: () => installNow + dayMs,
  });
  await next.log.until(left);
  expect([await hasKey(bot, 'T1'), await hasKey(bot, 'T2')]).toEqual([false, true]);
  await bot.slack.until(() => checksOf(bot)[1]);
  expect(checksOf(bot).map(({ token }) => token)).toEqual(['xoxb-of-T1', 'xoxb-of-T2']);
});

test('invalid_auth may be caused by the bot’s address: only the third refusal, each a minute after the last, is believed', async () => {
  const bot = await installed();
  const invalid = Array.from({ length: 9 }, () => refused('invalid_auth'));
  bot.slack.script('chat.postEphemeral', ...invalid);
  bot.slack.script('auth.test', ...invalid);
  for (const doubts of [1, 2]) {
    await tokenUsedIn(bot, 'T1');
    await bot.log.until('slack refused a token', doubts);
    // Within the minute it is the same doubt.
    await tokenUsedIn(bot, 'T1');
    await bot.slack.until(() => checksOf(bot)[2 * doubts - 1]);
    expect(await hasKey(bot, 'T1')).toBe(true);
    bot.pass(60_000);
  }
  await tokenUsedIn(bot, 'T1');
  await bot.log.until(left);
  expect(await hasKey(bot, 'T1')).toBe(false);
});

test('all data of an uninstalled workspace is deleted within a day, and none of another', async () => {
  const url = await newSqlite();
  const store = await openTestStore(url);
  const bot = await installed({ store });
  await bot.later(uninstalled);
  await bot.log.until(left);
  await bot.bot.stop();
  const rowsLeft = async () => (await rowsOf(await openBeside(url))).filter((row) => row.includes('"T1"'));
  expect((await rowsLeft()).length).toBeGreaterThan(3);
  const next = await startInstallBot({ store, slackApiUrl: bot.slack.apiUrl, clock: () => installNow + dayMs });
  await next.log.until('data of a workspace was deleted');
  expect([await rowsLeft(), await hasKey(bot, 'T2')]).toEqual([[], true]);
});

test('a workspace whose data cannot be deleted does not stop the deletion of others', async () => {
  const store = await openTestStore('sqlite::memory:');
  const bot = await installed({ store });
  await bot.later(uninstalled);
  await bot.log.until(left);
  await bot.store.installations.markUninstalled('T2', installNow + 1000);
  await bot.bot.stop();
  const deleteUninstalled = (teamId: string, before: number) => {
    if (teamId === 'T1') throw new Error('out of time');
    return store.deleteUninstalled(teamId, before);
  };
  const next = await startInstallBot({
    store: { ...store, deleteUninstalled: async (...asked) => deleteUninstalled(...asked) },
    slackApiUrl: bot.slack.apiUrl,
    clock: () => installNow + dayMs,
  });
  await next.log.until('data of a workspace was deleted');
  expect(next.log.text()).toContain('workspace could not be deleted');
  expect([await store.installations.find('T1'), await store.installations.find('T2')]).toMatchObject([{}, undefined]);
});

test('a workspace that installs the bot again in time keeps its settings, and has to connect again', async () => {
  const bot = await installed();
  await bot.later(uninstalled);
  await bot.log.until(left);
  bot.pass(60_000);
  await bot.install({ access_token: 'xoxb-again' });
  expect(await tokenUsedIn(bot, 'T1')).toBe('xoxb-again');
  expect([await bot.store.settings.read('T1'), await hasKey(bot, 'T1')]).toEqual([
    expect.objectContaining({ isRedacting: false }),
    false,
  ]);
});
