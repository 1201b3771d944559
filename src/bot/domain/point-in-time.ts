/** Reads days and times as people type them: `monday`, `26.11.2026`, `nov 26`, `yesterday 22:00`, `11pm`, `2026-11-26T10:00Z`. */
import { Temporal } from 'temporal-polyfill';
import { createLruCache } from '../../shared/cache/lru-cache.ts';
import { isZoneSign, zoneNamed } from './zones.ts';

/** A day, a time of a day, or both. */
export type Point = {
  /** Null for a time alone: its last occurrence. @param after the day on which a range begins, for the day on which it ends */
  readonly day: ((today: Temporal.PlainDate, after?: Temporal.PlainDate) => Temporal.PlainDate) | null;
  /** Null for a whole day. 24:00 has 24 hours. */
  readonly time: { readonly hours: number; readonly minutes: number; readonly milliseconds: number } | null;
  /** As typed; null for the reader's time zone. */
  readonly zone: string | null;
};

/** Understood, and no point in time; the message continues "The window …". */
export class WindowProblem extends Error {
  readonly hint: string | undefined;
  /** @param hint what to type instead; undefined for what a window is */
  constructor(message: string, hint?: string) {
    super(message);
    this.hint = hint;
  }
}

export type Clock = {
  /** Epoch milliseconds. */
  readonly now: number;
  /** The reader's IANA time zone. */
  readonly zone: string;
};

/** Epoch milliseconds: the start and the end of a day; twice the same for a time. */
export type Span = { readonly from: number; readonly to: number; readonly date: Temporal.PlainDate };

/** @param words in lower case, with single spaces @returns undefined if they are no point in time */
export function readPoint(words: string): Point | undefined {
  const { rest, zone } = splitZone(words.replace(/^(?:on|at) /, '').replace(gluedZone, ' $&'));
  const { dayWords, time } = splitTime(rest);
  const day = dayWords === '' ? null : readDay(dayWords);
  if (day === undefined || (time === null && (day === null || (zone !== null && !isZoneSign(zone))))) return undefined;
  return { day, time, zone };
}

/** `20:00CET`, `10:00Z`, `10:00+02:00` */
const gluedZone =
  /(?<=\d(?:[ap]m)?)(?:z|[a-z]{3,4})(?= |$)|(?<=:\d\d(?:\.\d{1,3})?)(?:utc|gmt)?[+-]\d{1,2}(?::?\d\d)?(?= |$)/;
const zoneWordsMax = 4;

function splitZone(words: string): { readonly rest: string; readonly zone: string | null } {
  const parts = words.split(' ');
  for (let from = 1; from < parts.length; from += 1) {
    for (let to = Math.min(from + zoneWordsMax, parts.length); to > from; to -= 1) {
      const zone = parts.slice(from, to).join(' ');
      if (zoneNamed(zone) !== undefined) return { rest: parts.toSpliced(from, to - from).join(' '), zone };
    }
  }
  return { rest: words, zone: null };
}

/** @param zone typed beside a window, and not understood @throws WindowProblem */
export function refuseZone(zone: string): never {
  const hint = 'Type times with an offset, such as since 14:00 +05:30.';
  throw new WindowProblem(`has an unclear time zone: “${zone}”`, hint);
}

/** @param after the day on which a range begins, if the point is its end @throws WindowProblem */
export function spanOf(
  { day, time, zone: own }: Point,
  { now, zone: ofReader }: Clock,
  after?: Temporal.PlainDate,
): Span {
  const zone = own === null ? ofReader : (zoneNamed(own, ofReader) ?? refuseZone(own));
  const at = (date: Temporal.PlainDate): Span => {
    const next = date.add({ days: 1 });
    const isEnd = time?.hours === 24;
    const plainTime = time === null || isEnd ? '00:00' : Temporal.PlainTime.from('00:00').add(time);
    const from = (isEnd ? next : date).toZonedDateTime({ timeZone: zone, plainTime }).epochMilliseconds;
    return { from, to: time === null ? next.toZonedDateTime(zone).epochMilliseconds : from, date };
  };
  const today = Temporal.Instant.fromEpochMilliseconds(now).toZonedDateTimeISO(zone).toPlainDate();
  if (day !== null) return at(day(today, after));
  const latest = at(today);
  return latest.from > now ? at(today.subtract({ days: 1 })) : latest;
}

/** @param at epoch milliseconds @returns the start of its day in the zone, or of a day so many days later */
export function midnight(at: number, zone: string, days = 0): number {
  const key = `${Math.floor(at / 900_000)} ${days} ${zone}`;
  const day = () => Temporal.Instant.fromEpochMilliseconds(at).toZonedDateTimeISO(zone).toPlainDate();
  const found = midnights.get(key) ?? day().add({ days }).toZonedDateTime(zone).epochMilliseconds;
  midnights.set(key, found);
  return found;
}
/** By quarter of an hour, days and zone: days begin on a quarter. The library needs some 40 µs for one. */
const midnights = createLruCache<number>({ entriesMax: 1_000 });

const timePattern = String.raw`(?:([01]?\d|2[0-4]):([0-5]\d)(?::([0-5]\d(?:\.\d{1,3})?))? ?(am|pm)?|(1[0-2]|0?[1-9]) ?(am|pm)|(noon|midnight))`;
const timeLast = new RegExp(String.raw`^(?:(.{1,40}?)(?:(?<=\d)t| at | ))?${timePattern}$`);
const timeFirst = new RegExp(`^${timePattern} (?:on )?(.+)$`);

