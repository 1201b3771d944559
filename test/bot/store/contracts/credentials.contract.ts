/** Contract of the credentials on each engine. */
import { expect, it } from 'vitest';
import type { NewCredential } from '../../../../src/bot/store/repositories/credentials.ts';
import { openTestStore } from '../../../support/bot/store.ts';
import type { NewDatabase } from '../../../support/databases/engines.ts';

export const credential: NewCredential = {
  endpoint: 'https://service.example.com/graphql',
  apiKey: 'wfq_canary',
  keyHint: 'ends in nary',
  organizationId: 'org_harbor',
  organizationName: 'Harbor',
  connectedBy: 'UADA',
  connectedAt: 1000,
};

export function credentialsContract(newDatabase: NewDatabase): void {
  const open = async () => (await openTestStore(await newDatabase())).credentials;

  it('a credential is found again, frozen and without its key, which is decrypted separately', async () => {
    const all = await open();
    const connected = await all.connect('T1', credential);
    const { apiKey, ...facts } = credential;
    const health = { checkedAt: null, refusedSince: null, notifiedAt: null };
    expect(connected).toEqual({ ...facts, ...health, teamId: 'T1', version: expect.any(String) });
    expect(await all.find('T1')).toEqual(connected);
    expect(Object.isFrozen(connected)).toBe(true);
    expect(await all.openApiKey('T1')).toEqual({ endpoint: credential.endpoint, version: connected.version, apiKey });
    expect([await all.find('T2'), await all.openApiKey('T2')]).toEqual([undefined, undefined]);
  });

  it('the first refusal counts until the key is accepted again', async () => {
    const all = await open();
    const { version } = await all.connect('T1', credential);
    await all.markRefused('T1', version, 2000);
    await all.markRefused('T1', version, 3000);
    expect(await all.find('T1')).toMatchObject({ checkedAt: 3000, refusedSince: 2000 });
    await all.markAccepted('T1', version, 4000);
    expect(await all.find('T1')).toMatchObject({ checkedAt: 4000, refusedSince: null, notifiedAt: null });
  });

  it('a verdict about a replaced key changes nothing', async () => {
    const all = await open();
    const { version } = await all.connect('T1', credential);
    const present = await all.connect('T1', { ...credential, apiKey: 'wfq_other' });
    expect(await all.markRefused('T1', version, 2000)).toBe(false);
    expect(await all.markAccepted('T1', version, 2000)).toBe(false);
    expect(await all.find('T1')).toEqual(present);
  });

  it('the notice of a refusal is kept until the key is accepted', async () => {
    const all = await open();
    const { version } = await all.connect('T1', credential);
    const notifiedAt = async () => (await all.find('T1'))?.notifiedAt;
    await all.markNotified('T1', version, 3000);
    expect(await notifiedAt()).toBeNull();
    await all.markRefused('T1', version, 2000);
    await all.markNotified('T1', version, 3000);
    await all.markRefused('T1', version, 3500);
    expect(await notifiedAt()).toBe(3000);
    await all.markAccepted('T1', version, 4000);
    await all.markRefused('T1', version, 5000);
    expect(await notifiedAt()).toBeNull();
  });

  it('a disconnected workspace has no credential', async () => {
    const all = await open();
    await all.connect('T1', credential);
    expect([await all.disconnect('T1'), await all.disconnect('T1')]).toEqual([true, false]);
    expect([await all.find('T1'), await all.openApiKey('T1')]).toEqual([undefined, undefined]);
  });
}
