/** Windows as people type them. */
import { describe, expect, it } from 'vitest';
import { resolveWindow, spelledWindow, windowBefore } from '../../../src/bot/domain/window.ts';
import { parseWindow } from '../../../src/bot/domain/window-words.ts';
import { AppError } from '../../../src/shared/errors.ts';

const now = Date.parse('2026-11-21T10:30:00Z');
const iso = (at: number) => new Date(at).toISOString();

function resolved(text: string, zone = 'UTC') {
  const expression = parseWindow(text);
  if (!expression) throw new Error(`${text} is no window`);
  const { from, to, isMoving } = resolveWindow(expression, now, zone);
  return { from: iso(from), to: iso(to), isMoving };
}

describe('a window', () => {
  it.each([
    ['90m', '2026-11-21T09:00:00.000Z'],
    ['24h', '2026-11-20T10:30:00.000Z'],
    ['7D', '2026-11-14T10:30:00.000Z'],
    ['2w', '2026-11-07T10:30:00.000Z'],
  ])('%s ends now and moves with the clock', (text, from) => {
    expect(resolved(text)).toEqual({ from, to: iso(now), isMoving: true });
  });

  it('yesterday is the whole day before in the reader’s zone', () => {
    const [from, to] = ['2026-11-20T05:00:00.000Z', '2026-11-21T05:00:00.000Z'];
    expect(resolved('yesterday', 'America/New_York')).toEqual({ from, to, isMoving: false });
  });

  it('tonight is the night that goes on, also after midnight', () => {
    expect(resolved('tonight', 'Asia/Tokyo')).toMatchObject({ from: '2026-11-21T09:00:00.000Z', isMoving: true });
    expect(resolved('tonight', 'America/Los_Angeles')).toMatchObject({
      from: '2026-11-21T02:00:00.000Z',
      isMoving: true,
    });
  });

  it('today begins at midnight in the reader’s zone and moves', () => {
    expect(resolved('today', 'Asia/Tokyo')).toEqual({ from: '2026-11-20T15:00:00.000Z', to: iso(now), isMoving: true });
  });

  it('a day on which the clocks change has its true length', () => {
    const { from, to } = resolved('2026-10-25', 'Europe/Berlin');
    expect((Date.parse(to) - Date.parse(from)) / 3_600_000).toBe(25);
  });

  it('a range may leave out the date of its end', () => {
    const expected = { from: '2026-11-20T10:00:00.000Z', to: '2026-11-20T12:00:00.000Z', isMoving: false };
    expect(resolved('2026-11-20T10:00Z..12:00Z')).toEqual(expected);
  });

  it('a range of days includes its last day', () => {
    expect(resolved('2026-11-01..2026-11-03').to).toBe('2026-11-04T00:00:00.000Z');
  });

  it('that reaches into the future ends now', () => {
    expect(resolved('2026-11-21')).toEqual({ from: '2026-11-21T00:00:00.000Z', to: iso(now), isMoving: true });
  });

  it.each(['payments', '24', 'h24', '2026', 'lastish week'])('%s is no window', (text) => {
    expect(parseWindow(text)).toBeUndefined();
  });

  it.each([
    '2026-02-30',
    '0h',
    '2026-11-20T10:00Z',
    '12:00',
    '2026-11-20..2026-11-01',
    '2027-01-01',
    '2024-01-01..2026-01-01',
    '2026-11-01..x',
  ])('%s is refused with a sentence and examples', (text) => {
    expect(() => resolved(text)).toThrow(AppError);
    expect(() => resolved(text)).toThrow(/^The window “/);
  });

  it('the one before has the same length and ends where it begins', () => {
    expect(windowBefore({ from: 100, to: 150, label: '', isMoving: false })).toEqual({ from: 50, to: 100 });
  });
});

it('a window is not spelled if it ends before it begins', () => {
  expect(spelledWindow(1000, 1000)).toBe('1970-01-01T00:00:01.000Z..1970-01-01T00:00:01.000Z');
  expect(() => spelledWindow(1001, 1000)).toThrow('ends before it begins');
});
