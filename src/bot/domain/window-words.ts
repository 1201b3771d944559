/** Reads windows of time as people type them: `7 days`, `since 23:00`, `last week`, `26.11.2026 22:00 to 23:30`. */
import { Temporal } from 'temporal-polyfill';
import { type Clock, midnight, readPoint, spanOf, WindowProblem } from './point-in-time.ts';
import { zoneNamed, zoneOffset } from './zones.ts';

type Bounds = {
  /** Epoch milliseconds. */
  readonly from: number;
  readonly to: number;
  /** Words that mean the same range when they are typed again. */
  readonly label: string;
};

/** A window as typed, not yet compared with the clock. */
export type WindowExpression = {
  /** The words, or for a window of a fixed length that ends now its shortest form: `7d`. */
  readonly label: string;
  /** True if the reader's time zone is needed. */
  readonly needsZone: boolean;
  /** @throws WindowProblem */
  readonly bounds: (clock: Clock) => Bounds;
};

/** Longer texts are no window. */
const textUnitsMax = 80;

/** @param text words on one line, in any case @returns undefined if they are no window */
export function parseWindow(text: string): WindowExpression | undefined {
  if (text.length > textUnitsMax) return undefined;
  const typed = text.split(' ').map(plainWord).filter(Boolean).join(' ');
  const words = plainWords(typed);
  const read =
    rolling(words) ??
    rangeWindow(words) ??
    sinceWindow(words) ??
    endWindow(words) ??
    wholeWindow(words) ??
    (sinceEvent.test(words) ? refused('names no time', 'Type its start, such as since 14:00.') : undefined) ??
    (/^\d{4}-\d{2}-\d{2}\S*$/.test(typed) ? refused('is not a date that exists') : undefined);
  return (
    read && {
      label: typed,
      ...read,
      ...(/^\d{4}-\d{2}-\d{2}[^ ]*$/.test(typed) &&
        typed.includes('..') && {
          needsZone: read.needsZone && !typed.endsWith('Z'),
          bounds: (clock: Clock) => ({ ...read.bounds(clock), label: typed }),
        }),
    }
  );
}

const untimed = '(?:lunch(?:time)?|breakfast|dinner|dawn|dusk|sunrise|sunset|eod|(?:the )?end of (?:the )?day)';
const sinceEvent = new RegExp(
  `^since (?:${untimed}|(?:the )?(?:last|latest|previous) (?:deploy|release|rollout|restart|run|failure|success|error))$`,
);
const opening = '*_~`"“„‚‘«»‹›([{';
const closing = '*_~`"“”‘’«»‹›)]},;:!?…';

/** `26.` and `26.11.` */
const dottedDay = /^\d{1,2}\.(?:\d{1,2}\.)?$/;

/** @returns a word without pasted formatting and the punctuation of a sentence; the full stop of a date stays */
export function plainWord(word: string): string {
  let [from, to] = [0, word.length];
  while (to - from > 1 && opening.includes(word[from] ?? '')) from += 1;
  while (to - from > 1 && closing.includes(word[to - 1] ?? '')) to -= 1;
  while (to - from > 1 && word[to - 1] === '.' && !dottedDay.test(word.slice(from, to))) to -= 1;
  return word.slice(from, to);
}

function plainWords(text: string): string {
  const words = text.toLowerCase().replaceAll('...', '..').replace(/[–—]/g, '-').split(' ').map(plainWord);
  return words
    .filter(Boolean)
    .join(' ')
    .replace(/ so far$/, '')
    .replace(/(?<=\d ?)([ap])\.m(?= |$)/g, '$1m')
    .replace(/(?<=^| )(?:a )?fortnight(?= |$)/, '2 weeks')
    .replace(/(?<=^|[ -])([01]\d|2[0-4])h(?=[0-5]\d(?:[ -]|$))/g, '$1:')
    .replace(/(?<=\d),(?=\d{1,2} ?[hdw])/, '.')
    .replace(/(?<=^|[ -])(?:noon|midnight)(?=$|[ -])/g, (word) => (word === 'noon' ? '12pm' : '12am'))
    .replace(bareStart, withHalf)
    .replace(/(?<=(?:-|\.\.|to|until|till|and) ?)12am(?= |$)/, '24:00')
    .replace(/^(\d{4})-?w(\d\d)$/, 'week $2 $1')
    .replace(numberPattern, (word) => `${numberWords.indexOf(word) + 1}`);
}

