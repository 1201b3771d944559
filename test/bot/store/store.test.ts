/** Opening of the store, and its refusals. */
import { statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import { openDatabase } from '../../../src/bot/store/database.ts';
import { migrationNames } from '../../../src/bot/store/migrations.ts';
import { openStore } from '../../../src/bot/store/store.ts';
import { beginThread, openThread, someThread } from '../../support/bot/outbox.ts';
import { openBeside } from '../../support/bot/store.ts';
import { describeEngines, describePostgres, newFolder } from '../../support/databases/engines.ts';
import { startProgram } from '../../support/programs/program.ts';

const startBot = (url: string) => startProgram({ entry: 'test/support/programs/open-store.ts', args: [url] });

describeEngines('a store', (newDatabase) => {
  it('survives a restart', async () => {
    const url = await newDatabase();
    const first = await openStore(url, { clock: () => 1000 });
    await beginThread(first, { forMs: 1000, posted: { root: '1.1' } });
    await first.close();
    const second = await openStore(url, { clock: () => 5000 });
    expect((await beginThread(second)).messages).toMatchObject([{ name: 'root', ts: '1.1' }]);
    await second.close();
  });

  it('process/version-downgrade: of a newer version is refused with the version to start instead', async () => {
    const url = await newDatabase();
    const { db, close } = await openDatabase(url, 'bot');
    await sql`insert into store_migration (name, timestamp) values ('9999-later', '2030-01-01T00:00:00Z')`.execute(db);
    await close();
    await expect(openStore(url)).rejects.toMatchObject({
      message: expect.stringContaining('newer version'),
      hint: expect.stringContaining('newer one'),
    });
  });

  it.each(['bot_token', 'refresh_token'])(
    'with plain text in %s is refused without repeating the text',
    async (column) => {
      const url = await newDatabase();
      const { db, close } = await openDatabase(url, 'bot');
      const names = sql`team_id, is_enterprise_install, bot_user_id, scopes, installed_by, installed_at, version`;
      await sql`insert into installation (${names}, ${sql.ref(column)}) values ('T7', 0, 'U', '', 'U', 1, 'v', 'xoxb-canary')`.execute(
        db,
      );
      await close();
      const refusal = await openStore(url).catch((error: unknown) => error);
      expect(refusal).toMatchObject({ message: expect.stringMatching(`T7 has plain text in installation.${column}`) });
      expect(JSON.stringify(refusal)).not.toContain('canary');
    },
  );

  it('without tables, or with older ones, is refused to a script', async () => {
    await expect(openDatabase(await newDatabase(), 'script')).rejects.toMatchObject({
      hint: expect.stringContaining('Start the bot once'),
    });
  });

  it('can be used by a script beside the bot', async () => {
    const url = await newDatabase();
    const store = await openStore(url);
    const script = await openDatabase(url, 'script');
    await script.db
      .insertInto('delivery')
      .values({
        ...{ teamId: 'T1', kind: 'thread', subject: 'e1', occurrenceId: 'C1', channelId: 'C1' },
        ...{ dueAt: 1, claimableAt: 0, state: 'posted' },
      })
      .execute();
    expect((await openThread(store, someThread)).kind).toBe('final');
    await script.close();
    await store.close();
  });
});

describe('a store on SQLite', () => {
  it('process/split-brain-store: is open in one process at a time, under every name, until that is killed; the others give the reason', async () => {
    const folder = newFolder();
    const url = `sqlite:${join(folder, 'bot.db')}`;
    const together = [startBot(url), startBot(url)];
    await Promise.all(together.map(({ said }) => said(/\n/)));
    const [first, ...others] = together.filter(({ output }) => output() === 'open\n');
    expect(others).toEqual([]);
    const refused = /Another process is using the database file\. Stop it/;
    expect(together.filter(({ output }) => refused.test(output()))).toHaveLength(1);
    symlinkSync(join(folder, 'bot.db'), join(folder, 'link.db'));
    await startBot(`sqlite:${join(folder, 'link.db')}`).said(refused);
    first?.child.kill('SIGKILL');
    await first?.ended;
    await startBot(url).said(/open/);
  });

  it('is readable only by its owner, like the other files of SQLite', async () => {
    const folder = newFolder();
    const store = await openStore(`sqlite:${join(folder, 'bot.db')}`);
    const modes = ['bot.db', 'bot.db-wal', 'bot.db-shm'].map((name) => statSync(join(folder, name)).mode & 0o777);
    await store.close();
    expect(modes).toEqual([0o600, 0o600, 0o600]);
  });

  it('that cannot be opened is refused with the file and the setting', async () => {
    const file = join(newFolder(), 'bot.db');
    writeFileSync(
      file,
      'this is no database, and longer than a header of one would be, so that nothing is guessed'.repeat(20),
    );
    await expect(openStore(`sqlite:${file}`)).rejects.toMatchObject({
      code: 'unavailable',
      message: expect.stringContaining(file),
      hint: expect.stringContaining('DATABASE_URL'),
    });
  });
});

describePostgres('a store on PostgreSQL', (newDatabase) => {
  it('is migrated once by any number of bots that start together', async () => {
    const url = await newDatabase();
    const stores = await Promise.all(Array.from({ length: 8 }, () => openStore(url)));
    const { rows } = await sql<{ name: string }>`select name from store_migration`.execute(await openBeside(url));
    expect(rows.map(({ name }) => name).sort()).toEqual(migrationNames);
    await Promise.all(stores.map((store) => store.close()));
  });

  it.each([
    ['of a database that does not exist', { pathname: '/nowhere' }, 'no database of that name'],
    ['of a person who is unknown', { username: 'nobody' }, 'refused the user'],
  ])('at an address %s is refused with the problem, without the password', async (_, change, problem) => {
    const url = Object.assign(new URL(await newDatabase()), { password: 'canary', ...change }).href;
    const refusal = await openStore(url).catch((error: unknown) => error);
    expect(refusal).toMatchObject({ code: 'unavailable', message: expect.stringContaining(problem) });
    expect(String(refusal)).not.toContain('canary');
  });
});

it.each(['mysql://localhost/bot', 'data/bot.db', 'postgres:'])(
  'the address %s is refused with the accepted forms',
  async (url) => {
    await expect(openStore(url)).rejects.toMatchObject({
      code: 'usage',
      message: expect.stringContaining('sqlite:<file>'),
    });
  },
);

it('a store on a server that does not answer is refused', async () => {
  await expect(openStore('postgres://bot:canary@127.0.0.1:1/bot')).rejects.toMatchObject({
    code: 'unavailable',
    message: 'The database postgres://127.0.0.1:1/bot cannot be used. The database does not answer.',
  });
});
