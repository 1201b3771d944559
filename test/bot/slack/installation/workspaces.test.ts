/** Many workspaces in one process: the token of each, and the answer to workspaces without the bot. */
import { expect, test } from 'vitest';
import { InstallationRegistry } from '../../../../src/bot/slack/installation/registry.ts';
import { publicUrl, startInstallBot, tokenUsedIn } from '../../../support/slack/installing.ts';
import { commandPayload } from '../../../support/slack/slack-payloads.ts';

const inT1 = { team: { id: 'T1', name: 'Acme' }, access_token: 'xoxb-of-t1' };
const inT2 = { team: { id: 'T2', name: 'Globex' }, access_token: 'xoxb-of-t2' };

test('in each workspace the bot uses that workspace’s token', async () => {
  const bot = await startInstallBot();
  await bot.install(inT1);
  await bot.install(inT2);
  const tokens = [await tokenUsedIn(bot, 'T2'), await tokenUsedIn(bot, 'T1'), await tokenUsedIn(bot, 'T2')];
  expect(tokens).toEqual(['xoxb-of-t2', 'xoxb-of-t1', 'xoxb-of-t2']);
  expect(bot.requests.map(({ actor }) => actor.teamId)).toEqual(['T2', 'T1', 'T2']);
});

test('a command from a workspace without the bot is answered with the installation address', async () => {
  const bot = await startInstallBot();
  await bot.install(inT1);
  const { text } = await bot.post(commandPayload(bot.slack, 'list', { team_id: 'T2' }));
  expect(text).toContain('not installed in this workspace');
  expect(text).toContain(`${publicUrl}/slack/install`);
  expect(bot.requests).toEqual([]);
});

test('a new installation is served at once, and a repeated one with its new token', async () => {
  const bot = await startInstallBot();
  await bot.post(commandPayload(bot.slack, 'list', { team_id: 'T1' }));
  await bot.install(inT1);
  expect(await tokenUsedIn(bot, 'T1')).toBe('xoxb-of-t1');
  await bot.install({ ...inT1, access_token: 'xoxb-anew' });
  expect(await tokenUsedIn(bot, 'T1')).toBe('xoxb-anew');
});

test('while the store is down, workspaces served within the last minute still are, and others are asked to wait', async () => {
  const bot = await startInstallBot();
  await bot.install(inT1);
  await bot.install(inT2);
  await tokenUsedIn(bot, 'T1');
  await bot.store.close();
  expect((await bot.post(commandPayload(bot.slack, 'fine', { team_id: 'T1' }))).text).toContain('You typed fine');
  const words = 'cannot look up your workspace right now';
  expect((await bot.post(commandPayload(bot.slack, 'fine', { team_id: 'T2' }))).text).toContain(words);
  bot.pass(60_000);
  expect((await bot.post(commandPayload(bot.slack, 'fine', { team_id: 'T1' }))).text).toContain(words);
});

test('a store that never answers delays no answer', async () => {
  const never = () => new Promise<never>(() => {});
  const registry = new InstallationRegistry({
    source: { find: never, current: never, renew: never, saveGrant: never },
    clients: {
      of: () => {
        throw new Error('Nothing is asked.');
      },
    },
    clock: () => 0,
    timeoutMs: 1,
  });
  await expect(registry.find('T1')).rejects.toThrow('not found in time');
});

test('a team id that is a property name of JavaScript or a path belongs to no workspace', async () => {
  const bot = await startInstallBot();
  for (const team_id of ['__proto__', 'constructor', '../../etc/passwd', '', 'T1 ']) {
    const { text } = await bot.post(commandPayload(bot.slack, 'list', { team_id }));
    expect(text).toContain('not installed in this workspace');
  }
});

test('an event for an app other than the installed one runs nothing', async () => {
  const bot = await startInstallBot();
  await bot.install({ ...inT1, app_id: 'A1' });
  const send = async (app: string) =>
    (await bot.post(commandPayload(bot.slack, 'list', { team_id: 'T1', api_app_id: app }))).text;
  expect([await send('A2'), await send('A1')]).toEqual([
    expect.stringContaining('meant for another app'),
    expect.stringContaining('You typed list'),
  ]);
  expect(bot.requests).toHaveLength(1);
});