/** The 8 of `8-9pm` and of `8 to noon`. */
const bareStart =
  /(?<=^| )((1[0-2]|[1-9])(?::[0-5]\d)?)(?= ?(?:-|\.\.|to|until|till|and) ?(1[0-2]|[1-9])(?::[0-5]\d)? ?([ap])m(?: |$))/;

/** In the half of the day in which it ends, or in the one before: `11-1pm` begins at 11 in the morning. */
function withHalf(_: string, start: string, hour: string, end: string, half: string): string {
  const isOtherHalf = Number(hour) % 12 > Number(end) % 12;
  return `${start}${isOtherHalf === (half === 'a') ? 'p' : 'a'}m`;
}

type Read = Omit<WindowExpression, 'label'> & { readonly label?: string };

const minutesIn = { m: 1, h: 60, d: 1440, w: 10_080, mo: 43_200, y: 525_600 } as const;
const minuteMs = 60_000;
const units =
  /^(?:(m)(?:ins?|inutes?)?|(h)(?:rs?|ours?)?|(d)(?:ays?)?|(w)(?:ks?|eeks?)?|(mo)(?:nths?)?|(y)(?:rs?|ears?)?)$/;
const numberWords = 'one two three four five six seven eight nine ten eleven twelve'.split(' ');
const numberPattern = new RegExp(`(?<=^| )(?:${numberWords.join('|')})(?= )`, 'g');
const lead = /^((?:in|over|during|within|for|from|since|of) )?(?:the )?((?:last|past|previous|prior) )?/;
const amountPattern =
  /^(?:-|now ?- ?|last|past)?(\d{1,5}(?:\.\d{1,2})?)[ -]?([a-z]{1,7})(?: ?(?:and )?(\d{1,3})[ -]?([a-z]{1,7}))?( ago)?$/;
const halfPattern = /^(?:a |one |1 )?half (?:an? )?/;
const quarterPattern = /^(?:a |one |1 )?quarter (?:of )?(?:an? )?(?=hour$)/;
const andHalfPattern = /^(\d{1,3}) (?:([a-z]{1,7}) and a half|and a half ([a-z]{1,7}))$/;

/** `7d`, `last 24 hours`, `past week`, `half an hour`, `1h30m`, `-5h`. */
function rolling(words: string): Read | undefined {
  const [head = '', preposition = '', adjective] = lead.exec(words) ?? [];
  if (calendarPattern.test(words.slice(preposition.length))) return undefined;
  const rest = words.slice(head.length);
  const span = spanIn(rest) ?? (adjective === undefined ? undefined : spanIn(`a ${rest}`));
  return span && lastMinutes(span);
}

type Span = { readonly label: string; readonly minutes: number };

function lastMinutes({ label, minutes }: Span): WindowExpression {
  const bounds = ({ now }: Clock) => {
    if (minutes === 0) throw new WindowProblem('is empty');
    return { from: now - minutes * minuteMs, to: now, label };
  };
  return { label, needsZone: false, bounds };
}

/** The default window. */
export const lastDay = lastMinutes({ label: '24h', minutes: 24 * minutesIn.h });

/** The default window for recent failures. */
export const lastDays = lastMinutes({ label: '7d', minutes: 7 * minutesIn.d });

function spanIn(text: string): Span | undefined {
  const typed = text
    .replace(halfPattern, '0.5 ')
    .replace(quarterPattern, '0.25 ')
    .replace(/^an? /, '1 ')
    .replace(andHalfPattern, '$1.5 $2$3');
  const [, digits, unitWord = '', more, moreWord = '', ago] = amountPattern.exec(typed) ?? [];
  const [unit, smaller] = [unitWord, moreWord].map(unitOf);
  if (unit === undefined || (more !== undefined && smaller === undefined)) return undefined;
  const rest = smaller === undefined ? 0 : Number(more) * minutesIn[smaller];
  // `3 days ago` is a day, and `7d 24h` are two windows.
  if (rest >= minutesIn[unit] || (ago !== undefined && minutesIn[unit] >= minutesIn.d)) return undefined;
  const minutes = Math.round(Number(digits) * minutesIn[unit]) + rest;
  if (!Number.isInteger(Number(digits)) || rest > 0)
    return { label: minutes > 0 && minutes % 60 === 0 ? `${minutes / 60}h` : `${minutes}m`, minutes };
  return { label: unit === 'mo' || unit === 'y' ? `${minutes / minutesIn.d}d` : `${Number(digits)}${unit}`, minutes };
}

