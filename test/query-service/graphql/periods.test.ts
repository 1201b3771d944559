/** A span is cut into parts that cover it exactly, and only its edges have to be counted one by one. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { dayMs, hourMs, segmentsOf } from '../../../src/query-service/records/reads/periods.ts';

const instant = fc.integer({ min: -100 * dayMs, max: 100 * dayMs });
const spans = fc.tuple(instant, instant).map(([a, b]) => ({ from: Math.min(a, b), until: Math.max(a, b) }));

test('segments follow each other from one end of a span to the other', () => {
  fc.assert(
    fc.property(spans, (span) => {
      const segments = segmentsOf(span);
      const ends = [span.from, ...segments.map(({ until }) => until)];
      expect(segments.map(({ from }) => from)).toEqual(ends.slice(0, segments.length));
      expect(ends.at(-1)).toBe(span.until);
    }),
  );
});

test('rolled-up segments are whole periods, and the others take two hours at most', () => {
  fc.assert(
    fc.property(spans, (span) => {
      const segments = segmentsOf(span);
      expect(segments.length).toBeLessThanOrEqual(5);
      const edges = segments.filter(({ periodMs }) => periodMs === null);
      expect(edges.reduce((sum, { from, until }) => sum + until - from, 0)).toBeLessThan(2 * hourMs);
      for (const { periodMs, from, until } of segments) {
        // -0 where a span begins before 1970.
        if (periodMs !== null) expect([Math.abs(from % periodMs), Math.abs(until % periodMs)]).toEqual([0, 0]);
      }
    }),
  );
});

test('all time is one segment, and an open end is whole days', () => {
  expect(segmentsOf({ from: null, until: null })).toEqual([{ periodMs: 0, from: 0, until: 1 }]);
  expect(segmentsOf({ from: 0, until: null })).toEqual([{ periodMs: dayMs, from: 0, until: 8.64e15 }]);
  expect(segmentsOf({ from: 7, until: 7 })).toEqual([]);
});
