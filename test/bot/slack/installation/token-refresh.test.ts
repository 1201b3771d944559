/** Expiring tokens are replaced in time and once, without a lost answer. */
import { expect, test } from 'vitest';
import { TokenRefresh } from '../../../../src/bot/slack/installation/token-refresh.ts';
import { openTestStore } from '../../../support/bot/store.ts';
import { createMemoryLog } from '../../../support/runner/memory-log.ts';
import type { FakeReply } from '../../../support/slack/fake-slack.ts';
import {
  type InstallBot,
  installNow,
  mentionIn,
  refreshedTo,
  startInstallBot,
  tokenUsedIn,
} from '../../../support/slack/installing.ts';
import { commandPayload } from '../../../support/slack/slack-payloads.ts';

const hourMs = 60 * 60_000;
const first = { ...refreshedTo(1) };
const isRefresh = ({ fields }: { readonly fields: Readonly<Record<string, string>> }) =>
  fields['grant_type'] === 'refresh_token';
const refreshesOf = ({ slack }: InstallBot) => slack.calls.filter(isRefresh);

async function installed() {
  const bot = await startInstallBot();
  await bot.install(first);
  return bot;
}

test('a token that is valid for more than two hours is not refreshed', async () => {
  const bot = await installed();
  bot.pass(10 * hourMs - 1);
  expect(await tokenUsedIn(bot, 'T1')).toBe('xoxe.xoxb-canary-1');
  expect(refreshesOf(bot)).toEqual([]);
});

test('a token that expires within two hours is used until its replacement arrives', async () => {
  const bot = await installed();
  bot.pass(10 * hourMs);
  bot.slack.script('oauth.v2.access', { body: refreshedTo(2) });
  expect(await tokenUsedIn(bot, 'T1')).toBe('xoxe.xoxb-canary-1');
  await bot.log.until('slack token refreshed');
  expect(await tokenUsedIn(bot, 'T1')).toBe('xoxe.xoxb-canary-2');
  expect(refreshesOf(bot)).toMatchObject([{ fields: { refresh_token: 'xoxe-canary-1', client_id: '1.2' } }]);
  expect(await bot.store.installations.openTokens('T1')).toMatchObject({ refreshToken: 'xoxe-canary-2' });
});

test('an expired token is replaced before the first answer', async () => {
  const bot = await installed();
  bot.pass(24 * hourMs);
  bot.slack.script('oauth.v2.access', { body: refreshedTo(2) });
  expect(await tokenUsedIn(bot, 'T1')).toBe('xoxe.xoxb-canary-2');
  expect(bot.log.text()).not.toContain('canary');
});

test('two processes that find the same token due refresh it once', async () => {
  const bot = await installed();
  const other = await startInstallBot({ store: bot.store, slackApiUrl: bot.slack.apiUrl });
  for (const one of [bot, other]) one.pass(24 * hourMs);
  bot.slack.script('oauth.v2.access', { body: refreshedTo(2) });
  const command = (one: InstallBot) => one.post(commandPayload(bot.slack, 'fine', { team_id: 'T1' }));
  await Promise.all([bot, other, bot, other].map(command));
  expect((await command(other)).text).toContain('You typed fine');
  expect(refreshesOf(bot)).toHaveLength(1);
});

test('a token that cannot be refreshed is used until it expires, and then people are asked to wait', async () => {
  const bot = await installed();
  bot.pass(10 * hourMs);
  bot.slack.script('oauth.v2.access', { status: 500, body: 'down' }, 'drop', { body: refreshedTo(2) });
  expect(await tokenUsedIn(bot, 'T1')).toBe('xoxe.xoxb-canary-1');
  await bot.log.until('slack token could not be refreshed, the current one is used until it expires');
  bot.pass(2 * hourMs);
  const { text } = await bot.post(commandPayload(bot.slack, 'fine', { team_id: 'T1' }));
  expect(text).toContain('cannot look up your workspace right now');
  expect(await tokenUsedIn(bot, 'T1')).toBe('xoxe.xoxb-canary-2');
});

async function refreshing() {
  const store = await openTestStore();
  const tokens = { botToken: 'xoxb-1', refreshToken: 'xoxe-1', tokenExpiresAt: installNow };
  const installation = { enterpriseId: null, isEnterpriseInstall: false, botUserId: 'U0BOT', botId: null, scopes: [] };
  const of = { ...installation, appId: null, installedBy: 'U0ADMIN', installedAt: 1, ...tokens };
  await store.installations.save('T1', of);
  const fresh = { botToken: 'xoxb-2', refreshToken: 'xoxe-2', tokenExpiresAt: installNow + 12 * hourMs };
  const { log } = createMemoryLog();
  const deps = { ...store, clock: () => installNow, log, registry: { invalidate: () => undefined } };
  return { store, of, fresh, deps };
}

test('Slack’s only answer to a refresh is stored although the store is away for a moment', async () => {
  const { store, fresh, deps } = await refreshing();
  const waits: number[] = [];
  const installations = {
    ...store.installations,
    replaceTokens: async (...given: Parameters<typeof store.installations.replaceTokens>) => {
      if (waits.length < 2) throw new Error('The store is away.');
      return store.installations.replaceTokens(...given);
    },
  };
  const wait = async (ms: number) => waits.push(ms);
  const tokens = new TokenRefresh({ ...deps, installations, oauth: { refresh: async () => fresh }, wait });
  expect(await tokens.current('T1')).toEqual({ kind: 'token', botToken: fresh.botToken });
  expect(waits).toEqual([500, 2_000]);
});

