/** Windows of time as people type them: parsed without a clock, resolved with one. */
import { Temporal } from 'temporal-polyfill';
import { AppError } from '../../shared/errors.ts';

/** A time range that a query covers. */
export type Window = {
  /** Epoch milliseconds, inclusive. */
  readonly from: number;
  /** Epoch milliseconds, exclusive. */
  readonly to: number;
  /** As a person would type it: `24h`, `yesterday`, `2026-11-20`. */
  readonly label: string;
  /** True if `to` is now, so that the window moves with the clock. */
  readonly isMoving: boolean;
};

/** A parsed window that is not yet resolved against a clock. */
export type WindowExpression = {
  readonly label: string;
  /** @param now epoch milliseconds @param zone IANA time zone in which days begin */
  readonly bounds: (now: number, zone: string) => { readonly from: number; readonly to: number };
  /** True if the reader's time zone is needed. */
  readonly needsZone: boolean;
};

const minuteMs = 60_000;
const unitMs = { m: minuteMs, h: 60 * minuteMs, d: 1440 * minuteMs, w: 7 * 1440 * minuteMs } as const;
const windowDaysMax = 366;
const relativePattern = /^(\d{1,5})(m|h|d|w)$/;

/** The default window. */
export const lastDay: WindowExpression = lastWindow('24h', 24, 'h');

/** The default window for recent failures. */
export const lastDays: WindowExpression = lastWindow('7d', 7, 'd');

/** Hint for an invalid window. */
export const windowHint =
  'A window is a time span such as 24h, 7d, today, yesterday, 2026-11-20 or 2026-11-20T10:00Z..12:00Z. Days begin at midnight in your Slack time zone.';

/**
 * @param text one word, such as `24h`, `yesterday`, `2026-11-20` or `2026-11-20T10:00Z..12:00Z`
 * @returns undefined when the word is no window at all
 * @throws AppError `usage` for what looks like a window and is none, such as `2026-02-30`
 */
export function parseWindow(text: string): WindowExpression | undefined {
  const label = text.toLowerCase();
  if (label === 'today' || label === 'yesterday') return dayWindow(label, label === 'today' ? 0 : 1);
  const relative = relativePattern.exec(label);
  if (relative) return lastWindow(label, Number(relative[1]), relative[2] as keyof typeof unitMs);
  if (!/^\d{4}-\d{2}-\d{2}/.test(text)) return undefined;
  return rangeWindow(text);
}

function lastWindow(label: string, amount: number, unit: keyof typeof unitMs): WindowExpression {
  const lengthMs = amount * unitMs[unit];
  if (lengthMs === 0) throw badWindow(label, 'is empty');
  return { label, needsZone: false, bounds: (now) => ({ from: now - lengthMs, to: now }) };
}

function dayWindow(label: string, daysAgo: number): WindowExpression {
  const bounds = (now: number, zone: string) => {
    const day = Temporal.Instant.fromEpochMilliseconds(now)
      .toZonedDateTimeISO(zone)
      .startOfDay()
      .subtract({ days: daysAgo });
    return { from: day.epochMilliseconds, to: daysAgo === 0 ? now : day.add({ days: 1 }).epochMilliseconds };
  };
  return { label, needsZone: true, bounds };
}

/** `<start>` or `<start>..<end>`; a day means the whole day, and an end may leave out the date it shares with its start. */
function rangeWindow(text: string): WindowExpression {
  const [start = '', end = start, ...rest] = text.toUpperCase().split('..');
  if (rest.length > 0) throw badWindow(text, 'has more than two ends');
  const fullEnd = /^\d{2}:\d{2}/.test(end) ? `${start.slice(0, 10)}T${end}` : end;
  if (end === start && start.includes('T')) throw badWindow(text, 'has a start and no end');
  const first = edge(start, text);
  const last = edge(fullEnd, text);
  return {
    label: text,
    needsZone: first.needsZone || last.needsZone,
    bounds: (_now, zone) => ({ from: first.from(zone), to: last.to(zone) }),
  };
}

type Edge = {
  readonly needsZone: boolean;
  readonly from: (zone: string) => number;
  readonly to: (zone: string) => number;
};

function edge(text: string, whole: string): Edge {
  try {
    if (/^\d{4}-\d{2}-\d{2}$/.test(text)) return dayEdge(Temporal.PlainDate.from(text, { overflow: 'reject' }));
    if (/(Z|[+-]\d{2}:\d{2})$/.test(text)) {
      const instant = Temporal.Instant.from(text).epochMilliseconds;
      return { needsZone: false, from: () => instant, to: () => instant };
    }
    const local = Temporal.PlainDateTime.from(text, { overflow: 'reject' });
    const at = (zone: string) => local.toZonedDateTime(zone).epochMilliseconds;
    return { needsZone: true, from: at, to: at };
  } catch (cause) {
    throw badWindow(whole, 'is not a date that exists', cause);
  }
}

function dayEdge(date: Temporal.PlainDate): Edge {
  const startOf = (day: Temporal.PlainDate, zone: string) => day.toZonedDateTime(zone).epochMilliseconds;
  return {
    needsZone: true,
    from: (zone) => startOf(date, zone),
    to: (zone) => startOf(date.add({ days: 1 }), zone),
  };
}

/**
 * @param now epoch milliseconds; a window that reaches beyond it ends there
 * @param zone IANA time zone of the reader
 * @throws AppError `usage` when the window is inverted, in the future or longer than 366 days
 */
export function resolveWindow(expression: WindowExpression, now: number, zone: string): Window {
  const { from, to } = expression.bounds(now, zone);
  if (from >= to) throw badWindow(expression.label, 'ends before it begins');
  if (from >= now) throw badWindow(expression.label, 'has not begun yet');
  if (to - from > windowDaysMax * unitMs.d) throw badWindow(expression.label, `is longer than ${windowDaysMax} days`);
  return { from, to: Math.min(to, now), label: expression.label, isMoving: to >= now };
}

/** The window of the same length that ends where this one begins. */
export function windowBefore(window: Window): { readonly from: number; readonly to: number } {
  return { from: window.from - (window.to - window.from), to: window.from };
}

/**
 * @param from epoch milliseconds @param to likewise @returns a window as a person would type it, to the millisecond
 * @throws AppError `internal` for a window that ends before it begins: nothing would be found in it
 */
export function spelledWindow(from: number, to: number): string {
  const label = `${new Date(from).toISOString()}..${new Date(to).toISOString()}`;
  if (from > to) throw new AppError('internal', `The window ${label} ends before it begins.`);
  return label;
}

/** Returns true if `spelledWindow` made it: exact, and not meant for people. */
export function isSpelledOut({ label }: Window): boolean {
  return /^[^\s.]+\.\d{3}Z\.\.[^\s.]+\.\d{3}Z$/.test(label);
}

/** Returns true if both ends move with the clock, as those of `24h` do and the start of `today` does not. */
export function isRolling({ label, isMoving }: Window): boolean {
  return isMoving && relativePattern.test(label);
}

function badWindow(label: string, problem: string, cause?: unknown): AppError {
  return new AppError('usage', `The window “${label}” ${problem}.`, { hint: windowHint, cause });
}