function unitOf(word: string): keyof typeof minutesIn | undefined {
  const unit = units.exec(word)?.slice(1).find(Boolean);
  return unit as keyof typeof minutesIn | undefined;
}

const sincePattern = /^(?:since|from|after|starting) (.+?)(?: ?(?:until|till|to|\.\.|-) ?now)?$/;
const untilNowPattern = /^(.+?) ?(?:(?:\.\.|-|to|until|till) ?now|\.\.)$/;

function sinceWindow(words: string): Read | undefined {
  const start = hour(sincePattern.exec(words)?.[1] ?? untilNowPattern.exec(words)?.[1] ?? '');
  const point = readPoint(start);
  const whole = calendarWindow(start);
  if (point === undefined && whole === undefined) return undefined;
  const bounds = (clock: Clock) => {
    const { from } = point ? spanOf(point, clock) : (whole?.bounds(clock) ?? { from: clock.now });
    const [zone, zoneWords] = shownZone(from, [point?.zone], clock);
    return { from, to: clock.now, label: `since ${spelled(from, zone)}${zoneWords}` };
  };
  return { needsZone: true, bounds };
}

/** `between 9 and 10`, `since 9 utc`, `since monday at 9`: after such a word a number is an hour. */
function hour(words: string): string {
  return words.replace(/(?<=^| at )(?:1?\d|2[0-4])(?=$| ([a-z]{3,4})$)/, (number, zone?: string) =>
    zone === undefined || zoneNamed(zone) !== undefined ? `${number}:00` : number,
  );
}

const weekdayPattern = /^(?:mon|tue|wed|thu|fri|sat|sun)/;
const rangePattern =
  /^(?:from |between |since )?(.{1,40}?) ?(?:\.\.| - | to | until | till | through | and ) ?(.{1,40})$/;
const timesPattern =
  /^(?:from |between |since )?((?:.{1,30} )?[\d:]{1,8}(?: ?[ap]m)?(?: ?(?!utc|gmt)[a-z]{3,4})?)-([\d:]{1,8}(?: ?[ap]m)?(?: ?[a-z]{3,4})?(?: .{1,30})?)$/;

function rangeWindow(words: string): Read | undefined {
  const range = words.replace(/ (?:from|between) /, ' ');
  const [, first = '', second = ''] = rangePattern.exec(range) ?? timesPattern.exec(range) ?? [];
  const isOfTime = /^(?:from|between|since) /.test(words);
  const [start, end] = [first, second].map((each) => readPoint(isOfTime ? hour(each) : each));
  if (!start || !end) return undefined;
  const rangeAt = (clock: Clock) => {
    const { from, date } = spanOf({ ...start, day: start.day ?? end.day, zone: start.zone ?? end.zone }, clock);
    const last = { ...end, zone: end.zone ?? start.zone };
    if (end.day !== null) return [from, spanOf(last, clock, date).to] as const;
    // A time without a day is on the day of the start; `22:00 to 02:00` ends on the next one.
    const [to = 0, next = 0] = [0, 1].map((days) => spanOf({ ...last, day: () => date.add({ days }) }, clock).to);
    return [from, to <= from && start.day === null ? next : to] as const;
  };
  const bounds = (clock: Clock) => {
    const latest = rangeAt(clock);
    // On a Monday, `monday to wednesday` was in the week before.
    const isAhead =
      [first, second].every((each) => weekdayPattern.test(each)) && midnight(latest[1] - 1, clock.zone) > clock.now;
    const [from, to] = isAhead ? rangeAt({ ...clock, now: midnight(clock.now, clock.zone, -7) }) : latest;
    const [zone, zoneWords] = shownZone(from, [start.zone, end.zone], clock);
    return { from, to, label: `${spelledRange(from, to, zone)}${zoneWords}` };
  };
  return { needsZone: true, bounds };
}

const endPattern = /^(?:until|till|before|up to) (.+)$/;
const untimedEnd = new RegExp(`^(?:now|${untimed})$`);

