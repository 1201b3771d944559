/** Silence of workflows that ran regularly. */
import { describe, expect, it } from 'vitest';
import { findSilence, overdueFactor } from '../../../../src/bot/insight/health/health.ts';

const now = Date.parse('2026-11-21T10:00:00Z');
const minuteMs = 60_000;
/** So many minutes ago, newest first. */
const ago = (...minutes: readonly number[]) => minutes.map((minute) => now - minute * minuteMs);
const [executedAt = now] = ago(61);

describe('the newest executions', () => {
  it.each([
    [[61, 76, 91, 106, 121], { forMs: 61 * minuteMs, usuallyEveryMs: 15 * minuteMs }],
    [[61, 77, 93, 109, 125], null],
    [[61, 76, 91, 106], null],
    [[61, 61, 61, 61, 61], null],
    [[61, 76, 91, 106, 121, 9_000, 10_000], { forMs: 61 * minuteMs, usuallyEveryMs: 15 * minuteMs }],
  ])('%j minutes ago: %j', (minutes, silence) => {
    expect(findSilence({ executedAt, starts: ago(...minutes), now })).toEqual(silence);
  });

  it('are replaced by the count of the window before if there are none', () => {
    const before = { total: 96, windowMs: 24 * 60 * minuteMs };
    expect(findSilence({ executedAt, starts: null, before, now })?.usuallyEveryMs).toBe(15 * minuteMs);
    expect(findSilence({ executedAt, starts: null, now })).toBeNull();
    expect(findSilence({ executedAt: null, starts: null, before, now })).toBeNull();
  });
});

describe('by its whole life a workflow', () => {
  const life = { registeredAt: now - 161 * minuteMs, executedAt, total: 10, now };
  it.each([
    ['is overdue by as many of its usual gaps as it has not run', life, 6.1],
    ['of few runs cannot be', { ...life, total: 4 }, 0],
    ['that has never run cannot be', { ...life, executedAt: null }, 0],
    ['that ran within five minutes cannot be', { ...life, executedAt: now - 5 * minuteMs }, 0],
    ['that was registered after its last run may be', { ...life, registeredAt: now }, Number.POSITIVE_INFINITY],
    ['without a known number of runs may be', { ...life, total: null }, Number.POSITIVE_INFINITY],
  ])('%s', (_what, facts, factor) => {
    expect(overdueFactor(facts)).toBe(factor);
  });
});
