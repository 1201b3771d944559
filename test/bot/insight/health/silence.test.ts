/** Silence: rests are none, a missed run is noticed, and what still runs is hardly ever called silent. */
import { describe, expect, it } from 'vitest';
import { learnSchedule } from '../../../../src/bot/insight/health/schedule.ts';
import { arrivalFamilies, arrivalsOf, createChance } from '../../../support/insight/arrivals.ts';
import { firstFrom, judgeStarts } from '../../../support/insight/silences.ts';

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;
const weekMs = 7 * dayMs;
/** A Monday. */
const since = Date.parse('2026-08-03T00:00:00Z');

/** @param isDue by weekday, Sunday is 0, and hour, UTC */
function starts(everyMs: number, days: number, isDue = (_weekday: number, _hour: number) => true): readonly number[] {
  return Array.from({ length: (days * dayMs) / everyMs }, (_, index) => since + index * everyMs).filter((at) =>
    isDue(new Date(at).getUTCDay(), new Date(at).getUTCHours()),
  );
}

const isWeekday = (weekday: number) => weekday > 0 && weekday < 6;
const isOfficeHour = (weekday: number, hour: number) => isWeekday(weekday) && hour >= 8 && hour < 18;

describe('a workflow', () => {
  it.each([
    ['every 30 seconds', minuteMs / 2, 5 * minuteMs],
    ['every 15 minutes', 15 * minuteMs, 5 * minuteMs],
    ['every hour', hourMs, 5 * minuteMs],
    ['every day', dayMs, 0.02 * dayMs],
    ['every week', weekMs, 0.02 * weekMs],
  ])('that ran %s is silent one interval and a grace after its last run', (_, everyMs, graceMs) => {
    const ran = starts(everyMs, everyMs < dayMs ? 29 : 70);
    const lastAt = ran.at(-1) ?? 0;
    const dueAt = lastAt + everyMs + graceMs;
    expect(judgeStarts(ran, since, dueAt)).toBeNull();
    expect(judgeStarts(ran, since, dueAt + everyMs / 4)).toMatchObject({
      lastAt,
      expectedBy: dueAt,
      schedule: { kind: 'regular', everyMs, graceMs },
    });
  });

  it.each([
    ['48 hours into its weekend', isOfficeHour, 15, 26, 16],
    ['at night', isOfficeHour, 15, 22, 3],
    ['on Sunday, if it runs on weekdays', isWeekday, 15, 27, 12],
    [
      'on Thursday, if it runs on Mondays',
      (day: number, hour: number) => day === 1 && hour >= 2 && hour < 6,
      5,
      24,
      12,
    ],
    ['on Saturday after its first week', isOfficeHour, 15, 12, 12],
  ])('rests %s', (_, isDue, minutes, day, hour) => {
    expect(
      judgeStarts(starts(minutes * minuteMs, day + 1, isDue), since, since + day * dayMs + hour * hourMs),
    ).toBeNull();
  });

  it('that rests at the weekend is silent on Monday, once its first run is overdue', () => {
    const ran = starts(15 * minuteMs, 28, isOfficeHour);
    const monday = since + 28 * dayMs + 8 * hourMs;
    expect(judgeStarts(ran, since, monday + 4 * minuteMs)).toBeNull();
    expect(judgeStarts(ran, since, monday + 6 * minuteMs)).toMatchObject({ expectedBy: monday + 5 * minuteMs });
    // The time stays the same, however late it is asked.
    expect(judgeStarts(ran, since, monday + 30 * hourMs)?.expectedBy).toBe(monday + 5 * minuteMs);
  });

  it('that ran at two times each day is silent after the one that it missed', () => {
    const ran = starts(hourMs, 28, (_day, hour) => hour === 9 || hour === 12).slice(0, -1);
    const noon = since + 27 * dayMs + 12 * hourMs;
    expect(judgeStarts(ran, since, noon + 25 * minuteMs)).toBeNull();
    expect(judgeStarts(ran, since, noon + 35 * minuteMs)?.schedule.kind).toBe('repeating');
  });

  it('that missed one run weeks ago is judged by its interval all the same', () => {
    const ran = starts(dayMs, 60).filter((_, index) => index !== 40);
    const lastAt = ran.at(-1) ?? 0;
    expect(judgeStarts(ran, since, lastAt + 1.05 * dayMs)?.lastAt).toBe(lastAt);
  });

  it.each([
    ['of four runs', 4 * hourMs, 2 * dayMs],
    ['of one day', 20 * hourMs, 30 * hourMs],
  ])('%s is not judged', (_, lengthMs, nowMs) => {
    expect(judgeStarts(starts(hourMs, lengthMs / dayMs), since, since + nowMs)).toBeNull();
  });

  it('without a pattern is judged by its gaps, and a few pauses between bursts of calls are few gaps', () => {
    const chance = createChance(1);
    const limitOf = (family: 'Poisson' | 'bursts') => {
      const newest = arrivalsOf(family, { from: since, to: since + weekMs }, hourMs, chance)
        .toReversed()
        .slice(0, 60);
      const schedule = learnSchedule(newest);
      return schedule?.kind === 'irregular' ? schedule.limitMs / hourMs : 0;
    };
    expect(limitOf('Poisson')).toBeGreaterThan(5);
    expect(limitOf('Poisson')).toBeLessThan(25);
    expect(limitOf('bursts')).toBeGreaterThan(100);
  });
});