function splitTime(words: string): { readonly dayWords: string } & Pick<Point, 'time'> {
  const [, before, ...last] = timeLast.exec(words) ?? [];
  if (last.length > 0) return { dayWords: before ?? '', time: readTime(last) };
  const first = timeFirst.exec(words)?.slice(1) ?? [];
  if (first.length > 0) return { dayWords: first.at(-1) ?? '', time: readTime(first) };
  return { dayWords: words, time: null };
}

/** @param groups of `timePattern` */
function readTime([hour, minutes, seconds, half, bareHour, bareHalf, name]: readonly (string | undefined)[]) {
  const typed = Number(hour ?? bareHour ?? (name === 'noon' ? 12 : 0));
  const is12 = half ?? bareHalf;
  const hours = is12 === undefined ? typed : (typed % 12) + (is12 === 'pm' ? 12 : 0);
  const milliseconds = Math.round(Number(seconds ?? 0) * 1000);
  return { hours, minutes: Number(minutes ?? 0), milliseconds };
}

const weekdays = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'];
const weekdayPattern =
  /^(last |this )?(mon(?:day)?|tue(?:s(?:day)?)?|wed(?:nesday)?|thu(?:r(?:s(?:day)?)?)?|fri(?:day)?|sat(?:urday)?|sun(?:day)?)$/;
const months = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];
const month = String.raw`(jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]{0,6}\.?`;
const ordinal = String.raw`(\d{1,2})(?:st|nd|rd|th)?`;
const dayOfMonth = new RegExp(`^(?:the )?${ordinal} (?:of )?${month}(?: (\\d{4}))?$`);
const monthAndDay = new RegExp(`^${month} (?:the )?${ordinal}(?: (\\d{4}))?$`);
const daysAgo: Readonly<Record<string, number>> = { today: 0, yesterday: 1, 'day before yesterday': 2, tomorrow: -1 };

function readDay(words: string): Point['day'] | undefined {
  const text = words.replace(/^the (?=day )/, '');
  const [, amount, unit] = /^(an?|\d{1,3}) (day|week|month|year)s? ago$/.exec(text) ?? [];
  if (unit !== undefined)
    return (today) => today.subtract({ [`${unit}s`]: amount?.startsWith('a') ? 1 : Number(amount) });
  const days = Object.hasOwn(daysAgo, text) ? daysAgo[text] : undefined;
  if (days !== undefined) return (today) => today.subtract({ days });
  const [, which, name] = weekdayPattern.exec(text) ?? [];
  if (name !== undefined) return weekdayOf(weekdays.indexOf(name.slice(0, 3)) + 1, which === 'last ');
  return readDate(text.replace(/^[a-z]{3,9} (?=.*\d)/, (word) => (weekdayPattern.test(word.trim()) ? '' : word)));
}

/** The latest day of that name; in the end of a range the first one after its beginning. */
function weekdayOf(weekday: number, isBeforeToday: boolean): Point['day'] {
  return (today, after) => {
    if (after) return after.add({ days: (weekday - after.dayOfWeek + 7) % 7 });
    const days = (today.dayOfWeek - weekday + 7) % 7;
    return today.subtract({ days: isBeforeToday && days === 0 ? 7 : days });
  };
}

function readDate(text: string): Point['day'] | undefined {
  const iso = /^(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})$/.exec(text);
  if (iso) return dateOf(iso[1], iso[2], iso[3]);
  const dotted = /^(\d{1,2})\.(\d{1,2})\.(\d{4}|\d{2})?$/.exec(text) ?? /^(\d{2})\.(\d{2})$/.exec(text);
  if (dotted) return dateOf(dotted[3], dotted[2], dotted[1]);
  const slashed = /^(\d{1,2})([/-])(\d{1,2})(?:\2(\d{4}|\d{2}))?$/.exec(text);
  if (slashed && (slashed[2] === '/' || slashed[4] !== undefined))
    return eitherOrder(slashed[1], slashed[3], slashed[4]);
  const named = dayOfMonth.exec(text);
  if (named) return dateOf(named[3], months.indexOf(named[2] ?? '') + 1, named[1]);
  const american = monthAndDay.exec(text);
  if (american) return dateOf(american[3], months.indexOf(american[1] ?? '') + 1, american[2]);
  const day = Number(/^(?:the )?(\d{1,2})(?:st|nd|rd|th)$/.exec(text)?.[1]);
  return day >= 1 && day <= 31 ? (today) => latestOf(day, today) : undefined;
}

/** `the 18th`; the 31st may be two months ago. */
function latestOf(day: number, today: Temporal.PlainDate): Temporal.PlainDate {
  const date = today.with({ day });
  return date.day === day && Temporal.PlainDate.compare(date, today) <= 0
    ? date
    : latestOf(day, today.with({ day: 1 }).subtract({ days: 1 }));
}

type Digits = string | number | undefined;

/** `26/11` and `11/26` mean one day; `3/4` may mean two. */
function eitherOrder(first: Digits, second: Digits, year: Digits): Point['day'] {
  if (Number(first) > 12 || first === second) return dateOf(year, second, first);
  if (Number(second) > 12) return dateOf(year, first, second);
  return () => {
    throw new WindowProblem('may be either of two dates');
  };
}

/** Without a year, the latest such day. */
function dateOf(year: Digits, monthNumber: Digits, dayNumber: Digits): Point['day'] {
  const inYear = (of: number) => {
    const fields = { year: of, month: Number(monthNumber), day: Number(dayNumber) };
    try {
      return Temporal.PlainDate.from(fields, { overflow: 'reject' });
    } catch {
      throw new WindowProblem('is not a date that exists');
    }
  };
  if (year !== undefined) return () => inYear(Number(year) < 100 ? 2000 + Number(year) : Number(year));
  return (today) => {
    const date = inYear(today.year);
    return Temporal.PlainDate.compare(date, today) > 0 ? inYear(today.year - 1) : date;
  };
}
