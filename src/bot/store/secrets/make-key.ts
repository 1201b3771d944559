/** Makes a keyring, or puts a new key in front of those that one has. */
import { randomBytes } from 'node:crypto';
import { chmodSync, chownSync, existsSync, mkdirSync, realpathSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { AppError } from '../../../shared/errors.ts';
import { keyBytesMin, parseKeyring } from './keyring.ts';
import { readKeyringFile } from './keyring-file.ts';

/**
 * @param path of the keyring; its folder and itself are made where missing, for their owner alone
 * @param now epoch milliseconds; the day becomes part of the id
 * @returns the id of the new key @throws AppError where the keyring that is there, or the folder, cannot be used
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

/** Whoever reads meanwhile sees the old file or the new one; it stays with its owner, whoever adds the key. */
function replace(path: string, line: string): void {
  const { text, stats } = readKeyringFile(path);
  parseKeyring(text, path);
  const draft = `${path}.new`;
  try {
    writeFileSync(draft, `${line}${text}`, { mode: stats.mode & 0o777, flag: 'wx', flush: true });
    // As it was, even where the umask takes more away.
    chmodSync(draft, stats.mode & 0o777);
    chownSync(draft, stats.uid, stats.gid);
    renameSync(draft, path);
  } catch (error) {
    rmSync(draft, { force: true });
    throw error;
  }
}
