/** Loads the master keys from the source that the settings name. A keyring file is read again when it changes, so that a rotation needs no restart. */

import { closeSync, fstatSync, openSync, readFileSync, type Stats, statSync } from 'node:fs';
import { AppError } from '../../../shared/errors.ts';
import type { Logger } from '../../../shared/log/logger.ts';
import type { KeyProvider } from './envelope.ts';
import { createKeyProvider, type Keyring, parseKeyring } from './keyring.ts';

export type KeyringSource =
  | { readonly kind: 'file'; readonly path: string }
  /** Text of an environment variable. */
  | { readonly kind: 'text'; readonly text: string };

/**
 * @returns undefined without a keyring; no secret can be stored then
 * @throws AppError that says what is wrong with the keyring
 */
export function loadKeys(source: KeyringSource | undefined, log: Pick<Logger, 'warn'>): KeyProvider | undefined {
  if (source === undefined) return undefined;
  if (source.kind === 'text') {
    const keyring = parseKeyring(source.text, 'ENCRYPTION_KEYS');
    return createKeyProvider(() => keyring);
  }
  const { path } = source;
  const file = openKeyringFile(path, (err) => {
    log.warn({ err, path }, 'the keyring was changed and cannot be used; the keys that were read before stay in use');
  });
  if (file.isGroupReadable) log.warn({ path }, 'the keyring can be read by its group');
  return createKeyProvider(file.read);
}

export type KeyringFile = {
  /** @returns the current keyring; the last valid one if the file became invalid */
  readonly read: () => Keyring;
  /** True if the group of the file can read it. */
  readonly isGroupReadable: boolean;
};

const bytesMax = 65_536;
const othersCan = 0o007;
const groupCanWrite = 0o020;
const groupCanRead = 0o040;

/**
 * @param onProblem called once for each change to an invalid file
 * @throws AppError `unavailable` for a file that cannot be read or that others could read or change, `usage` for its content
 */
export function openKeyringFile(path: string, onProblem: (error: unknown) => void): KeyringFile {
  let stamp = stampOf(path);
  const { text, stats } = readKeyringFile(path);
  let keyring = parseKeyring(text, path);
  const read = () => {
    const present = stampOf(path);
    if (present === stamp) return keyring;
    stamp = present;
    try {
      keyring = parseKeyring(readKeyringFile(path).text, path);
    } catch (error) {
      onProblem(error);
    }
    return keyring;
  };
  return { read, isGroupReadable: (stats.mode & groupCanRead) !== 0 };
}

/** @returns a text that changes with the file; empty if the file is missing or cannot be read */
function stampOf(path: string): string {
  try {
    const { mtimeMs, size, ino, mode } = statSync(path);
    return [mtimeMs, size, ino, mode].join();
  } catch {
    return '';
  }
}

/** Checks the open file, so that it cannot be replaced between the check and the read. @throws AppError `unavailable` */
export function readKeyringFile(path: string): { readonly text: string; readonly stats: Stats } {
  const file = openFile(path);
  try {
    const stats = fstatSync(file);
    if (!stats.isFile() || stats.size > bytesMax)
      throw unusable(path, 'is not a keyring', 'npm run store:make-key makes one.');
    refuseOthers(path, stats);
    return { text: readFileSync(file, 'utf8'), stats };
  } finally {
    closeSync(file);
  }
}

function openFile(path: string): number {
  try {
    return openSync(path, 'r');
  } catch (cause) {
    const isMissing = cause instanceof Error && 'code' in cause && cause.code === 'ENOENT';
    const problem = isMissing ? 'does not exist' : 'cannot be read by this user';
    throw unusable(
      path,
      problem,
      isMissing ? 'npm run store:make-key makes one.' : 'It should belong to the bot’s user.',
      cause,
    );
  }
}

function refuseOthers(path: string, { mode }: Stats): void {
  if (process.platform === 'win32') return;
  const command = `chmod 600 ${path} fixes it; if others may have read it, rotate the keys.`;
  if ((mode & othersCan) !== 0) throw unusable(path, 'is open to every user of the machine', command);
  if ((mode & groupCanWrite) !== 0) throw unusable(path, 'can be changed by its group', command);
}

function unusable(path: string, problem: string, hint: string, cause?: unknown): AppError {
  return new AppError('unavailable', `The keyring ${path} ${problem}.`, { hint, cause });
}
