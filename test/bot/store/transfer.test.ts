/** Backup and restore of a consistent snapshot, on and between both engines. */

import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openThread, someThread } from '../../support/bot/outbox.ts';
import { openBeside, openTestStore, restoreInto } from '../../support/bot/store.ts';
import { describeEngines, describePostgres, newFolder, newSqlite } from '../../support/databases/engines.ts';
import { useProgramsInTurn } from '../../support/programs/in-turn.ts';
import { expectRefused, keys, linesOf, odd, openFull, spoilt } from './backups.ts';
import { rowsOf } from './every-table.ts';

describeEngines('a backup', (newDatabase, engine) => {
  it('restores every row, and its secrets open', async () => {
    const [url, other] = [await newDatabase(), await newDatabase()];
    await openFull(url);
    const lines = await linesOf(url);
    expect(await restoreInto(other, lines)).toBe(lines.length - 2);
    expect(await rowsOf(await openBeside(other))).toEqual(await rowsOf(await openBeside(url)));
    const restored = await openTestStore(other, keys);
    expect(await restored.credentials.openApiKey('T2')).toMatchObject({ apiKey: 'wfq_canary_T2' });
    expect(await restored.audit.firstBroken('T1')).toBeUndefined();
    expect((await restored.audit.page('T1', 1))[0]?.action).toBe(odd);
  });

  it('is a snapshot: later writes are not in it', async () => {
    const url = await newDatabase();
    const store = await openFull(url);
    const before = await rowsOf(await openBeside(url));
    const lines = await linesOf(url, () => store.deleteWorkspace('T2'));
    expect(lines).toHaveLength(before.length + 2);
    expect(await store.installations.find('T2')).toBeUndefined();
  });

  it('contains no readable secret', async () => {
    const url = await newDatabase();
    await openFull(url);
    expect((await linesOf(url)).join()).not.toMatch(/canary|state of/);
  });

  it('of an older version is migrated', async () => {
    const url = await newDatabase();
    const thread = {
      team_id: 'T1',
      channel_id: 'C1',
      subject: 'e1',
      root_ts: '1.1',
      is_final: 1,
      claimed_until: 0,
      opened_at: 7,
    };
    const begin = { format: 'workflow-bot store 1', step: '0001-threads', at: '' };
    await restoreInto(
      url,
      [begin, { table: 'thread', row: thread }, { rows: 1 }].map((line) => JSON.stringify(line)),
    );
    const claim = await openThread(await openTestStore(url), someThread);
    expect(claim).toMatchObject({ kind: 'final', delivery: { messages: [{ name: 'root', ts: '1.1', attempts: 1 }] } });
  });

  it('can be restored only into an empty store', async () => {
    const url = await newDatabase();
    await (await openFull(url)).close();
    const lines = await linesOf(url);
    await expect(restoreInto(url, lines)).rejects.toMatchObject({ message: 'The bot’s database is not empty.' });
  });

  // Refused by the engine, or after some rows; transfer.long.test.ts has the others on PostgreSQL.
  const onServer = ['was cut short', 'has a row twice', 'has a column of no table'];
  it.each(spoilt.filter(([name]) => engine === 'SQLite' || onServer.includes(name)))(
    'that %s is refused, and the store stays empty',
    (_, spoil, problem) => expectRefused(newDatabase, spoil, problem),
  );
});

describePostgres('a store on SQLite', (newPostgres) => {
  it('moves to PostgreSQL and back without a change of a byte', async () => {
    const [first, second, third] = [await newSqlite(), await newPostgres(), await newSqlite()];
    await openFull(first);
    const lines = await linesOf(first);
    await restoreInto(second, lines);
    expect(await linesOf(second)).toEqual(lines);
    await restoreInto(third, await linesOf(second));
    expect(await linesOf(third)).toEqual(lines);
  });
});

describe('the scripts', () => {
  const run = useProgramsInTurn();
  const script = (name: string, environment: Readonly<Record<string, string>>, ...args: readonly string[]) =>
    run({ entry: `src/bin/store-${name}.ts`, args, environment });

  it('back up beside the bot into a file that only its owner can read, never replace it, and restore from it', async () => {
    const [url, other, file] = [await newSqlite(), await newSqlite(), join(newFolder(), 'backup.jsonl')];
    await openFull(url);
    const backup = await script('backup', { DATABASE_URL: url }, file);
    expect([backup.code, statSync(file).mode & 0o777]).toEqual([0, 0o600]);
    expect(backup.output).toMatch(/^\d+ rows are in .*the keyring, which is not/);
    const text = readFileSync(file, 'utf8');
    expect((await script('backup', { DATABASE_URL: url }, file)).code).toBe(1);
    expect(readFileSync(file, 'utf8')).toBe(text);
    const restored = await script('restore', { DATABASE_URL: other }, file);
    expect([restored.code, restored.output]).toEqual([0, expect.stringMatching(/^\d+ rows are restored/)]);
    expect(await rowsOf(await openBeside(other))).toEqual(await rowsOf(await openBeside(url)));
  });

  it('do not restore while the bot is running', async () => {
    const [url, file] = [await newSqlite(), join(newFolder(), 'backup.jsonl')];
    const store = await openTestStore(url);
    await store.check();
    writeFileSync(file, '');
    const restored = await script('restore', { DATABASE_URL: url }, file);
    expect([restored.code, restored.output]).toEqual([
      1,
      expect.stringContaining('Another process is using the database file'),
    ]);
  });

  it.each([
    ['rotate-keys', [], 'There is no keyring'],
    ['backup', ['b.jsonl'], 'Start the bot once'],
    ['restore', ['none.jsonl'], 'none.jsonl cannot be read'],
  ])('fail in one sentence without their settings: %s', async (name, args, sentence) => {
    const url = await newSqlite();
    if (name === 'rotate-keys') await (await openTestStore(url)).close();
    const { code, output } = await script(name, { DATABASE_URL: url }, ...args);
    expect([code, output]).toEqual([1, expect.stringContaining(sentence)]);
    expect(output).not.toContain('    at ');
  });

  it('refuse an option where they take a file, and make no file with its name', async () => {
    const folder = newFolder();
    expect(await run({ entry: 'src/bin/store-make-key.ts', args: ['--help'], folder })).toMatchObject({ code: 2 });
    expect(readdirSync(folder)).toEqual([]);
  });

  it('create a keyring, and name the setting and the next steps', async () => {
    const path = join(newFolder(), 'keys', 'ring');
    const first = await script('make-key', {}, path);
    expect([first.code, first.output]).toEqual([0, expect.stringContaining(`Set ENCRYPTION_KEYS_FILE=${path}`)]);
    const second = await script('make-key', { ENCRYPTION_KEYS_FILE: path });
    expect([second.code, second.output]).toEqual([0, expect.stringContaining('store:rotate-keys')]);
    const secrets = readFileSync(path, 'utf8')
      .trim()
      .split('\n')
      .map((line) => line.split(':')[1] ?? '');
    expect(secrets).toHaveLength(2);
    for (const secret of secrets) expect(first.output + second.output).not.toContain(secret);
  });
});
