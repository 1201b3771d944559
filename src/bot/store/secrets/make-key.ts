/** Makes a keyring, or adds a new first key to an existing one. */
import { randomBytes } from 'node:crypto';
import { chmodSync, chownSync, existsSync, mkdirSync, realpathSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { AppError } from '../../../shared/errors.ts';
import { keyBytesMin, parseKeyring } from './keyring.ts';
import { type KeyringSource, readKeyringFile } from './keyring-file.ts';

/**
 * @param path of the keyring; a missing file or folder is made, readable by its owner only
 * @param now epoch milliseconds; the day becomes part of the id
 * @returns the id of the new key @throws AppError if the existing keyring, or the folder, cannot be used
 */
export function makeKey(path: string, now: number): string {
  const id = `${new Date(now).toISOString().slice(0, 10)}-${randomBytes(2).toString('hex')}`;
  const line = `${id}:${randomBytes(keyBytesMin).toString('base64')}\n`;
  try {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    if (existsSync(path)) replace(realpathSync(path), line);
    else writeFileSync(path, line, { mode: 0o600, flag: 'wx', flush: true });
  } catch (cause) {
    if (cause instanceof AppError) throw cause;
    const hint = 'Name another place: npm run store:make-key -- <file>.';
    throw new AppError('unavailable', `The keyring ${path} cannot be written.`, { cause, hint });
  }
  return id;
}

/** A concurrent reader sees the old file or the new one. The file keeps its owner. */
function replace(path: string, line: string): void {
  const { text, stats } = readKeyringFile(path);
  parseKeyring(text, path);
  const draft = `${path}.new`;
  try {
    writeFileSync(draft, `${line}${text}`, { mode: stats.mode & 0o777, flag: 'wx', flush: true });
    // Restores the mode, even with a stricter umask.
    chmodSync(draft, stats.mode & 0o777);
    chownSync(draft, stats.uid, stats.gid);
    renameSync(draft, path);
  } catch (error) {
    rmSync(draft, { force: true });
    throw error;
  }
}

/** Makes a keyring for the playground, which needs no set-up. @returns the keyring in this file, made if it is missing */
export function ownKeyring(path: string, now: number): KeyringSource {
  if (!existsSync(path)) makeKey(path, now);
  return { kind: 'file', path };
}
