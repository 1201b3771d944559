/** What every engine owes a workspace that goes, and one whose rows were tampered with. */
import { sql } from 'kysely';
import { expect, it } from 'vitest';
import { type Database, openDatabase } from '../../src/store/database.ts';
import type { Store } from '../../src/store/store.ts';
import { tableKeys, tableNames } from '../../src/store/table-keys.ts';
import type { NewDatabase } from '../support/engines.ts';
import { openTestStore } from '../support/store.ts';
import { credential } from './credentials.contract.ts';
import { installation } from './installations.contract.ts';

/** Puts a row into every table. */
async function fill(store: Store, teamId: string): Promise<void> {
  const claim = await store.threads.claim({ teamId, channelId: 'C1', subject: 'e1' }, 1000, 1000);
  if (claim.kind === 'mine') {
    await claim.hold.saveRoot('1.1', false);
    await claim.hold.saveReply('verdict', '1.2');
    await claim.hold.saveFile({ fileId: 'F1', reply: 'logs', name: 'logs.txt', digest: null });
  }
  await store.installations.save(teamId, { ...installation, botToken: `xoxb-canary-${teamId}` });
  await store.credentials.connect(teamId, { ...credential, apiKey: `wfq_canary_${teamId}` });
  await store.roles.grant(teamId, { userId: 'U1', role: 'admin', grantedBy: 'U1', grantedAt: 1 });
  await store.settings.change(teamId, { isRedacting: false }, 'U1', 1);
  await store.audit.add(teamId, { at: 1, userId: 'U1', action: 'connect', detail: {} });
  await store.seen.claim(teamId, 'Ev1', 1000, 1000);
  await store.leases.take(teamId, 'tokens', 1000, 1000);
  await store.oauthStates.begin(`state of ${teamId}`, 'browser', 2000);
}

/** @returns every row of every table, as text */
async function rowsOf({ db }: Database): Promise<readonly string[]> {
  const tables = await Promise.all(tableNames.map((name) => sql`select * from ${sql.table(name)}`.execute(db)));
  return tables.flatMap(({ rows }, index) => rows.map((row) => `${tableNames[index]} ${JSON.stringify(row)}`));
}

export function workspaceDataContract(newDatabase: NewDatabase): void {
  async function filled() {
    const url = await newDatabase();
    const store = await openTestStore(url);
    for (const teamId of ['T1', 'T2']) await fill(store, teamId);
    const database = await openDatabase(url, 'script');
    return { store, database, [Symbol.asyncDispose]: database.close };
  }

  it('every table has a row in this test, and its key is named', async () => {
    await using test = await filled();
    const tables = await test.database.db.introspection.getTables();
    expect(tables.map(({ name }) => name).sort()).toEqual([...tableNames, 'store_migration'].sort());
    const rows = await rowsOf(test.database);
    for (const name of tableNames) expect(rows.filter((row) => row.startsWith(`${name} `))).toHaveLength(2);
    for (const name of tableNames.filter((name) => name !== 'oauth_state')) expect(tableKeys[name][0]).toBe('team_id');
  });

  it('a workspace that is deleted leaves no row, and takes none of another', async () => {
    await using test = await filled();
    const before = await rowsOf(test.database);
    await test.store.deleteWorkspace('T1');
    const after = await rowsOf(test.database);
    expect(after.filter((row) => row.includes('T1'))).toEqual([]);
    expect(after).toEqual(before.filter((row) => !row.includes('"T1"')));
  });

  it('no row holds a secret that can be read', async () => {
    await using test = await filled();
    const text = (await rowsOf(test.database)).join();
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

  it('a bot token in the place of the refresh token does not open', async () => {
    await using test = await filled();
    await sql`update installation set refresh_token = bot_token`.execute(test.database.db);
    await expect(test.store.installations.openTokens('T1')).rejects.toMatchObject({ code: 'internal' });
  });
}
