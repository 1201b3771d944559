/** The bot's store on SQLite. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openStore } from '../../src/store/store.ts';
import { threadsContract } from './threads.contract.ts';

function folder(): string {
  const path = mkdtempSync(join(tmpdir(), 'store-'));
  onTestFinished(() => rmSync(path, { recursive: true }));
  return path;
}

describe('threads on SQLite', () => threadsContract(() => openStore('sqlite::memory:')));

it('survives a restart', async () => {
  const url = `sqlite:${join(folder(), 'deep', 'bot.db')}`;
  const key = { teamId: 'T1', channelId: 'C1', subject: 'e1' };
  const first = await openStore(url);
  const claim = await first.threads.claim(key, 1000, 1000);
  if (claim.kind === 'mine') await claim.hold.saveRoot('1.1', false);
  await first.close();
  const second = await openStore(url);
  expect(await second.threads.claim(key, 5000, 1000)).toMatchObject({ kind: 'mine', thread: { rootTs: '1.1' } });
  await second.close();
});

it('that cannot be opened names the file and the setting', async () => {
  const file = join(folder(), 'bot.db');
  writeFileSync(
    file,
    'this is no database, and longer than a header of one would be, so that nothing is guessed'.repeat(20),
  );
  await expect(openStore(`sqlite:${file}`)).rejects.toMatchObject({
    code: 'unavailable',
    hint: expect.stringContaining('DATABASE_URL'),
  });
});

it('is SQLite until PostgreSQL is supported, and says so', async () => {
  await expect(openStore('postgres://localhost/bot')).rejects.toMatchObject({ code: 'usage' });
});
