/** Ids in every form people paste. */
import { describe, expect, it } from 'vitest';
import { parseReference } from '../../../src/bot/domain/reference.ts';

const uuid = '0b6f6a1e-5b7c-4d1e-9a6f-3c2b1a0d9e8f';
const hash = `${'a'.repeat(60)}0123`;

describe('a pasted reference', () => {
  it.each([
    uuid,
    uuid.toUpperCase(),
    `https://app.example.com/workflows/${uuid}?tab=runs`,
    `<https://app.example.com/${uuid}>`,
  ])('%s is a uuid', (text) => expect(parseReference(text)).toEqual({ kind: 'uuid', uuid }));

  it.each([hash, `0x${hash}`, `0X${hash.toUpperCase()}`, `https://app.example.com/executions/0x${hash}`])(
    '%s is an id of 64 hexadecimal characters',
    (text) => expect(parseReference(text)).toEqual({ kind: 'short', prefix: hash, text }),
  );

  it.each([
    ['3F2A9C1B', '3f2a9c1b'],
    ['0x3f2a9c1b', '3f2a9c1b'],
    ['3f2a9c1b-5b7c', '3f2a9c1b-5b7c'],
    [hash.slice(0, 63), hash.slice(0, 63)],
  ])('%s is the beginning of an id', (text, prefix) => {
    expect(parseReference(text)).toEqual({ kind: 'short', prefix, text });
  });

  it.each(['3f2a9c1', '3f2a9c1g', 'payments', `copy of ${uuid}`, `${hash}0`, `x${hash}`, '0x12'])(
    '%s is a name',
    (text) => {
      expect(parseReference(text)).toEqual({ kind: 'text', text });
    },
  );
});
