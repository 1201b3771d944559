/**
 * Slack's date tokens in the reader's own time zone.
 * https://docs.slack.dev/messaging/formatting-message-text#date-formatting, and RichTextDate in @slack/types for the newer ones.
 */

type DateSpec = {
  /** Seconds since 1970. */
  readonly timestamp: number;
  readonly format: string;
};

export type Reader = {
  /** Epoch milliseconds. */
  readonly now: number;
  /** IANA name. */
  readonly timeZone: string;
};

type DateParts = {
  readonly year: number;
  readonly month: number;
  readonly day: number;
  readonly weekday: number;
  readonly hour: number;
  readonly minute: number;
  readonly second: number;
};

const months = 'January February March April May June July August September October November December'.split(' ');
const weekdays = 'Sunday Monday Tuesday Wednesday Thursday Friday Saturday'.split(' ');
const sixMonthsMs = 182 * 86_400_000;

type Write = (parts: DateParts, context: Context) => string;
type Context = { readonly at: number; readonly now: number; readonly today: DateParts };

const tokens: Readonly<Record<string, Write>> = {
  date_num: ({ year, month, day }) => `${year}-${pad(month)}-${pad(day)}`,
  date_slash: ({ year, month, day }) => `${pad(day)}/${pad(month)}/${year}`,
  date: (parts, context) => withYear(`${monthName(parts)} ${ordinal(parts.day)}`, parts, context),
  date_short: (parts, context) => withYear(`${monthName(parts).slice(0, 3)} ${parts.day}`, parts, context),
  date_long: (parts, context) => withYear(longDay(parts), parts, context),
  date_long_full: (parts) => `${monthName(parts)} ${parts.day}, ${parts.year}`,
  date_pretty: (parts, context) => near(parts, context) ?? write('date', parts, context),
  date_short_pretty: (parts, context) => near(parts, context) ?? write('date_short', parts, context),
  date_long_pretty: (parts, context) => near(parts, context) ?? write('date_long', parts, context),
  day_divider_pretty: (parts, context) => near(parts, context) ?? dividerDay(parts, context),
  time: (parts) => clock(parts, ''),
  time_secs: (parts) => clock(parts, `:${pad(parts.second)}`),
  ago: (_, { at, now }) => ago(now - at),
};

/** @returns null if the fallback has to be shown: for an invalid time or zone, and for a format without tokens */
export function formatDate({ timestamp, format }: DateSpec, { now, timeZone }: Reader): string | null {
  const at = timestamp * 1000;
  const parts = partsIn(timeZone, at);
  const today = partsIn(timeZone, now);
  if (!parts || !today) return null;
  let isKnown = false;
  const text = format.replace(/\{([a-z_]+)\}/g, (whole, token: string) => {
    if (!Object.hasOwn(tokens, token)) return whole;
    isKnown = true;
    return write(token, parts, { at, now, today });
  });
  return isKnown ? text.charAt(0).toUpperCase() + text.slice(1) : null;
}

/** @param at epoch milliseconds @returns `10:04 AM`; empty for an unknown zone */
export function timeOfDay(at: number, reader: Reader): string {
  return formatDate({ timestamp: at / 1000, format: '{time}' }, reader) ?? '';
}

function write(token: string, parts: DateParts, context: Context): string {
  return tokens[token]?.(parts, context) ?? '';
}

function partsIn(timeZone: string, at: number): DateParts | null {
  if (!Number.isFinite(at) || Math.abs(at) > 8.64e15) return null;
  const formatter = formatterFor(timeZone);
  if (!formatter) return null;
  const found = Object.fromEntries(formatter.formatToParts(at).map(({ type, value }) => [type, Number(value)]));
  const { year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0 } = found;
  const weekday = new Date(Date.UTC(year, month - 1, day)).getUTCDay();
  return { year, month, day, weekday, hour, minute, second };
}

const formatters = new Map<string, Intl.DateTimeFormat | null>();

/** One formatter per zone, because creating one takes longer than a hundred uses. */
function formatterFor(timeZone: string): Intl.DateTimeFormat | null {
  const known = formatters.get(timeZone);
  if (known !== undefined) return known;
  const made = makeFormatter(timeZone);
  formatters.set(timeZone, made);
  return made;
}

function makeFormatter(timeZone: string): Intl.DateTimeFormat | null {
  const numeric = 'numeric';
  try {
    return new Intl.DateTimeFormat('en-u-ca-gregory', {
      timeZone,
      hourCycle: 'h23',
      ...{ year: numeric, month: numeric, day: numeric, hour: numeric, minute: numeric, second: numeric },
    });
  } catch {
    return null;
  }
}

function near(parts: DateParts, { today }: Context): string | null {
  const days = dayNumber(parts) - dayNumber(today);
  if (days === 0) return 'today';
  if (days === -1) return 'yesterday';
  return days === 1 ? 'tomorrow' : null;
}

function dayNumber({ year, month, day }: DateParts): number {
  return Date.UTC(year, month - 1, day) / 86_400_000;
}

/** Adds the year, which Slack omits within six months of now. */
function withYear(day: string, { year }: DateParts, { at, now }: Context): string {
  return Math.abs(now - at) < sixMonthsMs ? day : `${day}, ${year}`;
}

function dividerDay(parts: DateParts, { today }: Context): string {
  return parts.year === today.year ? longDay(parts) : `${longDay(parts)}, ${parts.year}`;
}

function longDay(parts: DateParts): string {
  return `${weekdays[parts.weekday] ?? ''}, ${monthName(parts)} ${ordinal(parts.day)}`;
}

function monthName({ month }: DateParts): string {
  return months[month - 1] ?? '';
}

function ordinal(day: number): string {
  const isTeen = day > 10 && day < 14;
  return `${day}${isTeen ? 'th' : (['th', 'st', 'nd', 'rd'][day % 10] ?? 'th')}`;
}

function clock({ hour, minute }: DateParts, seconds: string): string {
  return `${hour % 12 === 0 ? 12 : hour % 12}:${pad(minute)}${seconds} ${hour < 12 ? 'AM' : 'PM'}`;
}

function pad(value: number): string {
  return String(value).padStart(2, '0');
}

const agoUnits = [
  ['year', 365 * 86_400],
  ['month', 30 * 86_400],
  ['day', 86_400],
  ['hour', 3600],
  ['minute', 60],
] as const;

function ago(ms: number): string {
  const seconds = Math.abs(ms) / 1000;
  const [unit, size] = agoUnits.find(([, length]) => seconds >= length) ?? ['second', 1];
  const amount = Math.floor(seconds / size);
  if (unit === 'second' && amount < 10) return 'just now';
  const words = `${amount} ${unit}${amount === 1 ? '' : 's'}`;
  return ms < 0 ? `in ${words}` : `${words} ago`;
}
