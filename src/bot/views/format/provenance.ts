/** The small print of an answer: its age, its source, its missing parts, and its window. */
import type { KnownBlock } from '@slack/types';
import type { Provenance } from '../../domain/provenance.ts';
import { isRolling, isSpelledOut, type Window } from '../../domain/window.ts';
import { bold, date, emoji, paragraph, rich, trusted, type Words } from '../blocks/rich-text.ts';
import { type Markup, markup } from './mrkdwn.ts';
import { dateToken, duration } from './time.ts';

/**
 * The source, with the time of the data, because a shared answer is read later; and what is missing.
 * @param now epoch milliseconds
 * @returns such as `As of 10:05`, `As of 10:05 (cached)`, `As of 10:00, 3 min old`
 */
export function sourceLines({ source, asOf, missing }: Provenance, now: number): readonly Markup[] {
  const readAt = Number.isFinite(asOf) ? asOf : now;
  const at = markup`As of ${dateToken(readAt)}`;
  const age = {
    live: at,
    cached: markup`${at} (cached)`,
    stale: markup`:warning: ${at}, ${ageText(now - readAt)} old`,
  };
  return [age[source], ...(missing.length === 0 ? [] : [markup`:warning: Not known: ${missing.join(', ')}.`])];
}

/** The first line of an answer that is not of now; none otherwise. @param now epoch milliseconds */
export function staleLine({ source, asOf, staleReason, failingSince }: Provenance, now: number): readonly KnownBlock[] {
  if (source !== 'stale') return [];
  const reason = trusted(staleReasons[staleReason ?? 'unreachable']);
  const state = failingSince === undefined ? rich`is ${reason}` : rich`has been ${reason} since ${date(failingSince)}`;
  const age = bold(`${ageText(now - asOf)} old`);
  return [paragraph(rich`${emoji('warning')} This answer is ${age}, as of ${date(asOf)}: the query service ${state}.`)];
}

/** @param window of the answer @returns a line that the asked one could not be read; none if it is that */
export function unreadWindow(asked: Window, window: Window): Words {
  if (asked.label === window.label) return [];
  return rich`\n${emoji('warning')} Nothing could be read for the window that was asked for (${trusted(windowText(asked))}). These numbers are for another one (${trusted(windowText(window))}).`;
}

/** Ages below a second are shown as one second. */
const ageText = (ms: number) => duration(Math.max(1000, ms));

const staleReasons = {
  busy: 'busy',
  slow: 'slow',
  unreachable: 'unreachable',
  late: 'unresponsive',
  failing: 'failing',
} as const satisfies Record<NonNullable<Provenance['staleReason']>, string>;

/** @param label of a rolling window, as typed: `24h` @returns such as `24 h`, `7 days`; any other label unchanged */
export function spanText(label: string): string {
  const [, amount = '', unit = ''] = /^(\d{1,5})(m|h|d|w)$/.exec(label) ?? [];
  switch (unit) {
    case 'm':
      return `${amount} min`;
    case 'h':
      return amount === '1' ? 'hour' : `${amount} h`;
    case 'd':
      return amount === '1' ? 'day' : `${amount} days`;
    case 'w':
      return amount === '1' ? 'week' : `${amount} weeks`;
    default:
      return label;
  }
}

/** @returns such as `in the last 24 h`, `yesterday`, `on 2026-11-20`, `from 2026-11-20 to 2026-11-21`, `in the chosen 24 h` */
export function windowText(window: Window): string {
  const { label, from, to, isMoving } = window;
  if (isSpelledOut(window)) return `in the chosen ${duration(to - from)}`;
  if (isRolling(window)) return `in the last ${spanText(label)}`;
  if (!/^\d/.test(label)) return label;
  const dates = label.includes('..') ? `from ${label.replace('..', ' to ')}` : `on ${label}`;
  return `${dates}${isMoving ? ' so far' : ''}`;
}

/** Ends a sentence that says `none`: a window of the past may be older than what the service keeps. */
export function orNotKept({ isMoving }: Window): string {
  return isMoving ? '' : ', or none that the query service still keeps';
}

type WindowLineInput = { readonly window: Window; readonly provenance: Provenance; readonly now: number };

/** A moving window ended when the service gave the answer. */
export function windowLine({ window, provenance, now }: WindowLineInput): Markup {
  const { from, to, isMoving } = window;
  const age = isMoving && Number.isFinite(provenance.asOf) ? Math.max(0, now - provenance.asOf) : 0;
  const movedFrom = isRolling(window) ? from - age : from;
  return markup`From ${dateToken(movedFrom)} to ${dateToken(isMoving ? now - age : to)}`;
}
