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

/** In Berlin, an hour ahead of UTC. */
function spoken(text: string, zone = 'Europe/Berlin') {
  const expression = parseWindow(text);
  return expression && resolveWindow(expression, now, expression.needsZone ? zone : 'UTC').label;
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

  it.each(['2026-02-30', '0h', '2026-11-20..2026-11-01', '2027-01-01', '2024-01-01..2026-01-01', '2026-11-01..x'])(
    '%s is refused with a sentence and examples',
    (text) => {
      expect(() => resolved(text)).toThrow(AppError);
      expect(() => resolved(text)).toThrow(/^The window “/);
    },
  );

  it('the one before has the same length and ends where it begins', () => {
    expect(windowBefore({ from: 100, to: 150, label: '', isMoving: false })).toEqual({ from: 50, to: 100 });
  });
});

describe('a range of weekdays', () => {
  it.each([
    ['saturday 9:00 to monday 17:00', '2026-11-14 09:00..2026-11-16 17:00'],
    ['saturday 9:00 to saturday 17:00', '2026-11-21 09:00..17:00'],
    ['from friday until saturday', '2026-11-20..2026-11-21'],
    ['yesterday to tomorrow', '2026-11-20..2026-11-22'],
  ])('%s is the latest that has been: %s', (text, label) => expect(spoken(text)).toBe(label));
});

describe('a single time', () => {
  it.each([
    ['at 8am', '2026-11-21 08:00', '2026-11-21T06:30:00.000Z'],
    ['at 08:00', '2026-11-21 08:00', '2026-11-21T06:30:00.000Z'],
    ['around 8pm', '2026-11-20 20:00', '2026-11-20T18:30:00.000Z'],
    ['about 8pm', '2026-11-20 20:00', '2026-11-20T18:30:00.000Z'],
    ['20:29', '2026-11-20 20:29', '2026-11-20T18:59:00.000Z'],
    ['@ 8pm', '2026-11-20 20:00', '2026-11-20T18:30:00.000Z'],
    ['@8pm', '2026-11-20 20:00', '2026-11-20T18:30:00.000Z'],
    ['8pm', '2026-11-20 20:00', '2026-11-20T18:30:00.000Z'],
    ['8 p.m.', '2026-11-20 20:00', '2026-11-20T18:30:00.000Z'],
    ['monday at 9:30', '2026-11-16 09:30', '2026-11-16T08:00:00.000Z'],
    ['at midnight', '2026-11-21 00:00', '2026-11-20T22:30:00.000Z'],
    ['2026-11-20T10:00Z', '2026-11-20 11:00 UTC+01:00', '2026-11-20T09:30:00.000Z'],
    ['at 8am EST', '2026-11-20 14:00 UTC+01:00', '2026-11-20T12:30:00.000Z'],
  ])('%s is the hour around %s', (text, time, from) => {
    const label = `in the hour around ${time}`;
    expect(spoken(text)).toBe(label);
    const to = iso(Date.parse(from) + 3_600_000);
    expect(resolved(text, 'Europe/Berlin')).toEqual({ from, to, isMoving: false });
    expect(resolved(label, 'Europe/Berlin')).toEqual(resolved(text, 'Europe/Berlin'));
  });

  it('that has just been has no more than its past', () => {
    const range = { from: '2026-11-21T09:50:00.000Z', to: iso(now), isMoving: true };
    expect(resolved('11:20', 'Europe/Berlin')).toEqual(range);
  });
});

describe('a hint', () => {
  /** The windows that a hint names: after “such as”, between commas. */
  const windowsIn = (hint: string) => (/such as (.*?)\.(?: |$)/.exec(hint)?.[1] ?? '').split(/, | or /);

  it.each(['0h', 'until 10:00', 'before yesterday', 'since 2pm IST', 'tomorrow', 'since last deploy'])(
    'after %s is understood',
    (text) => {
      const problem = (() => {
        try {
          return spoken(text);
        } catch (error) {
          return error;
        }
      })();
      const named = windowsIn((problem as AppError).hint ?? '');
      expect(named.length).toBeGreaterThan(0);
      for (const window of named) expect(spoken(window), window).toBeTruthy();
    },
  );
});

