/** Missing permissions of an installation: refused in the browser, reported at the start and once a day. */
import { describe, expect, it, test } from 'vitest';
import { missingScopes, optionalScopes, requiredScopes } from '../../../../src/bot/slack/installation/scopes.ts';
import { createTestBot } from '../../../support/bot/bot.ts';
import { startFakeSlack } from '../../../support/slack/fake-slack.ts';
import { eventPayload, startInstallBot } from '../../../support/slack/installing.ts';

const without = (...lacking: readonly string[]) => requiredScopes.filter((scope) => !lacking.includes(scope));
const dayMs = 24 * 60 * 60_000;

describe('an installation in the browser', () => {
  it.each(requiredScopes)(
    'without %s is refused with its name and what to do, and nothing is stored',
    async (scope) => {
      const bot = await startInstallBot();
      const { status, text } = await bot.install({ scope: without(scope).join() });
      expect(status).toBe(400);
      expect(text).toMatch(
        new RegExp(`The bot was not installed.*${scope} is missing\\..*Start again and allow all`, 's'),
      );
      expect(await bot.store.installations.page('', 9)).toEqual([]);
      expect(await bot.store.roles.of('T1', 'U0ADMIN')).toBeUndefined();
      expect(bot.log.text()).not.toContain('canary');
    },
  );

  it('without any names all of them', async () => {
    const bot = await startInstallBot();
    const { text } = await bot.install({ scope: '' });
    for (const scope of requiredScopes) expect(text).toContain(scope);
  });

  it('without the optional ones is complete', async () => {
    const bot = await startInstallBot();
    expect((await bot.install({ scope: requiredScopes.join() })).status).toBe(200);
    expect(missingScopes([...requiredScopes, ...optionalScopes])).toEqual([]);
  });

  it('again, with fewer permissions, keeps the one from before', async () => {
    const bot = await startInstallBot();
    await bot.install();
    const { status, text } = await bot.install({ scope: 'commands', access_token: 'xoxb-canary-lesser' });
    expect([status, text]).toEqual([400, expect.stringContaining('The existing installation is unchanged.')]);
    expect((await bot.store.installations.openTokens('T1'))?.botToken).toBe('xoxb-canary-granted');
  });

  it('again, with all of them, succeeds after a refusal', async () => {
    const bot = await startInstallBot();
    await bot.install({ scope: without('groups:read').join() });
    expect((await bot.install()).text).toContain('Workflow Bot is in Acme');
  });
});

test('scopes that are removed later are reported once a day: in the log and to the person who installed the bot', async () => {
  const direct = { body: { ok: true, channel: { id: 'D0ADMIN' } } };
  const bot = await startInstallBot({
    prepare: ({ script }) => script('conversations.open', ...Array(9).fill(direct)),
  });
  await bot.install();
  const headers = { 'x-oauth-scopes': without('channels:read', 'groups:read').join(',') };
  const lesser = { headers, body: { ok: true, team_id: 'T1', user_id: 'U0BOT' } };
  bot.slack.script('auth.test', lesser, lesser, lesser);
  const told = () =>
    bot.slack.calls.filter(({ fields }) => fields['text']?.includes('does not have these permissions'));
  const revoked = async () => bot.postJson(eventPayload({ type: 'tokens_revoked', tokens: { bot: ['U0BOT'] } }));
  await revoked();
  await bot.slack.until(() => told()[0]);
  expect(told()[0]?.fields['text']).toMatch(/channels:read and groups:read.*install the bot again/s);
  await revoked();
  bot.pass(dayMs);
  await revoked();
  await bot.slack.until(() => told()[1]);
  expect(told()).toHaveLength(2);
  expect(bot.log.messages().filter((text) => text.includes('lacks permissions'))).toHaveLength(2);
  expect(bot.bot.notes()).toContainEqual(expect.stringMatching(/missing in 1 of .*: channels:read and groups:read$/));
  await bot.install();
  expect(bot.bot.notes().join()).not.toContain('missing in');
});

test('a new version that needs further scopes reports at its start which installations lack them', async () => {
  const before = await startInstallBot();
  await before.install();
  const installation = await before.store.installations.find('T1');
  const tokens = await before.store.installations.openTokens('T1');
  if (!installation || !tokens) throw new Error('The installation was not stored.');
  await before.store.installations.save('T1', { ...installation, ...tokens, scopes: without('im:history') });
  // The daily check of this workspace is done for today.
  await before.store.idempotencyKeys.claim('T1', 'token check', dayMs);
  const headers = { 'x-oauth-scopes': without('im:history').join(',') };
  const after = await startInstallBot({
    store: before.store,
    prepare: ({ script }) => {
      script('auth.test', { headers, body: { ok: true, team_id: 'T1', user_id: 'U0BOT' } });
      // For the welcome, which the first bot could not send, and for the report.
      const direct = { body: { ok: true, channel: { id: 'D0ADMIN' } } };
      script('conversations.open', direct, direct);
    },
  });
  const { fields } = await after.slack.until(() =>
    after.slack.calls.find(({ fields }) => fields['text']?.includes('does not have these permissions')),
  );
  expect([fields['channel'], fields['text']]).toEqual(['D0ADMIN', expect.stringContaining('im:history')]);
  expect(after.bot.notes()).toContainEqual(expect.stringContaining('im:history'));
});

test('a bot token that lacks permissions is named at the start, with what is missing and what to do', async () => {
  const slack = await startFakeSlack();
  const headers = { 'x-oauth-scopes': without('files:write').join(',') };
  slack.script('auth.test', { headers, body: { ok: true, team_id: 'T0FAKE', user_id: 'U0BOT' } });
  const { bot, log } = createTestBot(slack);
  await bot.start();
  expect(log.text()).toMatch(/"missing":\["files:write"\].*OAuth & Permissions.*SLACK_BOT_TOKEN lacks permissions/);
  expect(bot.notes()).toEqual(['slack: SLACK_BOT_TOKEN lacks required permissions: files:write']);
  await bot.stop();
  await slack.close();
});