/** `until 10:00`: its start is asked for, not guessed. */
function endWindow(words: string): Read | undefined {
  const end = hour(endPattern.exec(words)?.[1] ?? '');
  if (!readPoint(end) && !calendarWindow(end) && !untimedEnd.test(end)) return undefined;
  return refused('has an end and no start', 'Type a range, such as 09:00..10:00.');
}

/** A week, a month, a year or a day; the hour around a time. */
function wholeWindow(words: string): Read | undefined {
  const text = words.replace(/^(?:(?:in the hour )?around |(?:for|of|from|in|during|about|near) |@ ?)/, '');
  const point = readPoint(text);
  if (!point) return calendarWindow(text);
  const bounds = (clock: Clock) => {
    const { from, to } = spanOf(point, clock);
    const [zone, zoneWords] = shownZone(from, [point.zone], clock);
    if (point.time !== null) {
      const [local, around] = [localAt(from, zone), 30 * minuteMs];
      const label = `in the hour around ${local.toPlainDate()} ${spelledTime(local)}${zoneWords}`;
      return { from: from - around, to: from + around, label };
    }
    const label = ['today', 'yesterday'].includes(text) ? text : `${spelledRange(from, to, zone)}${zoneWords}`;
    return { from, to, label };
  };
  return { needsZone: true, bounds };
}

/** Hours of a day. */
const partsOfDay = { morning: [6, 12], afternoon: [12, 18], evening: [18, 24], night: [18, 30] } as const;
const partPattern = /^(?:(?:this|yesterday|last) (morning|afternoon|evening|night)|tonight|over ?night)$/;

function partOfDay(words: string): Read | undefined {
  const [whole, part = 'night'] = partPattern.exec(words) ?? [];
  if (whole === undefined) return undefined;
  const bounds = ({ now, zone }: Clock) => {
    const today = localAt(now, zone).toPlainDate().toPlainDateTime();
    const at = (hours: number) => today.add({ hours }).toZonedDateTime(zone).epochMilliseconds;
    // After midnight, tonight is the night that began yesterday.
    const isOfToday = whole === 'tonight' ? now >= at(6) : whole.startsWith('this');
    const [first, last] = partsOfDay[part as keyof typeof partsOfDay];
    const [from, to] = [at(first - (isOfToday ? 0 : 24)), at(last - (isOfToday ? 0 : 24))];
    return { from, to, label: spelledRange(from, to, zone) };
  };
  return { needsZone: true, bounds };
}

/** Saturday and Sunday. On a Sunday, the last weekend is the one before; on a Monday, this weekend has not begun. */
function weekend(words: string): Read | undefined {
  const [whole, which] = /^(?:the |at the |over the )?(?:(this|last|past) )?weekend$/.exec(words) ?? [];
  if (whole === undefined) return undefined;
  const bounds = ({ now, zone }: Clock) => {
    const today = localAt(now, zone).startOfDay();
    const saturday = today.subtract({ days: (today.dayOfWeek + 1) % 7 });
    const isWeekend = today.dayOfWeek > 5;
    const weeks = which === 'last' && isWeekend ? -1 : which === 'this' && !isWeekend ? 1 : 0;
    return rangeOfDays(saturday.add({ weeks }), { days: 2 });
  };
  return { needsZone: true, bounds };
}

const monthPattern =
  /^(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)(?= \d{4}$|$)/;
const monthNames = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];

/** `november`, `oct 2026`: without a year the last one that has begun. */
function monthNamed(words: string): Read | undefined {
  const [name] = monthPattern.exec(words) ?? [];
  // `may`, `mar` and `dec` alone may be words, or begin a name.
  if (name === undefined || (words === name && name.length < 4)) return undefined;
  const month = monthNames.indexOf(name.slice(0, 3)) + 1;
  const year = words === name ? undefined : Number(words.slice(name.length + 1));
  const bounds = ({ now, zone }: Clock) => {
    const today = localAt(now, zone).startOfDay();
    const from = today.with({ month, day: 1, year: year ?? today.year - Number(month > today.month) });
    return rangeOfDays(from, { months: 1 });
  };
  return { needsZone: true, bounds };
}

function rangeOfDays(
  first: Temporal.ZonedDateTime,
  length: { readonly days: number } | { readonly months: number },
): Bounds {
  const [from, to] = [first.epochMilliseconds, first.add(length).epochMilliseconds];
  return { from, to, label: spelledRange(from, to, first.timeZoneId) };
}

