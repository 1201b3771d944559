/** The workflows whose newest runs are read, because they may be silent. */
import { describe, expect, it } from 'vitest';
import { isGapUnusual, maybeSilent, overdueFactor } from '../../../../src/bot/insight/health/silence.ts';

const minuteMs = 60_000;
const dayMs = 1440 * minuteMs;
const now = Date.parse('2026-11-21T10:00:00Z');
const ago = (minutes: number) => new Date(now - minutes * minuteMs).toISOString();

const workflow = (overrides = {}) => ({
  ...{ name: 'feed', status: 'ACTIVE', executedAt: ago(60), registeredAt: ago(30 * 1440) },
  executionCountByStatus: { success: 720, failure: 0 },
  ...overrides,
});

it('are active and have not just run, or ran again after the moment that is judged', () => {
  const executed = [ago(60), null, ago(4), ago(-10)];
  const all = [...executed.map((executedAt) => workflow({ executedAt })), workflow({ status: 'PAUSED' })];
  expect(maybeSilent(all, now).map(({ executedAt }) => executedAt)).toEqual([ago(-10), ago(60)]);
  expect(maybeSilent([workflow({ registeredAt: ago(-1) })], now)).toEqual([]);
});

it('are first those overdue over their whole life, before many that ran later', () => {
  const ran = (minutes: number, name: string) => workflow({ name, executedAt: ago(minutes) });
  const names = maybeSilent([ran(30, 'hourly'), ran(9000, 'long gone'), ran(50, 'later'), ran(300, 'stopped')], now);
  expect(names.map(({ name }) => name)).toEqual(['stopped', 'long gone', 'hourly', 'later']);
});

describe('by its whole life a workflow', () => {
  const life = { ...workflow(), registeredAt: ago(161), executedAt: ago(61) };
  const of = (success: number) => ({ executionCountByStatus: { success, failure: 0 } });
  it.each([
    ['is overdue by as many of its usual gaps as it has not run', { ...life, ...of(10) }, 6.1],
    ['that was registered after its last run may be', { ...life, registeredAt: ago(0) }, Number.POSITIVE_INFINITY],
    ['without a known number of runs may be', { ...life, executionCountByStatus: null }, Number.POSITIVE_INFINITY],
  ])('%s', (_what, facts, factor) => {
    expect(overdueFactor(facts, now)).toBe(factor);
  });
});

it('a gap no longer than those before needs no query', () => {
  const every = (length: number, lastMs: number) => Array.from({ length }, (_, at) => now - lastMs - at * dayMs);
  expect(isGapUnusual(every(5, 0.9 * dayMs), now)).toBe(false);
  expect(isGapUnusual(every(5, 1.1 * dayMs), now)).toBe(true);
  expect(isGapUnusual(every(1, 4 * minuteMs), now)).toBe(false);
  expect(isGapUnusual(null, now)).toBe(true);
});
