/** Runs with every test file: records the outgoing traffic of its process, and fails the file if it contains a secret. */
import { execFileSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { existsSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, expect } from 'vitest';
import { leave, leaveBit, secret, takeLeaks } from './canaries.ts';
import { fileIn } from './collected-bytes.ts';
import { watchDoors } from './recorded-traffic.ts';

afterAll(() => expect(takeLeaks(), 'places that hold a key or a token').toEqual([]));

const { close, prepare } = DatabaseSync.prototype;
watchOnce();

/** Several files may run in one process. */
function watchOnce(): void {
  const mark = Symbol.for('workflow-bot: secrets are looked for');
  if (mark in globalThis) return;
  Object.assign(globalThis, { [mark]: true });
  watchDoors({ secret, leaveBit });
  // Records the pages of the bot's databases when they are closed, which include deleted rows.
  DatabaseSync.prototype.close = function (this: Serializable) {
    if (isStore(this)) leaveDatabase(this);
    return close.call(this);
  };
}

/** Larger ones are not copied into memory. */
const databaseBytesMax = 64 * 1024 * 1024;

function leaveDatabase(database: Serializable): void {
  const file = database.location();
  const isSmall = file === null || statSync(file).size <= databaseBytesMax;
  if (isSmall) leave('the database', database.serialize());
  else for (const name of [file, `${file}-wal`]) if (existsSync(name)) leaveFile(name);
}

/** Copied by another process: if this one closed the file, it would lose its locks on it. */
function leaveFile(file: string): void {
  const copy = join(tmpdir(), `copy-${randomUUID()}`);
  execFileSync('cp', [file, copy]);
  const take = leaveBit('the database');
  for (const piece of fileIn(copy)) take(piece);
  rmSync(copy);
}

/** https://nodejs.org/docs/latest-v24.x/api/sqlite.html: the types do not have it yet. */
type Serializable = DatabaseSync & { readonly serialize: () => Uint8Array };

function isStore(database: DatabaseSync): boolean {
  // A test may replace `prepare`.
  return prepare.call(database, `select 1 from sqlite_master where name = 'store_migration'`).get() !== undefined;
}
