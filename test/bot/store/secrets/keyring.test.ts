/** The keyring and its file. */
import { chmodSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createKeyProvider, parseKeyring } from '../../../../src/bot/store/secrets/keyring.ts';
import { openKeyringFile } from '../../../../src/bot/store/secrets/keyring-file.ts';
import { makeKey } from '../../../../src/bot/store/secrets/make-key.ts';
import { keyLine } from '../../../support/bot/store.ts';
import { newFolder } from '../../../support/databases/engines.ts';

const now = Date.parse('2026-11-22T10:00:00Z');
const canary = 'Y2FuYXJ5LWNhbmFyeS1jYW5hcnktY2FuYXJ5LWNhbmE';

function unexpected(error: unknown): never {
  throw error;
}

function keyringFile(mode = 0o600, text = `${keyLine('k1')}\n`): string {
  const path = join(newFolder(), 'keys');
  writeFileSync(path, text, { mode });
  chmodSync(path, mode);
  return path;
}

describe('a keyring', () => {
  it('encrypts with its first key, knows all keys, and ignores empty lines and comments', () => {
    const ring = parseKeyring(`# ours\n\n${keyLine('new')}\r\n  ${keyLine('old')}  \n`, 'X');
    expect([ring.currentId, ...ring.keys.keys()]).toEqual(['new', 'new', 'old']);
  });

  it.each([
    ['', 'holds no key'],
    ['# only a remark', 'holds no key'],
    [`k1:${Buffer.alloc(31, 'x').toString('base64')}`, 'Line 1 of X is a key of 31 bytes'],
    [`k1:${Buffer.alloc(32).toString('base64')}`, 'Line 1 of X is not random'],
    [`${keyLine('k1')}\n${keyLine('k1')}`, 'Line 2 of X repeats the id'],
    [`k1:${canary}\nk2:${canary}`, 'Line 2 of X repeats the key'],
    [canary, 'Line 1 of X is not <id>:<base64>'],
    [`k.1:${canary}`, 'Line 1 of X is not <id>:<base64>'],
    [`k1:${canary}!`, 'Line 1 of X is not base64'],
  ])('of %j is refused with the line number, without its text', (text, problem) => {
    const refusal = (() => {
      try {
        return parseKeyring(text, 'X');
      } catch (error) {
        return error;
      }
    })();
    expect(refusal).toMatchObject({ code: 'usage', message: expect.stringContaining(problem) });
    expect(JSON.stringify([refusal, String(refusal)])).not.toContain(canary);
  });
});

describe.skipIf(process.platform === 'win32')('a keyring’s file', () => {
  it.each([0o604, 0o602, 0o606, 0o644, 0o620, 0o660])(
    'of mode %o is refused with the command that fixes it',
    (mode) => {
      const path = keyringFile(mode);
      expect(() => openKeyringFile(path, unexpected)).toThrow(
        expect.objectContaining({ code: 'unavailable', hint: expect.stringContaining(`chmod 600 ${path}`) }),
      );
    },
  );

  it.each([
    [0o600, false],
    [0o400, false],
    [0o640, true],
  ])('of mode %o is accepted, and known to be group-readable or not', (mode, isGroupReadable) => {
    expect(openKeyringFile(keyringFile(mode), unexpected).isGroupReadable).toBe(isGroupReadable);
  });

  it('that is missing, a folder or far too large is refused with the command that makes one', () => {
    const hint = expect.objectContaining({ hint: expect.stringContaining('npm run store:make-key') });
    const large = keyringFile(0o600, '#'.repeat(100_000));
    for (const path of [join(newFolder(), 'none'), newFolder(), large]) {
      expect(() => openKeyringFile(path, unexpected)).toThrow(hint);
    }
  });

  it('is read again when it changes', async () => {
    const path = keyringFile();
    const keys = createKeyProvider(openKeyringFile(path, unexpected).read);
    expect(await keys.current()).toBe('k1');
    const id = makeKey(path, now);
    expect(await keys.current()).toBe(id);
  });

  it('that becomes invalid or is deleted keeps the keys read before, and is reported once each', () => {
    const path = keyringFile();
    const problems: unknown[] = [];
    const { read } = openKeyringFile(path, (error) => problems.push(error));
    chmodSync(path, 0o644);
    expect([read().currentId, read().currentId]).toEqual(['k1', 'k1']);
    rmSync(path);
    expect([read().currentId, read().currentId]).toEqual(['k1', 'k1']);
    expect(problems).toHaveLength(2);
  });

  it('that cannot be opened keeps the keys read before', () => {
    const path = keyringFile();
    const problems: unknown[] = [];
    const { read } = openKeyringFile(path, (error) => problems.push(error));
    rmSync(path);
    symlinkSync(path, path);
    expect([read().currentId, read().currentId]).toEqual(['k1', 'k1']);
    expect(problems).toHaveLength(1);
  });
});

describe('a new key', () => {
  it('creates a keyring that only its owner can read, and its folder', () => {
    const path = join(newFolder(), 'deep', 'keys');
    const id = makeKey(path, now);
    expect(id).toMatch(/^2026-11-22-[0-9a-f]{4}$/);
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(openKeyringFile(path, unexpected).read().currentId).toBe(id);
  });

  it('becomes the first of a keyring, which keeps its mode and its place behind a link', () => {
    const path = keyringFile(0o640);
    const link = join(newFolder(), 'link');
    symlinkSync(path, link);
    const umask = process.umask(0o077);
    onTestFinished(() => void process.umask(umask));
    const id = makeKey(link, now);
    expect([...openKeyringFile(path, unexpected).read().keys.keys()]).toEqual([id, 'k1']);
    expect(statSync(path).mode & 0o777).toBe(0o640);
  });

  it('does not change a file that is no keyring', () => {
    const path = keyringFile(0o600, 'precious');
    expect(() => makeKey(path, now)).toThrow(expect.objectContaining({ code: 'usage' }));
    expect(readFileSync(path, 'utf8')).toBe('precious');
  });
});
