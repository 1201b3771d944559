/** The JSON of a payload is ASCII, in both forms, and Slack reads the same text from it. */
import { expect, test } from 'vitest';
import { payloadBytes, payloadText } from '../../../../../src/bot/slack/outbound/delivery/payload.ts';

const texts = ['plain', '██▒ · “quoted” — naïve', '日本語', '🚀 \\u2588 "\\"', 'line\u2028break\u0000', '\ud800 alone'];

test.each([false, true])('a payload that is frozen or not is ASCII and reads back the same (%s)', (isFrozen) => {
  for (const text of texts) {
    const payload = isFrozen ? Object.freeze({ text }) : { text };
    const json = payloadText(payload);
    expect(json).toMatch(/^[\x20-\x7e]*$/);
    expect(JSON.parse(json)).toEqual({ text });
    expect(String(payloadBytes(payload))).toBe(json);
  }
});
