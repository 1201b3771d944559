/** Contract of deletion and of tampered rows on each engine. */
import { sql } from 'kysely';
import { expect, it } from 'vitest';
import { openDatabase } from '../../../../src/bot/store/database.ts';
import { tableKeys, tableNames } from '../../../../src/bot/store/tables.ts';
import { dayMs } from '../../../support/bot/outbox.ts';
import { openBeside, openTestStore, testKeys } from '../../../support/bot/store.ts';
import type { NewDatabase } from '../../../support/databases/engines.ts';
import { ages, fillWorkspace, rowsOf } from '../every-table.ts';
import { installation } from './installations.contract.ts';

export function workspaceDataContract(newDatabase: NewDatabase): void {
  async function filled() {
    const url = await newDatabase();
    const store = await openTestStore(url);
    for (const teamId of ['T1', 'T2']) await fillWorkspace(store, teamId);
    const database = await openDatabase(url, 'script');
    return { store, database, [Symbol.asyncDispose]: database.close };
  }

  it('every table has a row in this test, and its key is known', async () => {
    await using test = await filled();
    const tables = await test.database.db.introspection.getTables();
    expect(tables.map(({ name }) => name).sort()).toEqual([...tableNames, 'store_migration'].sort());
    const rows = await rowsOf(test.database.db);
    const countOf = (name: string) => rows.filter((row) => row.startsWith(`${name} `)).length;
    // Digests and threads share tables.
    expect(tableNames.filter((name) => countOf(name) !== 2)).toEqual(['delivery', 'posted_message']);
    expect([countOf('delivery'), countOf('posted_message')]).toEqual([4, 6]);
    for (const name of tableNames.filter((name) => name !== 'oauth_state')) expect(tableKeys[name][0]).toBe('team_id');
  });

  it('a deleted workspace leaves no row, and no other workspace loses one', async () => {
    await using test = await filled();
    const before = await rowsOf(test.database.db);
    await test.store.deleteWorkspace('T1');
    const after = await rowsOf(test.database.db);
    expect(after.filter((row) => row.includes('"T1"'))).toEqual([]);
    expect(after).toEqual(before.filter((row) => !row.includes('"T1"')));
  });

  it('an uninstalled workspace loses its secrets at once, and its other data later', async () => {
    await using test = await filled();
    const { store } = test;
    await store.installations.markUninstalled('T1', 6000);
    expect([await store.credentials.find('T1'), await store.settings.read('T1')]).toEqual([
      undefined,
      expect.objectContaining({ isRedacting: false }),
    ]);
    expect([await store.deleteUninstalled('T1', 6000), await store.deleteUninstalled('T1', 6001)]).toEqual([
      false,
      true,
    ]);
    const left = await rowsOf(test.database.db);
    expect(left.filter((row) => row.includes('"T1"'))).toEqual([]);
    expect(left.some((row) => row.includes('"T2"'))).toBe(true);
  });

  it('a workspace that was installed again in time is not deleted', async () => {
    await using test = await filled();
    const { store } = test;
    await store.installations.markUninstalled('T1', 6000);
    await store.installations.save('T1', { ...installation, installedAt: 7000 });
    expect(await store.deleteUninstalled('T1', 9000)).toBe(false);
    expect(await store.settings.read('T1')).toMatchObject({ isRedacting: false });
  });

  it('every table loses its rows at its age, and those that do not grow keep them', async () => {
    const url = await newDatabase();
    let now = 1000;
    const store = await openTestStore(url, testKeys(), () => now);
    await fillWorkspace(store, 'T1');
    await store.audit.add('T1', { at: 2000, userId: 'U1', action: 'connect', detail: {} });
    const db = await openBeside(url);
    await db.updateTable('delivery').set({ state: 'posted' }).execute();
    await db.updateTable('subscription').set({ removedAt: 1000 }).execute();
    const namesAt = async (time: number) => {
      now = time;
      await store.deleteExpired();
      return new Set((await rowsOf(db)).map((row) => row.split(' ')[0]));
    };
    const agedAt = (...kept: readonly string[]) => new Set(tableNames.filter((name) => kept.includes(ages[name])));
    expect(await namesAt(1999)).toEqual(new Set(tableNames));
    expect(await namesAt(2000)).toEqual(agedAt('90 days', '400 days', 'no growth'));
    expect(await namesAt(1000 + 90 * dayMs)).toEqual(agedAt('90 days', '400 days', 'no growth'));
    expect(await namesAt(1001 + 90 * dayMs)).toEqual(agedAt('400 days', 'no growth'));
    await namesAt(3000 + 400 * dayMs);
    expect((await store.audit.page('T1', 9)).map(({ number }) => number)).toEqual([2]);
  });

  it('no row contains a readable secret', async () => {
    await using test = await filled();
    const text = (await rowsOf(test.database.db)).join();
    expect(text).not.toMatch(/canary|state of|browser"/);
    expect(text).not.toContain(Buffer.from('canary').toString('base64url'));
  });

  it.each([
    [
      'envelopes of one workspace in the row of another',
      `update credential set api_key = (select api_key from credential where team_id = 'T2'), version = (select version from credential where team_id = 'T2') where team_id = 'T1'`,
    ],
    ['a key beside another endpoint', `update credential set endpoint = 'https://evil.example' where team_id = 'T1'`],
    ['a key of another version', `update credential set version = 'older' where team_id = 'T1'`],
    [
      'a key that is a token',
      `update credential set api_key = (select bot_token from installation where team_id = 'T1'), version = (select version from installation where team_id = 'T1') where team_id = 'T1'`,
    ],
  ])('%s does not open', async (_, statement) => {
    await using test = await filled();
    await sql.raw(statement).execute(test.database.db);
    await expect(test.store.credentials.openApiKey('T1')).rejects.toMatchObject({ code: 'internal' });
    expect(await test.store.credentials.openApiKey('T2')).toMatchObject({ apiKey: 'wfq_canary_T2' });
  });

  it('a bot token in the column of the refresh token does not open', async () => {
    await using test = await filled();
    await sql`update installation set refresh_token = bot_token`.execute(test.database.db);
    await expect(test.store.installations.openTokens('T1')).rejects.toMatchObject({ code: 'internal' });
  });
}
