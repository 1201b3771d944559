/** Contract of changes with their audit entries on each engine. */
import { expect, it } from 'vitest';
import { createAuditLog } from '../../../../src/bot/store/audit-recorder.ts';
import type { Store, StoreStep } from '../../../../src/bot/store/store.ts';
import { due, plan } from '../../../support/bot/outbox.ts';
import { testRuntime } from '../../../support/bot/runtime.ts';
import { openTestStore } from '../../../support/bot/store.ts';
import type { NewDatabase } from '../../../support/databases/engines.ts';
import { createMemoryLog } from '../../../support/runner/memory-log.ts';
import { credential } from './credentials.contract.ts';
import { installation } from './installations.contract.ts';

const ada = { teamId: 'T1', userId: 'UADA' };
const by = { userId: 'UADA', at: 1 };
const occurrence = { occurrenceId: 'now', dueAt: 1, window: { from: 0, to: 1 }, state: 'due', isLate: false } as const;

/** Each change of the store that has an audit entry, after the store is prepared; `id` is that of a subscription. */
const changes: Readonly<Record<string, (step: StoreStep, id: string) => Promise<unknown>>> = {
  'an installation': ({ installations }) => installations.save('T1', { ...installation, installedAt: 9000 }),
  'a workspace of an organization': ({ installations }) => installations.saveGrant('E1', 'T2', 1),
  'an uninstallation': ({ installations }) => installations.markUninstalled('T1', 9000),
  'a role': ({ roles }) => roles.grant('T1', { userId: 'U1', role: 'admin', grantedBy: 'UADA', grantedAt: 1 }),
  'a setting': ({ settings }) => settings.change('T1', { isRedacting: false }, 'UADA', 1),
  'a new key': ({ credentials }) => credentials.connect('T1', { ...credential, connectedAt: 9000 }),
  'a removed key': ({ credentials }) => credentials.disconnect('T1'),
  'a new digest': ({ subscriptions }) => subscriptions.create('T1', plan, by, due),
  'a changed digest': ({ subscriptions }, id) => subscriptions.change('T1', id, { ...plan, channelId: 'C2' }, due),
  'a paused digest': ({ subscriptions }, id) => subscriptions.pause('T1', id, { reason: 'person', at: 1, by: 'UADA' }),
  'a removed digest': ({ subscriptions }, id) => subscriptions.remove('T1', id),
  'a requested digest': ({ outbox }, id) => outbox.add('T1', id, occurrence),
};

async function factsOf({ installations, roles, settings, credentials, subscriptions, outbox, audit }: Store) {
  const found = await Promise.all(['T1', 'T2'].map(installations.find));
  const own = [await roles.list('T1'), await settings.read('T1'), await credentials.find('T1')];
  return [found, own, await subscriptions.list('T1'), await outbox.page('T1', 9), await audit.page('T1', 9)];
}

export function auditedChangeContract(newDatabase: NewDatabase): void {
  const open = async () => {
    const store = await openTestStore(await newDatabase());
    const { log, messages } = createMemoryLog();
    const { audited } = createAuditLog(
      store,
      testRuntime(() => 5, log),
    );
    await store.installations.save('T1', installation);
    await store.installations.save('E1', { ...installation, enterpriseId: 'E1', isEnterpriseInstall: true });
    await store.credentials.connect('T1', credential);
    const { id } = await store.subscriptions.create('T1', plan, by, due);
    return { store, audited, messages, id };
  };

  it.each(Object.entries(changes))('%s and its audit entry are stored together, or neither is', async (_, change) => {
    const { store, audited, messages, id } = await open();
    const before = await factsOf(store);
    const changing = audited(async (step, record) => {
      await change(step, id);
      await record(ada, 'settings changed');
      throw new Error('stopped');
    });
    await expect(changing).rejects.toThrow('stopped');
    expect([await factsOf(store), messages()]).toEqual([before, []]);
    await audited(async (step, record) => {
      await record(ada, 'settings changed');
      return change(step, id);
    });
    const [after, written] = [(await factsOf(store)).slice(0, -1), await store.audit.page('T1', 9)];
    expect(after).not.toEqual(before.slice(0, -1));
    expect([written, messages()]).toMatchObject([[{ number: 1, at: 5, userId: 'UADA' }], ['audit entry written']]);
  });

  it('simultaneous changes leave an intact log', async () => {
    const { store, audited } = await open();
    const changing = Array.from({ length: 8 }, (_, index) =>
      audited(async ({ roles }, record) => {
        await roles.grant('T1', { userId: `U${index}`, role: 'operator', grantedBy: 'UADA', grantedAt: 1 });
        await record(ada, 'role granted', { to: `U${index}` });
      }),
    );
    await Promise.all(changing);
    const numbers = (await store.audit.page('T1', 9)).map(({ number }) => number);
    expect([numbers, await store.audit.firstBroken('T1')]).toEqual([[8, 7, 6, 5, 4, 3, 2, 1], undefined]);
  });
}
