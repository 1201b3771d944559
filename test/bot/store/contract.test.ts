/** Contract of the store on each engine. */
import { describe, expect, it } from 'vitest';
import { openStore } from '../../../src/bot/store/store.ts';
import { describeStores } from '../../support/bot/store.ts';
import { auditedChangeContract } from './contracts/audited-change.contract.ts';
import { credential, credentialsContract } from './contracts/credentials.contract.ts';
import { coordinationContract } from './contracts/deduplication.contract.ts';
import { installation, installationsContract } from './contracts/installations.contract.ts';
import { leasesContract } from './contracts/leases.contract.ts';
import { outboxContract } from './contracts/outbox.contract.ts';
import { planningContract } from './contracts/plan.contract.ts';
import { postPermitsContract } from './contracts/post-permits.contract.ts';
import { rulesContract } from './contracts/rules.contract.ts';
import { subscriptionsContract } from './contracts/subscriptions.contract.ts';
import { threadsContract } from './contracts/threads.contract.ts';
import { workspaceDataContract } from './contracts/workspace-data.contract.ts';

describeStores('the store', (newDatabase) => {
  describe('threads', () => threadsContract(async (clock) => openStore(await newDatabase(), { clock })));
  describe('installations', () => installationsContract(newDatabase));
  describe('credentials', () => credentialsContract(newDatabase));
  describe('rules', () => rulesContract(newDatabase));
  describe('changes with their audit entries', () => auditedChangeContract(newDatabase));
  describe('coordination', () => coordinationContract(newDatabase));
  describe('subscriptions', () => subscriptionsContract(newDatabase));
  describe('planning', () => planningContract(newDatabase));
  describe('the outbox', () => outboxContract(newDatabase));
  describe('the permits of a workspace', () => postPermitsContract(newDatabase));
  describe('a claimed occurrence', () => leasesContract(newDatabase));
  describe('a workspace’s data', () => workspaceDataContract(newDatabase));

  it('without a keyring stores no secret, names the command that makes one, and does everything else', async () => {
    const store = await openStore(await newDatabase());
    const refusal = { code: 'unavailable', hint: expect.stringContaining('npm run store:make-key') };
    await expect(store.credentials.connect('T1', credential)).rejects.toMatchObject(refusal);
    await expect(store.installations.save('T1', installation)).rejects.toMatchObject(refusal);
    expect([await store.credentials.find('T1'), await store.installations.find('T1')]).toEqual([undefined, undefined]);
    await store.settings.change('T1', { isRedacting: false }, 'U1', 1);
    await store.check();
    await store.close();
  });
});
