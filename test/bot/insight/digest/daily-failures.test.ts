/** Failures per UTC day, over a window that begins and ends within a day. */
import { expect, it } from 'vitest';
import { dailyFailures } from '../../../../src/bot/insight/digest/reconcile.ts';

const bucket = (from: string, to: string, failureCount: number) => ({ from, to, successCount: 5, failureCount });
const before = [
  bucket('2026-11-18T09:00:00Z', '2026-11-19T00:00:00Z', 1),
  bucket('2026-11-19T00:00:00Z', '2026-11-20T00:00:00Z', 0),
  bucket('2026-11-20T00:00:00Z', '2026-11-20T09:00:00Z', 4),
];
const within = [
  bucket('2026-11-20T09:00:00Z', '2026-11-21T00:00:00Z', 30),
  bucket('2026-11-21T00:00:00Z', '2026-11-21T09:00:00Z', 7),
];
const on = (date: string, failed: number) => ({ day: Date.parse(date), failed });

it('a day that the window cuts in two counts once, and only the newest days are kept', () => {
  expect(dailyFailures(before, within, 3)).toEqual([on('2026-11-19', 0), on('2026-11-20', 34), on('2026-11-21', 7)]);
});

it('nothing is known unless both are, and a bucket without a readable time counts nowhere', () => {
  expect(dailyFailures(null, within, 3)).toBeNull();
  expect(dailyFailures(before, null, 3)).toBeNull();
  expect(dailyFailures([bucket('soon', 'later', 9)], within.slice(1), 3)).toEqual([on('2026-11-21', 7)]);
});