const weekPattern = /^(?:iso |calendar )?(?:week|wk|cw|kw) ?(\d{1,2})(?: (?:of )?(\d{4}))?$/;

/** An ISO week: `week 46`, `week 46 2026`, `2026-W46`. Without a year the last one that has begun. */
function weekNumbered(words: string): Read | undefined {
  const [whole, number, typedYear] = weekPattern.exec(words) ?? [];
  if (whole === undefined) return undefined;
  const week = Number(number);
  const bounds = ({ now, zone }: Clock) => {
    const today = localAt(now, zone).startOfDay();
    const { weekOfYear = 0, yearOfWeek = 0 } = today;
    // The first week has 4 January.
    const first = today.with({ year: Number(typedYear ?? yearOfWeek - Number(week > weekOfYear)), month: 1, day: 4 });
    const monday = first.subtract({ days: first.dayOfWeek - 1 }).add({ weeks: week - 1 });
    if (monday.weekOfYear !== week) throw new WindowProblem('is not a week that exists');
    return rangeOfDays(monday, { days: 7 });
  };
  return { needsZone: true, bounds };
}

/** The last week ends on Sunday; `the last week` ends now. */
const calendarPattern = /^(?:the (?!last|previous))?(this|current|last|previous) (week|month|year)$/;

function calendarWindow(words: string): Read | undefined {
  const [, which, unit] = calendarPattern.exec(words) ?? [];
  if (unit === undefined) return partOfDay(words) ?? weekend(words) ?? monthNamed(words) ?? weekNumbered(words);
  const isLast = which === 'last' || which === 'previous';
  const bounds = ({ now, zone }: Clock) => {
    const today = localAt(now, zone).startOfDay();
    const inMonth = unit === 'year' ? { month: 1, day: 1 } : { day: 1 };
    const begin = unit === 'week' ? today.subtract({ days: today.dayOfWeek - 1 }) : today.with(inMonth);
    const one = { [`${unit}s`]: 1 };
    const [from, to] = isLast ? [begin.subtract(one), begin] : [begin, begin.add(one)];
    return { from: from.epochMilliseconds, to: to.epochMilliseconds, label: `${isLast ? 'last' : 'this'} ${unit}` };
  };
  return { needsZone: true, bounds };
}

function refused(problem: string, hint?: string): Read {
  const bounds = () => {
    throw new WindowProblem(problem, hint);
  };
  return { needsZone: false, bounds };
}

/** @returns the reader's zone and no words; its offset and the words for it if another zone was typed */
function shownZone(at: number, typed: readonly (string | null | undefined)[], { zone }: Clock): [string, string] {
  const own = zoneOffset(zone, at);
  const isOwn = typed.every((each) => !each || zoneOffset(zoneNamed(each, zone) ?? zone, at) === own);
  return isOwn ? [zone, ''] : [own.slice('UTC'.length) || '+00:00', ` ${own}`];
}

/** @returns a local day, with its time unless it is midnight */
function spelled(at: number, zone: string): string {
  const local = localAt(at, zone);
  return isMidnight(local) ? `${local.toPlainDate()}` : `${local.toPlainDate()} ${spelledTime(local)}`;
}

function spelledTime(local: Temporal.ZonedDateTime): string {
  const time = local.toPlainTime();
  return time.second === 0 && time.millisecond === 0 ? time.toString({ smallestUnit: 'minute' }) : time.toString();
}

function spelledRange(from: number, to: number, zone: string): string {
  const [start, end] = [localAt(from, zone), localAt(to, zone)] as const;
  const isDays = isMidnight(start) && isMidnight(end);
  const [first, last] = [start, isDays ? end.subtract({ days: 1 }) : end].map((each) => `${each.toPlainDate()}`);
  if (isDays) return first === last ? `${first}` : `${first}..${last}`;
  return `${first} ${spelledTime(start)}..${last === first ? '' : `${last} `}${spelledTime(end)}`;
}

function localAt(at: number, zone: string): Temporal.ZonedDateTime {
  return Temporal.Instant.fromEpochMilliseconds(at).toZonedDateTimeISO(zone);
}

function isMidnight(local: Temporal.ZonedDateTime): boolean {
  return local.toPlainTime().equals('00:00');
}
