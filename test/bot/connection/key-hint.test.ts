/** The hint of a key. */
import { expect, test } from 'vitest';
import { keyHint } from '../../../src/bot/connection/connection.ts';
import { generateKey } from '../../../src/query-service/keys/keys.ts';
import { redact } from '../../../src/shared/redaction/redact.ts';

test('the hint of a key is its prefix, its id and its end, which masking leaves visible', () => {
  const { text, id, secret } = generateKey();
  const hint = keyHint(text);
  expect(hint).toBe(`wfq_${id}…${text.slice(-4)}`);
  expect(secret).not.toContain(hint.slice(-12, -5));
  expect(redact(hint)).toBe(hint);
});

test.each([
  ['abcdefghijklmnopqrstuvwx', '…uvwx'],
  ['wk_live_0123456789abcdefghij', '…ghij'],
  ['sk_0123456789', ''],
  ['a', ''],
  ['', ''],
])('of %j there is %j', (key, hint) => {
  expect(keyHint(key)).toBe(hint);
});

test('the hint of another kind of key is its end only, and empty for a short key', () => {
  const { text } = generateKey();
  for (let length = 0; length < text.length; length += 1) {
    expect(keyHint(text.slice(0, length))).toHaveLength(length < 24 ? 0 : 5);
  }
});
