/** Windows of time: a range compared with the clock, and its words. */
import { AppError } from '../../shared/errors.ts';
import { WindowProblem } from './point-in-time.ts';
import type { WindowExpression } from './window-words.ts';

/** A time range that a query covers. */
export type Window = {
  /** Epoch milliseconds, inclusive. */
  readonly from: number;
  /** Epoch milliseconds, exclusive. */
  readonly to: number;
  /** As a person would type it: `24h`, `yesterday`, `2026-11-20`, `since 2026-11-20 23:00`. */
  readonly label: string;
  /** True if `to` is now, so that the window moves with the clock. */
  readonly isMoving: boolean;
};

const dayMs = 86_400_000;
const windowDaysMax = 366;

/** Hint for an invalid window. */
export const windowHint =
  'A window is a time span such as 24h, last 7 days, yesterday, last week, monday, since 23:00, 2026-11-20 or 2026-11-20 10:00..12:00. Days begin at midnight in your Slack time zone; charts of more than 40 days count UTC days.';

/**
 * @param now epoch milliseconds; a window that reaches beyond it ends there
 * @param zone IANA time zone of the reader
 * @throws AppError `usage` when the window is inverted, in the future or longer than 366 days
 */
export function resolveWindow(expression: WindowExpression, now: number, zone: string): Window {
  try {
    const { from, to, label } = expression.bounds({ now, zone });
    if (from >= now) throw new WindowProblem('has not begun yet');
    if (from > to) throw new WindowProblem('ends before it begins');
    if (from === to) throw new WindowProblem('is empty');
    if (to - from > windowDaysMax * dayMs) throw new WindowProblem(`is longer than ${windowDaysMax} days`);
    return { from, to: Math.min(to, now), label, isMoving: to >= now };
  } catch (cause) {
    if (!(cause instanceof WindowProblem)) throw cause;
    throw new AppError('usage', `The window “${expression.label}” ${cause.message}.`, {
      hint: cause.hint ?? windowHint,
    });
  }
}

/** @returns the window, or the one that an answer is about instead; if that moves, as of now */
export function answeredWindow(window: Window, instead: Window | undefined, now: number): Window {
  if (!instead?.isMoving) return instead ?? window;
  return { ...instead, from: isRolling(instead) ? instead.from + now - instead.to : instead.from, to: now };
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
  return isMoving && /^\d{1,5}[mhdw]$/.test(label);
}