/** Small: `npm run bench -- truth silence` measures the rates. */
describe.each(arrivalFamilies)('of arrivals by %s', (family) => {
  it.each([1, 4])('at most one look in a hundred is a false silence after %i weeks', (weeks) => {
    let called = 0;
    for (let seed = 0; seed < 10; seed += 1) {
      const chance = createChance(seed, weeks);
      const from = since + chance.between(0, 167) * hourMs;
      const everyMs = [15 * minuteMs, hourMs][seed % 2] ?? hourMs;
      const ran = arrivalsOf(family, { from, to: from + (weeks + 1) * weekMs }, everyMs, chance);
      for (let look = 0; look < 30; look += 1) {
        const now = from + (weeks + chance.unit()) * weekMs;
        if (judgeStarts(ran, from, now)) called += 1;
      }
    }
    expect(called).toBeLessThanOrEqual(3);
  });
});

describe.each(['schedule', 'schedule with jitter', 'office hours', 'weekly', 'drifting'] as const)(
  'of arrivals by %s',
  (family) => {
    it('a missed run is noticed within an interval and a grace', () => {
      for (let seed = 0; seed < 5; seed += 1) {
        const chance = createChance(seed, 9);
        const ran = arrivalsOf(family, { from: since, to: since + 7 * weekMs }, 15 * minuteMs, chance);
        const end = firstFrom(ran, since + (5 + chance.unit() / 2) * weekMs);
        const missed = ran[end] ?? 0;
        expect(judgeStarts(ran.slice(0, end), since, missed + 15 * minuteMs)?.lastAt).toBe(ran[end - 1]);
      }
    });
  },
);

it.each([0, 56, 365])('a workflow that waited %i days for its first run is silent once it stops', (days) => {
  const ran = starts(hourMs, 4);
  const lastAt = ran.at(-1) ?? 0;
  expect(judgeStarts(ran, since - days * dayMs, lastAt + 2 * hourMs)?.lastAt).toBe(lastAt);
});

it('bursts at one interval are no schedule: a pause of any length between them is no silence', () => {
  // In three of the four weeks before, it ran at the time at which its last burst ends.
  const bursts = [0.5, 7.5, 21.5, 28].flatMap((day) =>
    Array.from({ length: 70 }, (_, run) => since + day * dayMs + run * hourMs),
  );
  const [registeredAt, ended] = [since - 56 * dayMs, bursts.at(-1) ?? 0];
  const looks = Array.from({ length: 200 }, (_, hour) => judgeStarts(bursts, registeredAt, ended + hour * hourMs));
  expect(looks.filter((silence) => silence !== null)).toEqual([]);
});
