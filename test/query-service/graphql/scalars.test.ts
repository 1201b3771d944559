/** Scalars: instants that exist, credits without rounding. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parseInstant, printCredits, printInstant } from '../../../src/query-service/scalar-text.ts';

test.each([
  ['2026-11-20T10:00:00Z', '2026-11-20T10:00:00.000Z'],
  ['2026-11-20T10:00:00.5Z', '2026-11-20T10:00:00.500Z'],
  ['2026-11-20T10:00:00.123456789Z', '2026-11-20T10:00:00.123Z'],
  ['2026-11-20T10:00:00+05:30', '2026-11-20T04:30:00.000Z'],
  ['2026-11-20T10:00:00-08:00', '2026-11-20T18:00:00.000Z'],
  ['2024-02-29T23:59:59Z', '2024-02-29T23:59:59.000Z'],
  ['0000-01-01T00:00:00Z', '0000-01-01T00:00:00.000Z'],
  ['9999-12-31T23:59:59.999999999Z', '9999-12-31T23:59:59.999Z'],
])('the instant %s is read', (text, same) => {
  expect(new Date(parseInstant(text) ?? Number.NaN).toISOString()).toBe(same);
});

test('an instant is written as JavaScript writes it, on either side of every boundary', () => {
  const whole = fc.integer({ min: -8.64e15, max: 8.64e15 });
  const atMidnight = fc.tuple(fc.integer({ min: -1e8 + 1, max: 1e8 - 1 }), fc.constantFrom(-1, 0, 1));
  const instants = fc.oneof(
    whole,
    atMidnight.map(([day, ms]) => day * 86_400_000 + ms),
  );
  fc.assert(
    fc.property(instants, (instant) => {
      expect(printInstant(instant)).toBe(new Date(instant).toISOString());
    }),
    { numRuns: 2000 },
  );
});

test('a value that is not an instant is not written', () => {
  expect(() => printInstant(Number.NaN)).toThrow(RangeError);
});

test.each([
  '2024-02-30T00:00:00Z',
  '2023-02-29T00:00:00Z',
  '2026-13-01T00:00:00Z',
  '2026-00-01T00:00:00Z',
  '2026-01-00T00:00:00Z',
  '2026-01-01T24:00:00Z',
  '2026-01-01T23:60:00Z',
  '2026-01-01T23:59:60Z',
  '2026-01-01T00:00:00+24:00',
  '2026-01-01T00:00:00',
  '2026-01-01T00:00Z',
  '2026-01-01',
  '2026-01-01 00:00:00Z',
  '+002026-01-01T00:00:00Z',
  '10000-01-01T00:00:00Z',
  '9999-12-31T23:59:59-00:01',
  '0000-01-01T00:00:00+00:01',
  '2026-11-20T10:00:00z',
  ' 2026-01-01T00:00:00Z',
  '2026-01-01T00:00:00Z\n',
  '１２３４-01-01T00:00:00Z',
  '',
])('the instant %j is refused', (text) => {
  expect(parseInstant(text)).toBeNull();
});

test('every written instant can be read back', () => {
  const instants = fc.date({ min: new Date('0001-01-01'), max: new Date('9999-12-31'), noInvalidDate: true });
  fc.assert(fc.property(instants, (date) => parseInstant(printInstant(date.getTime())) === date.getTime()));
});

test.each([
  [0, '0'],
  [1, '0.000001'],
  [50_000, '0.05'],
  [1_000_000, '1'],
  [12_345_670, '12.34567'],
  [-1_500_000, '-1.5'],
])('%d millionths of a credit are %s', (micros, text) => {
  expect(printCredits(micros)).toBe(text);
});