test('tokens of a newer installation stay', async () => {
  const { store, of, fresh, deps } = await refreshing();
  const anew = { ...of, botToken: 'xoxb-anew', tokenExpiresAt: installNow + 12 * hourMs };
  const refresh = async () => {
    await store.installations.save('T1', anew);
    return fresh;
  };
  const tokens = new TokenRefresh({ ...deps, oauth: { refresh } });
  expect(await tokens.current('T1')).toEqual({ kind: 'token', botToken: 'xoxb-anew' });
});

test('an expired token that another process refreshes is waited for', async () => {
  const { store, fresh, deps } = await refreshing();
  await store.leases.take('T1', 'refresh token', 60_000);
  const wait = async () => {
    const { version = '' } = (await store.installations.openTokens('T1')) ?? {};
    await store.installations.replaceTokens('T1', version, fresh);
  };
  const tokens = new TokenRefresh({
    ...deps,
    oauth: { refresh: async () => expect.fail('It is refreshed twice.') },
    wait,
  });
  expect(await tokens.current('T1')).toEqual({ kind: 'token', botToken: fresh.botToken });
});

test('a stop waits for the answer to a running refresh', async () => {
  const bot = await installed();
  bot.pass(10 * hourMs);
  bot.slack.script('oauth.v2.access', { body: refreshedTo(2) });
  await tokenUsedIn(bot, 'T1');
  await bot.bot.stop();
  expect(await bot.store.installations.openTokens('T1')).toMatchObject({ botToken: 'xoxe.xoxb-canary-2' });
});

const expired = { body: { ok: false, error: 'token_expired' } };
const repliesOf = ({ slack }: InstallBot) => slack.calls.filter(({ method }) => method === 'chat.postEphemeral');

/** A command while Slack calls the token expired before its time, for the next `calls` calls. */
async function askedWithExpired(calls: number, ...refreshes: FakeReply[]) {
  const bot = await installed();
  bot.slack.script('chat.postEphemeral', ...Array.from({ length: calls }, () => expired));
  bot.slack.script('oauth.v2.access', ...refreshes);
  await bot.postJson(mentionIn('T1'));
  return bot;
}

test('a token that Slack calls expired before its time is refreshed, and the call is repeated once', async () => {
  const bot = await askedWithExpired(1, { body: refreshedTo(2) });
  await bot.slack.until(() => repliesOf(bot)[1]);
  expect(repliesOf(bot).map(({ token }) => token)).toEqual(['xoxe.xoxb-canary-1', 'xoxe.xoxb-canary-2']);
  expect(await tokenUsedIn(bot, 'T1')).toBe('xoxe.xoxb-canary-2');
  expect(refreshesOf(bot)).toHaveLength(1);
});

test('after a temporary failure of the refresh nothing was sent, and the call is retried', async () => {
  const bot = await askedWithExpired(2, 'drop', { body: refreshedTo(2) });
  await bot.slack.until(() => repliesOf(bot).find(({ token }) => token === 'xoxe.xoxb-canary-2'));
  expect(refreshesOf(bot)).toHaveLength(2);
});

test('a fresh token that is called expired, too, is not refreshed again for the same call', async () => {
  const bot = await askedWithExpired(2, { body: refreshedTo(2) }, { body: refreshedTo(3) });
  await bot.slack.until(() => repliesOf(bot)[1]);
  expect(await tokenUsedIn(bot, 'T1')).toBe('xoxe.xoxb-canary-2');
  expect(refreshesOf(bot)).toHaveLength(1);
});

test.each(['invalid_refresh_token', 'invalid_auth'])(
  'if Slack answers the refresh with %s, the call is not repeated',
  async (error) => {
    const bot = await askedWithExpired(1, { body: { ok: false, error } });
    await bot.log.until('slack token could not be refreshed, the current one is used until it expires');
    expect(await tokenUsedIn(bot, 'T1')).toBe('xoxe.xoxb-canary-1');
    expect(repliesOf(bot)).toHaveLength(2);
  },
);

test('calls at the same time, in two processes, refresh an expired token once', async () => {
  const bot = await installed();
  const other = await startInstallBot({ store: bot.store, slackApiUrl: bot.slack.apiUrl });
  for (const one of [bot, other]) await tokenUsedIn({ ...one, slack: bot.slack }, 'T1');
  bot.slack.script('chat.postEphemeral', expired, expired, expired, expired);
  bot.slack.script('oauth.v2.access', { body: refreshedTo(2) });
  await Promise.all([bot, other, bot, other].map((one) => one.postJson(mentionIn('T1'))));
  const fresh = () => repliesOf(bot).filter(({ token }) => token === 'xoxe.xoxb-canary-2');
  await bot.slack.until(() => fresh()[3]);
  expect(refreshesOf(bot)).toHaveLength(1);
});

test('a token that does not rotate is not refreshed, and the call ends there', async () => {
  const bot = await startInstallBot();
  await bot.install();
  bot.slack.script('chat.postEphemeral', expired);
  expect(await tokenUsedIn(bot, 'T1')).toBe('xoxb-canary-granted');
  expect(refreshesOf(bot)).toEqual([]);
});
