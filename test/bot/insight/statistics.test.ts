/** Statistics, compared with independent figures and with identities. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { chanceOfAtLeast, failureRate, logChanceOfMore } from '../../../src/bot/insight/statistics.ts';

describe('the interval of a rate', () => {
  it.each([
    // Newcombe 1998, table I: Wilson's score interval without continuity correction.
    [81, 263, 0.2553, 0.3662],
    [15, 148, 0.0624, 0.1605],
    [0, 20, 0, 0.1611],
    [1, 29, 0.0061, 0.1718],
  ])('of %i in %i is that of the literature', (failed, total, low, high) => {
    const rate = failureRate({ failed, total });
    expect(rate.low).toBeCloseTo(low, 4);
    expect(rate.high).toBeCloseTo(high, 4);
  });

  it('of none in none is the whole range', () =>
    expect(failureRate({ failed: 0, total: 0 })).toMatchObject({ low: 0, high: 1 }));

  it('contains the share, and is narrower for more executions', () => {
    const counts = fc
      .tuple(fc.nat(500), fc.integer({ min: 1, max: 500 }))
      .map(([failed, more]) => ({ failed, total: failed + more }));
    const property = fc.property(counts, ({ failed, total }) => {
      const [one, ten] = [failureRate({ failed, total }), failureRate({ failed: failed * 10, total: total * 10 })];
      const share = failed / total;
      return (
        one.low <= share &&
        share <= one.high &&
        0 <= one.low &&
        one.high <= 1 &&
        ten.high - ten.low < one.high - one.low
      );
    });
    fc.assert(property);
  });
});

describe('the chance of a rise by luck', () => {
  it.each([
    // Fisher's tea: 4 of 4 right, 0 of 4 wrong.
    [{ failed: 0, total: 4 }, { failed: 4, total: 4 }, 1 / 70],
    [{ failed: 1, total: 4 }, { failed: 3, total: 4 }, 17 / 70],
    [{ failed: 0, total: 10 }, { failed: 3, total: 3 }, 1 / 286],
    [{ failed: 5, total: 10 }, { failed: 0, total: 10 }, 1],
    [{ failed: 0, total: 10 }, { failed: 0, total: 10 }, 1],
  ])('from %o to %o is exact', (before, after, chance) => {
    expect(Math.exp(logChanceOfMore(before, after))).toBeCloseTo(chance, 9);
  });

  it('has no least value below which it breaks', () => {
    const chance = logChanceOfMore({ failed: 0, total: 20_000 }, { failed: 2_000, total: 2_000 });
    expect(chance).toBeLessThan(-4_000);
    expect(chance).toBeGreaterThan(-10_000);
  });

  it('is less for every failure more', () => {
    const counts = fc.tuple(fc.nat(40), fc.integer({ min: 40, max: 80 }), fc.nat(29));
    fc.assert(
      fc.property(counts, ([failed, total, after]) => {
        const before = { failed, total };
        return (
          logChanceOfMore(before, { failed: after + 1, total: 30 }) <=
          logChanceOfMore(before, { failed: after, total: 30 }) + 1e-9
        );
      }),
    );
  });
});

describe('the chance of so many hits', () => {
  it.each([
    [1, 10, 0.5, 1023 / 1024],
    [10, 10, 0.5, 1 / 1024],
    [2, 3, 0.1, 0.028],
    [0, 3, 0.1, 1],
    [1, 3, 0, 0],
    [3, 3, 1, 1],
    [4, 3, 0.5, 0],
  ])('%i of %i at %d', (hits, tries, rate, chance) => {
    expect(chanceOfAtLeast(hits, tries, rate)).toBeCloseTo(chance, 9);
  });
});
