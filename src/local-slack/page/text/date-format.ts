/**
 * The date tokens that the bot sends, in the reader's own time zone.
 * https://docs.slack.dev/messaging/formatting-message-text#date-formatting
 */

export type Reader = {
  /** Epoch milliseconds. */
  readonly now: number;
  /** IANA name. */
  readonly timeZone: string;
};

const shortDay = { month: 'short', day: 'numeric' } as const;
const longDay = { weekday: 'long', month: 'long', day: 'numeric' } as const;
const time = { hour: 'numeric', minute: '2-digit' } as const;
const tokens: Readonly<Record<string, (at: number, reader: Reader) => string>> = {
  date_short: (at, reader) => day(at, shortDay, reader),
  date_short_pretty: (at, reader) => near(at, reader) ?? day(at, shortDay, reader),
  time: (at, reader) => write(at, time, reader),
  time_secs: (at, reader) => write(at, { ...time, second: '2-digit' }, reader),
};

/**
 * @param date its timestamp in seconds since 1970
 * @returns null if the fallback has to be shown: for an invalid time or zone, and for a format without known tokens
 */
export function formatDate(
  { timestamp, format }: { readonly timestamp: number; readonly format: string },
  reader: Reader,
): string | null {
  let isKnown = false;
  try {
    const text = format.replace(/\{([a-z_]+)\}/g, (whole, token: string) => {
      if (!Object.hasOwn(tokens, token)) return whole;
      isKnown = true;
      return tokens[token]?.(timestamp * 1000, reader) ?? '';
    });
    return isKnown ? text.charAt(0).toUpperCase() + text.slice(1) : null;
  } catch {
    return null;
  }
}

/** @param at epoch milliseconds @returns `10:04 AM` */
export function timeOfDay(at: number, reader: Reader): string {
  return write(at, time, reader);
}

/** @param at epoch milliseconds @returns `November 20, 2026 at 11:04:05 AM` */
export function fullTime(at: number, reader: Reader): string {
  return write(at, { dateStyle: 'long', timeStyle: 'medium' }, reader);
}

/** @param at epoch milliseconds @returns `Today`, `Friday, November 20` */
export function dayOf(at: number, reader: Reader): string {
  return near(at, reader)?.replace(/^./, (letter) => letter.toUpperCase()) ?? day(at, longDay, reader);
}

function near(at: number, reader: Reader): string | null {
  const dayNumber = (time: number) => Date.parse(`${write(time, { dateStyle: 'medium' }, reader)} UTC`) / 86_400_000;
  const days = dayNumber(at) - dayNumber(reader.now);
  return { '-1': 'yesterday', '0': 'today', '1': 'tomorrow' }[String(days)] ?? null;
}

const sixMonthsMs = 182 * 86_400_000;

/** Adds the year, which Slack omits within six months of now. */
function day(at: number, options: Intl.DateTimeFormatOptions, reader: Reader): string {
  const year = Math.abs(reader.now - at) < sixMonthsMs ? {} : ({ year: 'numeric' } as const);
  return write(at, { ...options, ...year }, reader);
}

const formatters = new Map<string, Intl.DateTimeFormat>();

/** Keeps its formatters, because creating one takes longer than a hundred uses. @throws RangeError for an invalid time or zone */
function write(at: number, options: Intl.DateTimeFormatOptions, { timeZone }: Reader): string {
  const key = JSON.stringify([options, timeZone]);
  const formatter = formatters.get(key) ?? new Intl.DateTimeFormat('en-US', { ...options, timeZone });
  formatters.set(key, formatter);
  // Intl separates the hour from AM and PM by a narrow space.
  return formatter.format(at).replaceAll('\u202f', ' ');
}
