/** Computes when a digest is due: local times in a time zone become instants, across changes of the clocks. */
import { Temporal } from 'temporal-polyfill';
import { AppError } from '../../shared/errors.ts';

/** One local time on some days of the week. */
export type Schedule = {
  /** Local, `HH:MM`. */
  readonly time: string;
  /** ISO: Monday is 1, Sunday 7. Sorted, at least one. */
  readonly weekdays: readonly number[];
  /** IANA's name. */
  readonly zone: string;
};

/** One occurrence of a schedule. */
export type Due = {
  /** Identifies the occurrence: local date and time, `2026-11-22T09:00`. Unique per schedule. */
  readonly localTime: string;
  /** Epoch milliseconds. */
  readonly at: number;
  /** Effect of a clock change: the local time is skipped on that day, or repeated. */
  readonly shift: 'none' | 'skipped' | 'repeated';
};

/** The last occurrence, by instant and local time: neither comes again, even if the rules of the zone change. */
export type After = { readonly at: number; readonly localTime?: string | undefined };

/** Two weeks, because a zone may skip the first matching day, and the days at either end. */
const daysMax = 16;

/**
 * A skipped local time moves forward with the clocks; of a repeated one the first counts;
 * a day that the zone skips has no occurrence.
 * @param after epoch milliseconds, and the local time that came last @returns the first one later than both
 */
export function nextDue(schedule: Schedule, { at, localTime = '' }: After): Due {
  const today = Temporal.Instant.fromEpochMilliseconds(at).toZonedDateTimeISO(schedule.zone).toPlainDate();
  // Yesterday's occurrence may be due today if the clocks skip midnight.
  const yesterday = today.subtract({ days: 1 });
  const from = localTime > yesterday.toString() ? dayOf(localTime) : yesterday;
  return firstDue(
    schedule,
    { from, step: 1 },
    (next) => next > localTime,
    (due) => due.at > at,
  );
}

/** @param localTime of the schedule, or of one that it had before @returns the one before it: where its window begins */
export function dueBefore(schedule: Schedule, localTime: string): Due {
  return firstDue(schedule, { from: dayOf(localTime), step: -1 }, (before) => before < localTime);
}

/** @param until epoch milliseconds, inclusive @returns the first `max` after `after`, in order */
export function duesBetween(schedule: Schedule, after: After, until: number, max: number): readonly Due[] {
  const dues: Due[] = [];
  for (let due = nextDue(schedule, after); due.at <= until && dues.length < max; due = nextDue(schedule, due)) {
    dues.push(due);
  }
  return dues;
}

/** Reads an untrusted value. @returns a frozen schedule; undefined if it is invalid */
export function readSchedule(value: unknown): Schedule | undefined {
  const { time, weekdays, zone }: Readonly<Record<string, unknown>> = { ...Object(value) };
  if (typeof time !== 'string' || !/^([01]\d|2[0-3]):[0-5]\d$/.test(time)) return undefined;
  if (typeof zone !== 'string' || !isZone(zone)) return undefined;
  if (!Array.isArray(weekdays) || weekdays.length === 0 || !weekdays.every(isWeekday)) return undefined;
  return Object.freeze({ time, weekdays: Object.freeze([...new Set(weekdays)].sort((a, b) => a - b)), zone });
}

/** @returns whether this machine knows the zone name; offsets such as `+02:00` are refused */
export function isZone(name: string): boolean {
  if (!/^[A-Za-z]/.test(name)) return false;
  try {
    return Intl.DateTimeFormat('en', { timeZone: name }) !== undefined;
  } catch {
    return false;
  }
}

function isWeekday(value: unknown): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value >= 1 && value <= 7;
}

function dayOf(localTime: string): Temporal.PlainDate {
  return Temporal.PlainDate.from(localTime.slice(0, 10));
}

/** Goes from day to day until local time and moment are right. @throws AppError `internal` for a schedule without weekdays */
function firstDue(
  schedule: Schedule,
  { from, step }: { readonly from: Temporal.PlainDate; readonly step: 1 | -1 },
  isWanted: (localTime: string) => boolean,
  isDue: (due: Due) => boolean = () => true,
): Due {
  for (let days = 0; days <= daysMax; days += 1) {
    const day = from.add({ days: days * step });
    const localTime = `${day}T${schedule.time}`;
    // Time zone arithmetic is the slow part, so it comes last.
    const due = schedule.weekdays.includes(day.dayOfWeek) && isWanted(localTime) && dueOn(day, localTime, schedule);
    if (due && isDue(due)) return due;
  }
  throw new AppError('internal', 'This schedule never runs.');
}

/** @returns undefined for a day that the zone skips */
function dueOn(day: Temporal.PlainDate, localTime: string, { time, zone }: Schedule): Due | undefined {
  const local = day.toPlainDateTime(time);
  const [first, second] = [
    local.toZonedDateTime(zone, { disambiguation: 'earlier' }),
    local.toZonedDateTime(zone, { disambiguation: 'later' }),
  ];
  if (first.epochMilliseconds === second.epochMilliseconds) {
    return { localTime, at: first.epochMilliseconds, shift: 'none' };
  }
  if (first.toPlainDateTime().equals(local)) return { localTime, at: first.epochMilliseconds, shift: 'repeated' };
  const isDay = day.toZonedDateTime(zone).toPlainDate().equals(day);
  return isDay ? { localTime, at: second.epochMilliseconds, shift: 'skipped' } : undefined;
}
