/** Contract of roles, settings and the audit on each engine. */
import { sql } from 'kysely';
import { expect, it } from 'vitest';
import { defaultSettings } from '../../../../src/bot/domain/workspace-settings.ts';
import { openDatabase } from '../../../../src/bot/store/database.ts';
import { openBeside, openTestStore, testKeys } from '../../../support/bot/store.ts';
import type { NewDatabase } from '../../../support/databases/engines.ts';

export function rulesContract(newDatabase: NewDatabase): void {
  const open = async () => openTestStore(await newDatabase());

  it('a role belongs to one person in one workspace, is replaced by the next one and can be revoked', async () => {
    const { roles } = await open();
    const grant = { userId: 'U1', role: 'operator', grantedBy: 'UADA', grantedAt: 1000 } as const;
    await roles.grant('T1', grant);
    expect([await roles.of('T1', 'U1'), await roles.of('T1', 'U2'), await roles.of('T2', 'U1')]).toEqual([
      'operator',
      undefined,
      undefined,
    ]);
    await roles.grant('T1', { ...grant, role: 'admin', grantedAt: 3000 });
    await roles.grant('T1', { ...grant, userId: 'U2', grantedAt: 2000 });
    expect((await roles.list('T1')).map(({ userId, role }) => [userId, role])).toEqual([
      ['U2', 'operator'],
      ['U1', 'admin'],
    ]);
    expect([await roles.revoke('T1', 'U1'), await roles.revoke('T1', 'U1')]).toEqual([true, false]);
    expect(await roles.of('T1', 'U1')).toBeUndefined();
  });

  it('a role that this version does not know gives no right', async () => {
    const url = await newDatabase();
    const { roles } = await openTestStore(url);
    const { db, close } = await openDatabase(url, 'script');
    await sql`insert into role values ('T1', 'U1', 'owner', 'U', 1)`.execute(db);
    await close();
    expect([await roles.of('T1', 'U1'), await roles.list('T1')]).toEqual([undefined, []]);
  });

  it('settings are the defaults until they are changed, in their own workspace', async () => {
    const { settings } = await open();
    expect(await settings.read('T1')).toEqual(defaultSettings);
    const changed = { ...defaultSettings, isRedacting: false };
    expect(await settings.change('T1', { isRedacting: false }, 'U1', 1000)).toEqual(changed);
    expect([await settings.read('T1'), await settings.read('T2')]).toEqual([changed, defaultSettings]);
  });

  it('concurrent changes of different settings are all kept', async () => {
    const { settings } = await open();
    for (const channel of ['C1', 'C2', 'C3', 'C4', 'C5', 'C6', 'C7', 'C8']) {
      const wanted = { readerChannels: [channel], logChannels: [channel, 'C9'] };
      const changes = Object.entries(wanted).map(([name, value]) => settings.change('T1', { [name]: value }, 'U1', 1));
      await Promise.all(changes);
      expect(await settings.read('T1')).toMatchObject(wanted);
    }
  });

  it('an invalid change is refused and changes nothing', async () => {
    const { settings } = await open();
    await settings.change('T1', { logChannels: ['C1'] }, 'U1', 1000);
    await expect(settings.change('T1', { logChannels: ['everywhere'] }, 'U1', 2000)).rejects.toMatchObject({
      code: 'internal',
    });
    expect(await settings.read('T1')).toEqual({ ...defaultSettings, logChannels: ['C1'] });
  });

  it('the audit is read newest first, page by page, without gaps after concurrent writes', async () => {
    const { audit } = await open();
    const add = (teamId: string, action: string) =>
      audit.add(teamId, { at: 1000, userId: 'U1', action, detail: { n: 1 } });
    await Promise.all([...Array.from({ length: 10 }, () => add('T1', 'connect')), add('T2', 'other')]);
    const first = await audit.page('T1', 7);
    const second = await audit.page('T1', 7, first.at(-1)?.number);
    expect([...first, ...second].map(({ number }) => number)).toEqual([10, 9, 8, 7, 6, 5, 4, 3, 2, 1]);
    expect(first[0]).toEqual({ number: 10, at: 1000, userId: 'U1', action: 'connect', detail: { n: 1 } });
    expect(await audit.firstBroken('T1')).toBeUndefined();
  });

  it.each([
    ['delete from audit where number = 2', 2],
    ['delete from audit where number = 1', 1],
    [`update audit set user_id = 'U9' where number = 3`, 3],
    [`update audit set detail = 'no facts' where number = 3`, 3],
    [`update audit set detail = 'null' where number = 3`, 3],
    [`update audit set detail = '{"a":{"b":1}}' where number = 3`, 3],
  ])('of the audit “%s” is noticed, and the rest can be read', async (statement, number) => {
    const url = await newDatabase();
    const { audit } = await openTestStore(url, testKeys(), () => 1);
    for (const action of ['a', 'b', 'c', 'd']) await audit.add('T1', { at: 1, userId: 'U1', action, detail: {} });
    const { db, close } = await openDatabase(url, 'script');
    await sql.raw(statement).execute(db);
    await close();
    expect(await audit.firstBroken('T1')).toBe(number);
    for (const { detail } of await audit.page('T1', 9)) expect(detail).toEqual({});
  });

  it('of the audit the newest expired entry stays, and one that is missing before it has expired is noticed', async () => {
    const url = await newDatabase();
    const dayMs = 86_400_000;
    const { audit, deleteExpired } = await openTestStore(url, testKeys(), () => 401 * dayMs);
    for (const day of [0, 0, 0, 2, 3])
      await audit.add('T1', { at: day * dayMs, userId: 'U1', action: 'a', detail: {} });
    const numbers = async () => (await audit.page('T1', 9)).map(({ number }) => number);
    await deleteExpired();
    expect([await numbers(), await audit.firstBroken('T1')]).toEqual([[5, 4, 3], undefined]);
    await (await openBeside(url)).deleteFrom('audit').where('number', '=', 3).execute();
    expect([await numbers(), await audit.firstBroken('T1')]).toEqual([[5, 4], 1]);
  });

  it('text that looks like a secret is masked in the audit', async () => {
    const { audit } = await open();
    await audit.add('T1', {
      at: 1,
      userId: 'U1',
      action: 'connect',
      detail: { key: 'xoxb-1234-canary', endpoint: 'https://x.example' },
    });
    const [entry] = await audit.page('T1', 1);
    expect(JSON.stringify(entry)).not.toContain('canary');
    expect(entry?.detail['endpoint']).toBe('https://x.example');
  });
}
