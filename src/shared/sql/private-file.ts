/** Restricts a SQLite file and its companions to their owner. */
import { chmodSync, closeSync, mkdirSync, openSync, statSync } from 'node:fs';
import { dirname } from 'node:path';

/** The file, its log, the log's index, a rollback journal, and the lock of the bot that uses it. */
const suffixes = ['', '-wal', '-shm', '-journal', '.lock'];
const othersCan = 0o077;
const everybodyCanWrite = 0o002;
const isSticky = 0o1000;

/**
 * Creates a missing file and folder, and removes other users' access to existing files. Files of an open database are
 * not opened here, because closing one of them would end SQLite's locks on it.
 * @param warn called with a sentence if other users could read it until now, or still can
 */
export function makePrivate(file: string, warn: (sentence: string) => void): void {
  const folder = dirname(file);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  createFile(file);
  if (process.platform === 'win32') return;
  for (const suffix of suffixes) tighten(`${file}${suffix}`, warn);
  const { mode } = statSync(folder);
  if ((mode & everybodyCanWrite) !== 0 && (mode & isSticky) === 0) {
    warn(`Every user of the machine can replace files in the folder ${folder}: chmod o-w ${folder}`);
  }
}

function createFile(file: string): void {
  try {
    closeSync(openSync(file, 'wx', 0o600));
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
  }
}

function tighten(path: string, warn: (sentence: string) => void): void {
  const mode = statSync(path, { throwIfNoEntry: false })?.mode ?? 0;
  if ((mode & othersCan) === 0) return;
  try {
    chmodSync(path, mode & ~othersCan & 0o777);
  } catch {
    // The code below warns that the mode is unchanged.
  }
  const isStill = ((statSync(path, { throwIfNoEntry: false })?.mode ?? 0) & othersCan) !== 0;
  warn(
    isStill
      ? `Other users of the machine can open ${path}. Run as its owner: chmod 600 ${path}`
      : `Other users of the machine could open ${path} until now; from now on its owner alone can`,
  );
}
