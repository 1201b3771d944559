/** Cache of a workspace's roles and settings. */
import { expect, it } from 'vitest';
import { createWorkspaceRulesCache } from '../../../../src/bot/commands/access/workspace-rules.ts';
import { defaultSettings } from '../../../../src/bot/domain/workspace-settings.ts';
import { testRights } from '../../../support/bot/authorise.ts';
import { testRuntime } from '../../../support/bot/runtime.ts';

it('a change by this process counts at once, a change by another within a minute', async () => {
  const { rules, store, grant, time } = await testRights();
  expect((await rules.of('T1')).granted.size).toBe(0);
  await grant('U1', 'operator');
  expect((await rules.of('T1')).granted.get('U1')).toBe('operator');
  // Like another process, without notice to this one.
  await store.roles.revoke('T1', 'U1');
  time.now += 59_999;
  expect((await rules.of('T1')).granted.get('U1')).toBe('operator');
  time.now += 1;
  expect((await rules.of('T1')).granted.get('U1')).toBeUndefined();
});

it('a cached workspace is not read again', async () => {
  const { rules } = await testRights();
  const first = await rules.of('T1');
  expect(await rules.of('T1')).toBe(first);
});

it('while the store is down the last known rules apply, and a workspace that is not cached is refused', async () => {
  const { rules, store, may, memberships, time, grant } = await testRights();
  memberships.set('U1', 'member');
  await grant('U1', 'operator');
  await rules.of('T1');
  await store.close();
  time.now += 3_600_000;
  expect((await may('U1', 'operator'))[0]).toBe('allowed');
  await expect(rules.of('T2')).rejects.toMatchObject({ code: 'unavailable', isRetryable: true });
});

it('the store is read again within seconds of coming back', async () => {
  const { store, time, log } = await testRights();
  let isDown = true;
  const read = async (teamId: string) => {
    if (isDown) throw new Error('the store is down');
    return store.settings.read(teamId);
  };
  const rules = createWorkspaceRulesCache(
    { ...store, settings: { ...store.settings, read } },
    testRuntime(() => time.now, log.log),
  );
  await expect(rules.of('T1')).rejects.toMatchObject({ code: 'unavailable' });
  isDown = false;
  time.now += 5_000;
  expect((await rules.of('T1')).settings).toEqual(defaultSettings);
});