describe('a zone beside a time', () => {
  it.each([
    ['19:00 UTC to 20:00 UTC', '2026-11-20 20:00..21:00 UTC+01:00'],
    ['20:00 CET - 21:00 CET', '2026-11-20 20:00..21:00'],
    ['20:00CET-21:00CET', '2026-11-20 20:00..21:00'],
    ['14:00 EST to 14:30 EST', '2026-11-20 20:00..20:30 UTC+01:00'],
    ['14:00 to 14:30 EST', '2026-11-20 20:00..20:30 UTC+01:00'],
    ['14:00 EST to 14:30', '2026-11-20 20:00..20:30 UTC+01:00'],
    ['20:00 CET to 15:00 EST', '2026-11-20 20:00..21:00 UTC+01:00'],
    ['yesterday 22:00 to 23:00 BST', '2026-11-20 22:00..23:00'],
    ['monday to tuesday est', '2026-11-16 06:00..2026-11-18 06:00 UTC+01:00'],
    ['yesterday EST', '2026-11-20 06:00..2026-11-21 06:00 UTC+01:00'],
    ['since 2pm EST', 'since 2026-11-20 20:00 UTC+01:00'],
    ['since 2pmEST', 'since 2026-11-20 20:00 UTC+01:00'],
    ['since 2pm EDT', 'since 2026-11-20 19:00 UTC+01:00'],
    ['since 2pm CST', 'since 2026-11-20 21:00 UTC+01:00'],
    ['since 2pm CDT', 'since 2026-11-20 20:00 UTC+01:00'],
    ['since 2pm MST', 'since 2026-11-20 22:00 UTC+01:00'],
    ['since 2pm PDT', 'since 2026-11-20 22:00 UTC+01:00'],
    ['since 2pm PT', 'since 2026-11-20 23:00 UTC+01:00'],
    ['since 2pm pacific standard time', 'since 2026-11-20 23:00 UTC+01:00'],
    ['1,5h', '90m'],
    ['last 1,5 hours', '90m'],
    ['since 20h30', 'since 2026-11-20 20:30'],
    ['20h00-20h30', '2026-11-20 20:00..20:30'],
    ['10h30m', '630m'],
    ['since 2:30pm New York time', 'since 2026-11-20 20:30 UTC+01:00'],
    ['since 9:00 JST', 'since 2026-11-21 01:00 UTC+01:00'],
    ['since 9:00 in Tokyo', 'since 2026-11-21 01:00 UTC+01:00'],
    ['since 10:00 CEST', 'since 2026-11-21 09:00 UTC+01:00'],
    ['since 10:00 GMT', 'since 2026-11-21 11:00 UTC+01:00'],
    ['since 10:00 +2', 'since 2026-11-21 09:00 UTC+01:00'],
    ['since 10:00 UTC+5:30', 'since 2026-11-21 05:30 UTC+01:00'],
    ['since 2026-11-20T10:00-0500', 'since 2026-11-20 16:00 UTC+01:00'],
    ['since 9:00 Europe/Berlin', 'since 2026-11-21 09:00'],
    ['from 10:00-11:00', '2026-11-21 10:00..11:00'],
  ])('%s is %s', (text, label) => {
    expect(spoken(text)).toBe(label);
    expect(resolved(label, 'Europe/Berlin')).toEqual(resolved(text, 'Europe/Berlin'));
  });

  it.each([
    ['since 2pm IST', 'ist'],
    ['since 2pm server time', 'server time'],
    ['2pm to 3pm AEST', 'aest'],
    ['since 20:00 -21:00', '-21:00'],
  ])('%s is refused with its name', (text, zone) => {
    expect(() => spoken(text)).toThrow(`has an unclear time zone: “${zone}”`);
  });

  it.each(['since 2pm CST', 'since 2pm BST'])('%s is refused for a reader in Asia', (text) => {
    expect(() => spoken(text, 'Asia/Shanghai')).toThrow('has an unclear time zone');
  });
});

it('a window is not spelled if it ends before it begins', () => {
  expect(spelledWindow(1000, 1000)).toBe('1970-01-01T00:00:01.000Z..1970-01-01T00:00:01.000Z');
  expect(() => spelledWindow(1001, 1000)).toThrow('ends before it begins');
});
