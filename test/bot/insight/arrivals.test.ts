/** The seeded arrivals that simulations of insight start from. */
import { expect, it } from 'vitest';
import {
  arrivalFamilies,
  arrivalsOf,
  createChance,
  failureFamilies,
  failuresOfStarts,
} from '../../support/insight/arrivals.ts';
import { expectEvery } from '../../support/runner/every.ts';

const hourMs = 3_600_000;
const from = Date.parse('2026-09-07T00:00:00Z');
const span = { from, to: from + 28 * 24 * hourMs };

it.each(arrivalFamilies)('starts of the family “%s” are in order, inside the span, and repeat for a seed', (family) => {
  const starts = arrivalsOf(family, span, hourMs, createChance(7));
  expect(starts).toEqual([...starts].sort((one, other) => one - other));
  expectEvery(starts, (at) => at >= span.from && at < span.to);
  expect(starts.length).toBeGreaterThan(10);
  expect(arrivalsOf(family, span, hourMs, createChance(7))).toEqual(starts);
});

it.each(failureFamilies)('%s failures have the given mean rate', (family) => {
  const starts = arrivalsOf('schedule', { from, to: from + 400 * 24 * hourMs }, hourMs / 4, createChance(1));
  const failed = failuresOfStarts(family, starts, 0.05, createChance(2)).filter(Boolean).length;
  expect(failed / starts.length).toBeCloseTo(0.05, 1.8);
});
