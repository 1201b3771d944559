/** Contract of the installations on each engine. */

import { expect, it } from 'vitest';
import type { NewInstallation } from '../../../../src/bot/store/repositories/installations.ts';
import { openTestStore } from '../../../support/bot/store.ts';
import type { NewDatabase } from '../../../support/databases/engines.ts';
import { secret } from '../../../support/runner/canaries.ts';

export const installation: NewInstallation = {
  enterpriseId: null,
  isEnterpriseInstall: false,
  botUserId: 'UBOT',
  botId: 'B1',
  appId: 'A1',
  scopes: ['commands', 'chat:write'],
  installedBy: 'UADA',
  installedAt: 5000,
  botToken: secret('xoxb-canary-1'),
  refreshToken: secret('xoxe-canary-1'),
  tokenExpiresAt: 50_000,
};

const refreshed = { botToken: secret('xoxb-canary-2'), refreshToken: secret('xoxe-canary-2'), tokenExpiresAt: 90_000 };

export function installationsContract(newDatabase: NewDatabase): void {
  const open = async () => (await openTestStore(await newDatabase())).installations;

  it('an installation is found again, frozen and without its tokens, which are decrypted separately', async () => {
    const all = await open();
    await all.save('T1', installation);
    const found = await all.find('T1');
    const { botToken, refreshToken, ...facts } = installation;
    expect(found).toEqual({
      ...{ ...facts, teamId: 'T1', uninstalledAt: null, refusedSince: null },
      version: expect.any(String),
    });
    expect(Object.isFrozen(found) && Object.isFrozen(found?.scopes)).toBe(true);
    expect(await all.openTokens('T1')).toEqual({
      botToken,
      refreshToken,
      tokenExpiresAt: 50_000,
      version: found?.version,
    });
    expect([await all.find('T2'), await all.openTokens('T2')]).toEqual([undefined, undefined]);
  });

  it('two admins who install at once leave one complete installation', async () => {
    const all = await open();
    const tokens = ['a', 'b', 'c', 'd'].map((one) => ({
      ...installation,
      botToken: `xoxb-${one}`,
      refreshToken: `xoxe-${one}`,
    }));
    await Promise.all(tokens.map((one) => all.save('T1', one)));
    const { botToken = '', refreshToken } = (await all.openTokens('T1')) ?? {};
    expect(refreshToken).toBe(botToken.replace('xoxb', 'xoxe'));
    expect(await all.page('', 10)).toHaveLength(1);
  });

  it('one of several processes that refreshed the same tokens replaces them', async () => {
    const all = await open();
    await all.save('T1', installation);
    const version = (await all.find('T1'))?.version ?? '';
    const replaced = await Promise.all(Array.from({ length: 5 }, () => all.replaceTokens('T1', version, refreshed)));
    expect(replaced.filter(Boolean)).toHaveLength(1);
    expect(await all.openTokens('T1')).toMatchObject(refreshed);
  });

  it('tokens that do not expire have no refresh token', async () => {
    const all = await open();
    await all.save('T1', { ...installation, refreshToken: null, tokenExpiresAt: null });
    expect(await all.openTokens('T1')).toMatchObject({ refreshToken: null, tokenExpiresAt: null });
  });

  it('an uninstalled workspace has no tokens, gets none, and is marked until it is installed again', async () => {
    const all = await open();
    await all.save('T1', installation);
    const version = (await all.find('T1'))?.version ?? '';
    expect(await all.markUninstalled('T1', 6000)).toEqual(['T1']);
    expect(await all.markUninstalled('T1', 6500)).toEqual([]);
    expect(await all.replaceTokens('T1', version, refreshed)).toBe(false);
    expect(await all.find('T1')).toMatchObject({ uninstalledAt: 6000 });
    expect([await all.openTokens('T1'), await all.page('', 10)]).toEqual([undefined, []]);
    expect([await all.uninstalledBefore(6000), await all.uninstalledBefore(6001)]).toEqual([[], ['T1']]);
    await all.save('T1', { ...installation, installedAt: 7000 });
    expect(await all.find('T1')).toMatchObject({ uninstalledAt: null });
  });

  it('a workspace has the bot through its enterprise, without its own tokens, until the enterprise uninstalls it', async () => {
    const all = await open();
    const whole = { ...installation, enterpriseId: 'E1', isEnterpriseInstall: true };
    expect(await all.saveGrant('E1', 'T1', 5500)).toBe(false);
    await all.save('E1', whole);
    await all.save('T2', { ...installation, enterpriseId: 'E1' });
    expect(await all.saveGrant('E1', 'T1', 5500)).toBe(true);
    expect(await all.find('T1')).toMatchObject({ enterpriseId: 'E1', isEnterpriseInstall: true, installedAt: 5500 });
    expect(await all.openTokens('T1')).toBeUndefined();
    expect((await all.markUninstalled('E1', 6000)).toSorted()).toEqual(['E1', 'T1']);
    expect((await all.page('', 10)).map(({ teamId }) => teamId)).toEqual(['T2']);
    expect(await all.saveGrant('E1', 'T1', 6500)).toBe(false);
  });

  it('one of several processes stores a workspace of an organization, and one of several admins the first installation', async () => {
    const all = await open();
    const whole = { ...installation, enterpriseId: 'E1', isEnterpriseInstall: true };
    const five = (work: () => Promise<boolean>) => Promise.all(Array.from({ length: 5 }, work));
    const count = (answers: readonly boolean[]) => answers.filter(Boolean).length;
    expect(count(await five(() => all.save('E1', whole)))).toBe(1);
    expect(count(await five(() => all.saveGrant('E1', 'T1', 5500)))).toBe(1);
    expect(await all.markUninstalled('T1', 6000)).toEqual(['T1']);
    expect(count(await five(() => all.saveGrant('E1', 'T1', 6500)))).toBe(1);
    await all.save('T2', installation);
    expect(count(await five(() => all.saveGrant('E1', 'T2', 6500)))).toBe(0);
    expect(await all.openTokens('T2')).toMatchObject({ botToken: 'xoxb-canary-1' });
  });

  it('a late uninstall event does not change a newer installation', async () => {
    const all = await open();
    await all.save('T1', installation);
    expect(await all.markUninstalled('T1', 4999)).toEqual([]);
    expect(await all.openTokens('T1')).toMatchObject({ botToken: 'xoxb-canary-1' });
  });

  it('pages contain each installation once', async () => {
    const all = await open();
    for (const teamId of ['T3', 'T1', 'T2']) await all.save(teamId, installation);
    const first = await all.page('', 2);
    const second = await all.page(first.at(-1)?.teamId ?? '', 2);
    expect([first, second].map((page) => page.map(({ teamId }) => teamId))).toEqual([['T1', 'T2'], ['T3']]);
  });
}
