/** A stored secret that cannot be decrypted is written to its workspace's audit and to the log once, whichever column it is in. */
import { sql } from 'kysely';
import { expect, it } from 'vitest';
import { type SealedColumn, sealedColumns } from '../../../../src/bot/store/secrets/secrets.ts';
import { describeStores, keyLine, openTestStore, testKeys } from '../../../support/bot/store.ts';
import { fillWorkspace } from '../every-table.ts';
import { everyChange, expectReportedOnce, fillTokens, prepare, put, watched } from './unreadable.ts';

describeStores('a stored secret', (newDatabase, engine) => {
  // The engine stores the text alone: unreadable.long.test.ts has the other changes on PostgreSQL.
  it.each(everyChange.filter(([, , name]) => engine === 'SQLite' || name === 'rolled back'))(
    '%s is reported once, to the workspace whose row it is',
    (_, at, name) => expectReportedOnce(newDatabase, at, name),
  );

  it('that is changed again after a replacement is reported again', async () => {
    const { store, db } = await prepare(newDatabase);
    const { open, reported, logged } = watched(store);
    for (const round of [1, 2, 3]) {
      await fillTokens(store);
      expect(await open('credential')).toBe('opened');
      await sql`update credential set version = ${`changed ${round}`} where team_id = 'T1'`.execute(db);
      for (let again = 0; again < 3; again += 1) await open('credential');
      expect([(await reported()).length, logged()]).toEqual([round, round]);
    }
  });

  it('under a lost key is reported differently from a changed one, with the name of the key', async () => {
    const [lost, kept] = [keyLine('lost'), keyLine('kept')];
    const { url, store } = await prepare(newDatabase, [lost]);
    expect(await store.missingKeys()).toEqual([]);
    await store.close();
    const later = await openTestStore(url, testKeys(kept));
    const { open, reported } = watched(later);
    for (const table of ['credential', 'credential', 'installation', 'installation'] as const) {
      expect(await open(table)).toMatchObject({ code: 'unavailable', message: expect.stringContaining('“lost”') });
    }
    const why = 'its encryption key “lost” is missing from the keyring';
    expect(await reported()).toMatchObject([
      { what: 'bot token', why },
      { what: 'API key', why },
    ]);
    expect(await later.missingKeys()).toEqual(['lost']);
  });

  it('under a missing key has that key reported as missing until it is back, also if other keys were used since', async () => {
    const [first, second] = [keyLine('first'), keyLine('second')];
    const { url, store, db } = await prepare(newDatabase, [first]);
    await put(db, sealedColumns[0] as SealedColumn, 'wb1.');
    await store.close();
    const later = await openTestStore(url, testKeys(second));
    await fillWorkspace(later, 'T3');
    expect(await later.missingKeys()).toEqual(['first']);
    await later.close();
    expect(await (await openTestStore(url, testKeys(second, first))).missingKeys()).toEqual([]);
  });
});
