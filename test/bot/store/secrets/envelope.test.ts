/** A sealed secret opens in its own location only. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  additionalData,
  type KeyProvider,
  open,
  rewrap,
  type SecretLocation,
  seal,
  sealedPrefix,
} from '../../../../src/bot/store/secrets/envelope.ts';
import { keyLine, testKeys } from '../../../support/bot/store.ts';
import { anyCharacter } from '../../../support/hostile/any-character.ts';

const location: SecretLocation = { purpose: 'credential', teamId: 'T1', field: 'api_key', version: '7' };
const lines = [keyLine('k1'), keyLine('k2')] as const;
const keys = testKeys(...lines);
const later = testKeys(...lines.toReversed());
const changed = { code: 'internal' };

const text = fc.string({ unit: anyCharacter, maxLength: 40 });
const places = fc.record({ purpose: text, teamId: text, field: text, version: text });

describe('a sealed secret', () => {
  it('opens in its location, whatever its text', async () => {
    const property = fc.asyncProperty(places, text, async (where, secret) => {
      expect(await open(keys, where, await seal(keys, where, secret))).toBe(secret);
    });
    await fc.assert(property, { numRuns: 200 });
  });

  it('is different every time, and contains no part of the secret', async () => {
    const sealed = await Promise.all(Array.from({ length: 50 }, () => seal(keys, location, 'wfq_canary')));
    expect(new Set(sealed).size).toBe(50);
    expect(sealed.join()).not.toMatch(/canary|Y2FuYXJ5/);
  });

  it.each(['purpose', 'teamId', 'field', 'version'] as const)(
    'does not open in a location with another %s',
    async (field) => {
      const sealed = await seal(keys, location, 'secret');
      await expect(open(keys, { ...location, [field]: 'other' }, sealed)).rejects.toMatchObject(changed);
    },
  );

  it('does not open in another location, even if a key service ignores the additional data', async () => {
    const nothing = Buffer.alloc(0);
    const careless: KeyProvider = {
      current: keys.current,
      wrap: (keyId, dataKey) => keys.wrap(keyId, dataKey, nothing),
      unwrap: (keyId, wrapped) => keys.unwrap(keyId, wrapped, nothing),
    };
    const sealed = await seal(careless, location, 'secret');
    expect(await open(careless, location, sealed)).toBe('secret');
    for (const field of ['purpose', 'teamId', 'field', 'version'] as const) {
      await expect(open(careless, { ...location, [field]: 'other' }, sealed)).rejects.toMatchObject(changed);
    }
  });

  it('does not open if the boundary between two fields was shifted', async () => {
    const sealed = await seal(keys, { ...location, teamId: 'T1', field: '2api_key' }, 'secret');
    await expect(open(keys, { ...location, teamId: 'T12', field: 'api_key' }, sealed)).rejects.toMatchObject(changed);
  });

  it('does not open with the data key of another secret', async () => {
    const [one, other] = [await seal(keys, location, 'one'), await seal(keys, location, 'other')];
    const mixed = [...one.split('.').slice(0, 3), other.split('.')[3]].join('.');
    await expect(open(keys, location, mixed)).rejects.toMatchObject(changed);
  });

  it('does not open with any one character changed or removed, or cut off at any character', async () => {
    const sealed = await seal(keys, location, 'secret');
    const positions = Array.from(
      { length: sealed.length - sealedPrefix('k1').length },
      (_, at) => sealedPrefix('k1').length + at,
    );
    for (const at of positions) {
      const other = sealed[at] === 'A' ? 'B' : 'A';
      const variants = [
        `${sealed.slice(0, at)}${other}${sealed.slice(at + 1)}`,
        sealed.slice(0, at) + sealed.slice(at + 1),
        sealed.slice(0, at),
      ];
      for (const variant of variants) await expect(open(keys, location, variant)).rejects.toMatchObject(changed);
    }
  });

  it('under a missing key names it, and does not open under another key of that name', async () => {
    const sealed = await seal(keys, location, 'secret');
    await expect(open(testKeys(keyLine('k3')), location, sealed)).rejects.toMatchObject({
      code: 'unavailable',
      message: expect.stringContaining('“k1”'),
    });
    await expect(open(testKeys(keyLine('k1')), location, sealed)).rejects.toMatchObject(changed);
  });

  it('does not open if it names another key of the ring', async () => {
    const sealed = await seal(keys, location, 'secret');
    await expect(open(keys, location, sealed.replace('wb1.k1.', 'wb1.k2.'))).rejects.toMatchObject(changed);
  });

  it('is rewrapped with the current key without being opened, and opens only with that key', async () => {
    const sealed = await seal(keys, location, 'secret');
    const passed = await rewrap(later, location, sealed);
    expect(passed).toMatch(/^wb1\.k2\./);
    expect(passed.split('.')[3]).toBe(sealed.split('.')[3]);
    expect(await open(testKeys(lines[1]), location, passed)).toBe('secret');
    await expect(rewrap(later, { ...location, teamId: 'T2' }, sealed)).rejects.toMatchObject(changed);
  });
});

it('no two locations give the same additional data', () => {
  const property = fc.property(
    fc.array(text, { minLength: 6, maxLength: 6 }),
    fc.array(text, { minLength: 6, maxLength: 6 }),
    (one, other) => {
      fc.pre(one.join('\u0001') !== other.join('\u0001'));
      expect(bytesOf(one).equals(bytesOf(other))).toBe(false);
    },
  );
  fc.assert(property, {
    numRuns: 1000,
    examples: [
      [
        ['', 'ab', '', '', '', ''],
        ['', 'a', 'b', '', '', ''],
      ],
    ],
  });
});

function bytesOf([
  format = '',
  keyId = '',
  purpose = '',
  teamId = '',
  field = '',
  version = '',
]: readonly string[]): Buffer {
  return additionalData(format, keyId, { purpose, teamId, field, version });
}
