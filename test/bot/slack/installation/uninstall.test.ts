/** Workspaces that uninstall the bot: with an event in time, late, forged, or without one. */
import { expect, test } from 'vitest';
import { dayMs } from '../../../support/bot/outbox.ts';
import { digest } from '../../../support/bot/posting-bot.ts';
import { openBeside, openTestStore } from '../../../support/bot/store.ts';
import { newSqlite } from '../../../support/databases/engines.ts';
import type { FakeReply } from '../../../support/slack/fake-slack.ts';
import {
  eventPayload,
  type InstallBot,
  installNow,
  startInstallBot,
  tokenUsedIn,
} from '../../../support/slack/installing.ts';
import { commandPayload } from '../../../support/slack/slack-payloads.ts';
import { credential } from '../../store/contracts/credentials.contract.ts';
import { rowsOf } from '../../store/every-table.ts';

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

/** The next process on the same store, whose upkeep checks what is due or was refused. */
const restarted = async (bot: InstallBot, after = 0) =>
  startInstallBot({ store: bot.store, slackApiUrl: bot.slack.apiUrl, clock: () => installNow + after });
const stateOf = async (bot: InstallBot, teamId: string) => ({
  hasKey: await hasKey(bot, teamId),
  hasToken: (await bot.store.installations.openTokens(teamId)) !== undefined,
  isRefused: (await bot.store.installations.find(teamId))?.refusedSince !== null,
});
const kept = { hasKey: true, hasToken: true, isRefused: false };

test.each(['invalid_auth', 'account_inactive', 'token_revoked'])(
  'a token that Slack refuses with %s again and again is kept, and used again once Slack accepts it',
  async (error) => {
    const bot = await installed();
    const refusals = Array.from({ length: 9 }, () => refused(error));
    bot.slack.script('chat.postEphemeral', ...refusals);
    bot.slack.script('auth.test', refused(error));
    for (let minutes = 0; minutes < 5; minutes += 1) {
      await tokenUsedIn(bot, 'T1');
      bot.pass(60_000);
    }
    await bot.log.until('slack refuses a token: digests wait until it is accepted');
    expect([await stateOf(bot, 'T1'), await stateOf(bot, 'T2')]).toEqual([{ ...kept, isRefused: true }, kept]);
    expect(bot.bot.notes()).toContainEqual(
      expect.stringMatching('refuses the token of 1 of the installations, whose digests wait'),
    );
    const next = await restarted(bot);
    await next.log.until('slack accepts a token again');
    expect(await stateOf(bot, 'T1')).toEqual(kept);
  },
);

test('a token that Slack refuses with invalid_auth at every check is kept, however often it is checked', async () => {
  const refusals = Array.from({ length: 9 }, () => refused('invalid_auth'));
  const bot = await installed({ prepare: ({ script }) => script('auth.test', ...refusals) });
  // A check that runs takes further reports with it. Once the fifth has begun, four have ended.
  while (checksOf(bot).length < 5 && (await hasKey(bot, 'T1'))) {
    await bot.later(revoked);
    bot.pass(60_000);
  }
  expect([await stateOf(bot, 'T1'), await stateOf(bot, 'T2')]).toEqual([{ ...kept, isRefused: true }, kept]);
});

test('while Slack refuses the token a digest waits without a call, and is posted afterwards', async () => {
  const bot = await installed();
  const to = { teamId: 'T1', channelId: 'C1' };
  const posts = () => bot.slack.calls.filter(({ method }) => method === 'chat.postMessage').length;
  bot.slack.script('chat.postMessage', refused('invalid_auth'));
  bot.slack.script('auth.test', refused('invalid_auth'));
  const waiting = { kind: 'not_sent', error: 'invalid_auth', retryAfterMs: 300_000 };
  expect(await bot.bot.outboxPosting.send(to, digest, 'd1')).toEqual(waiting);
  await bot.log.until('slack refuses a token: digests wait until it is accepted');
  expect([await bot.bot.outboxPosting.send(to, digest, 'd1'), posts()]).toEqual([waiting, 1]);
  const next = await restarted(bot);
  await next.log.until('slack accepts a token again');
  expect((await next.bot.outboxPosting.send(to, digest, 'd1')).kind).toBe('posted');
});

test('lifecycle/uninstall-missed: a workspace that left without an event is found by days of nothing but account_inactive', async () => {
  const bot = await installed();
  const answers = ['account_inactive', 'invalid_auth', 'account_inactive', 'account_inactive', 'account_inactive'];
  for (const [day, answer] of answers.entries()) {
    bot.slack.script('auth.test', refused(answer));
    const next = await restarted(bot, day * dayMs);
    await next.log.until('slack refuses a token: digests wait until it is accepted');
    expect(await stateOf(bot, 'T1')).toEqual({ ...kept, isRefused: true });
    await next.bot.stop();
    bot.pass(dayMs);
  }
  bot.slack.script('auth.test', refused('account_inactive'));
  const last = await restarted(bot, answers.length * dayMs);
  await last.log.until(left);
  expect([await hasKey(bot, 'T1'), await hasKey(bot, 'T2')]).toEqual([false, true]);
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
  const store = await openTestStore();
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
