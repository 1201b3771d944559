/** Due times of digests: each once, in every zone, across clock changes. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type Due,
  dueBefore,
  duesBetween,
  isZone,
  nextDue,
  readSchedule,
  type Schedule,
} from '../../../src/bot/domain/schedule.ts';
import { dueTimesOf, localTime } from '../../support/runner/wall-clock.ts';
import { zones } from '../../support/runner/zones.ts';

const everyDay = [1, 2, 3, 4, 5, 6, 7];
const hourMs = 3_600_000;
const utc = (at: number) => new Date(at).toISOString().slice(0, 16);
const daily = (zone: string, time: string, weekdays = everyDay): Schedule => ({ zone, time, weekdays });
const after = (schedule: Schedule, from: string) => nextDue(schedule, { at: Date.parse(from) });

describe('an occurrence', () => {
  it.each([
    ['Europe/Berlin', '02:30', '2026-03-28T12:00Z', '2026-03-29T02:30', '2026-03-29T01:30', 'skipped'],
    ['Europe/Berlin', '02:30', '2026-10-24T12:00Z', '2026-10-25T02:30', '2026-10-25T00:30', 'repeated'],
    ['Australia/Lord_Howe', '02:15', '2026-10-03T06:00Z', '2026-10-04T02:15', '2026-10-03T15:45', 'skipped'],
    ['Australia/Lord_Howe', '01:45', '2026-04-04T06:00Z', '2026-04-05T01:45', '2026-04-04T14:45', 'repeated'],
    ['Africa/Cairo', '00:30', '2026-04-23T12:00Z', '2026-04-24T00:30', '2026-04-23T22:30', 'skipped'],
    ['America/Nuuk', '23:30', '2026-03-28T12:00Z', '2026-03-28T23:30', '2026-03-29T01:30', 'skipped'],
    ['Europe/Berlin', '09:00', '2026-03-28T12:00Z', '2026-03-29T09:00', '2026-03-29T07:00', 'none'],
    ['Asia/Kathmandu', '09:00', '2026-11-22T00:00Z', '2026-11-22T09:00', '2026-11-22T03:15', 'none'],
    ['UTC', '09:00', '2028-02-28T12:00Z', '2028-02-29T09:00', '2028-02-29T09:00', 'none'],
    ['UTC', '09:00', '2027-02-28T12:00Z', '2027-03-01T09:00', '2027-03-01T09:00', 'none'],
    ['UTC', '00:00', '2026-12-31T12:00Z', '2027-01-01T00:00', '2027-01-01T00:00', 'none'],
  ])('in %s at %s after %s is %s, which is %s in UTC (shift: %s)', (zone, time, from, localTime, at, shift) => {
    const due = after(daily(zone, time), from);
    expect({ ...due, at: utc(due.at) }).toEqual({ localTime, at, shift });
  });

  it('is never on a day that its zone skips, and that weekday is due a week later', () => {
    const next = (weekdays: number[]) => after(daily('Pacific/Apia', '09:00', weekdays), '2011-12-29T20:00Z').localTime;
    expect([next(everyDay), next([5])]).toEqual(['2011-12-31T09:00', '2012-01-06T09:00']);
    expect(dueBefore(daily('Pacific/Apia', '09:00'), '2011-12-31T09:00').localTime).toBe('2011-12-29T09:00');
  });

  it('is on the weekdays of its zone', () => {
    const mondays = daily('Pacific/Auckland', '08:00', [1]);
    expect(after(mondays, '2026-11-20T00:00Z')).toMatchObject({ at: Date.parse('2026-11-22T19:00Z') });
    const weekdays = duesBetween(
      daily('UTC', '08:00', [1, 3, 5]),
      { at: Date.parse('2026-11-22T00:00Z') },
      Infinity,
      4,
    );
    expect(weekdays.map(({ localTime }) => localTime.slice(8, 10))).toEqual(['23', '25', '27', '30']);
  });

  it('is not due again after the zone’s rules have changed, nor before its time', () => {
    const schedule = daily('Europe/Berlin', '09:00');
    const last = after(schedule, '2026-11-22T00:00Z');
    expect(nextDue(schedule, { ...last, at: last.at - hourMs }).localTime).toBe('2026-11-23T09:00');
    expect(nextDue(schedule, { localTime: '2026-11-20T09:00', at: last.at }).localTime).toBe('2026-11-23T09:00');
    expect(nextDue(schedule, { localTime: '2027-01-20T09:00', at: last.at }).localTime).toBe('2027-01-21T09:00');
  });
});

describe('400 days', () => {
  const start = Date.parse('2026-10-01T00:00Z');
  const end = start + 400 * 24 * hourMs;

  it.each(zones)('in %s have each occurrence once, however often the due times are read', (zone) => {
    for (const time of ['00:15', '02:15']) {
      const schedule = daily(zone, time);
      const dues: Due[] = [];
      for (let now = start, step = 1; now < end; step = (step * 31) % 97, now = Math.min(end, now + step * hourMs)) {
        dues.push(...duesBetween(schedule, dues.at(-1) ?? { at: start }, now, 100));
      }
      expect(dues.map(({ localTime, at }) => [localTime, at])).toEqual(
        dueTimesOf(zone, time, start, dues.at(-1)?.at ?? 0),
      );
      expect(dues.length).toBeGreaterThanOrEqual(395);
      expect(dues.slice(1).map(({ localTime }) => dueBefore(schedule, localTime))).toEqual(dues.slice(0, -1));
    }
  });
});

it('any schedule has later due times in order, on its weekdays, and the same ones backwards', () => {
  const schedules = fc.record({
    zone: fc.constantFrom(...zones),
    time: fc.date({ noInvalidDate: true }).map((date) => date.toISOString().slice(-13, -8)),
    weekdays: fc.uniqueArray(fc.integer({ min: 1, max: 7 }), { minLength: 1 }),
  });
  const moments = fc.date({ min: new Date('1995-01-01'), max: new Date('2037-01-01'), noInvalidDate: true });
  const property = fc.property(schedules, moments, (schedule, date) => {
    const [first, second] = duesBetween(schedule, { at: date.getTime() }, Infinity, 2);
    if (!first || !second) throw new Error('There is always a next one.');
    expect(first.at).toBeGreaterThan(date.getTime());
    expect(second.at).toBeGreaterThan(first.at);
    expect(schedule.weekdays).toContain(new Date(`${first.localTime}Z`).getUTCDay() || 7);
    expect(dueBefore(schedule, second.localTime)).toEqual(first);
    if (first.shift !== 'skipped') expect(localTime(first.at, schedule.zone)).toBe(first.localTime);
  });
  fc.assert(property);
});

describe('a schedule from the store', () => {
  it('is normalised and frozen', () => {
    const schedule = readSchedule({ time: '09:05', weekdays: [5, 1, 1], zone: 'Europe/Berlin', more: 1 });
    expect(schedule).toEqual({ time: '09:05', weekdays: [1, 5], zone: 'Europe/Berlin' });
    expect([Object.isFrozen(schedule), Object.isFrozen(schedule?.weekdays)]).toEqual([true, true]);
  });

  it.each([
    { time: '24:00' },
    { time: '9:00' },
    { time: 900 },
    { weekdays: [] },
    { weekdays: [0] },
    { weekdays: [1.5] },
    { weekdays: '1' },
    { zone: 'Europe/Atlantis' },
    { zone: '+02:00' },
    { zone: null },
  ])('%o is refused', (change) => {
    expect(readSchedule({ time: '09:00', weekdays: [1], zone: 'UTC', ...change })).toBeUndefined();
  });

  it.each([null, undefined, 1, 'daily', []])('%s is no schedule', (value) =>
    expect(readSchedule(value)).toBeUndefined(),
  );
});

it('a zone is valid only with its IANA name', () => {
  expect(['Europe/Berlin', 'UTC', 'Asia/Calcutta', '', '+01:00', 'Mars/Base'].map(isZone)).toEqual([
    ...[true, true, true],
    ...[false, false, false],
  ]);
});
