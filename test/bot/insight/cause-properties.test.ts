/** Properties of the cause of every error. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { causeOf } from '../../../src/bot/insight/causes/cause.ts';
import { anyCharacter } from '../../support/hostile/any-character.ts';

const read = (error: string) => causeOf({ errors: [{ error, count: 1 }], classifiedStatus: null });
const keyOf = (error: string) => read(error).fingerprint;

const digits = fc.nat({ max: 99_999_999 }).map(String);
const hex = fc.stringMatching(/^[0-9a-f]{8,40}$/);
const id = fc.oneof(
  digits,
  hex,
  fc.uuid(),
  fc.ulid(),
  hex.map((text) => `0x${text}`),
  hex.map((text) => `bch_${text}`),
);
const templates = [
  (one: string) => `payout ${one} refused by the bank`,
  (one: string, other: string) => `settlement ${one}: account ${other} is frozen`,
  (one: string, other: string) => `GET https://api.example/v1/orders/${one}?run=${other}: 503 Service Unavailable`,
  (one: string, other: string) => `execution ${one} failed: quorum lost (request ${other})`,
  (one: string) => `no secret named "${one}" in this namespace`,
  (one: string, other: string) => `invalid receipt {"tx":"${one}","block":"${other}"} for transfer`,
];
const template = fc.constantFrom(...templates);
const plain = fc.constantFrom(
  'workflow execution failed: connect to database: connection refused',
  'http-actions@1.0.0: gateway gw-07 did not answer within 10s',
  'execution reverted: ERC20: insufficient allowance (needed 12)',
  'rates: json: unexpected end of input',
);

describe('the cause of any error', () => {
  it('stays when ids and numbers are replaced', () => {
    fc.assert(
      fc.property(template, id, id, id, id, (say, one, other, third, fourth) => {
        expect(keyOf(say(one, other))).toBe(keyOf(say(third, fourth)));
      }),
    );
  });

  it('stays when case and white space change', () => {
    fc.assert(
      fc.property(plain, fc.stringMatching(/^[ \t]{1,4}$/), fc.boolean(), (error, space, isUpper) => {
        const changed = error.replaceAll(' ', space);
        expect(keyOf(isUpper ? changed.toUpperCase() : changed)).toBe(keyOf(error));
      }),
    );
  });

  it('has a title that, read again, gives the same title', () => {
    fc.assert(
      fc.property(template, id, id, (say, one, other) => {
        const { title } = read(say(one, other));
        expect(read(title).title).toBe(title);
      }),
    );
  });

  it('is found for every text, the same each time, within 120 characters', () => {
    const text = fc.oneof(fc.string({ unit: anyCharacter, maxLength: 300 }), fc.lorem(), fc.json());
    fc.assert(
      fc.property(text, (error) => {
        const found = read(error);
        expect(read(error)).toEqual(found);
        expect([...found.title].length).toBeLessThanOrEqual(120);
        expect(found.title.trim()).not.toBe('');
      }),
      { numRuns: 1_000 },
    );
  });
});
