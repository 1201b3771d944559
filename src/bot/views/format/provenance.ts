/** The small print of an answer: its age, its source, its missing parts, and its window. */
import type { KnownBlock, RichTextElement } from '@slack/types';
import type { Provenance } from '../../domain/provenance.ts';
import { isRolling, isSpelledOut, type Window } from '../../domain/window.ts';
import { bold, date, emoji, paragraph, rich, trusted } from '../blocks/rich-text.ts';
import { type Markup, markup } from './mrkdwn.ts';
import { dateToken, duration } from './time.ts';

/**
 * A shared answer is read later, so it has the time of its data.
 * @param now epoch milliseconds
 * @returns such as `as of 10:05`, `query service unreachable since 10:02, as of 10:00, 3 min old`
 */
export function sourceLine(provenance: Provenance, now: number): Markup {
  const asOf = Number.isFinite(provenance.asOf) ? provenance.asOf : now;
  const at = markup`as of ${dateToken(asOf)}`;
  switch (provenance.source) {
    case 'live':
      return markup`:large_blue_circle: ${at}`;
    case 'cached':
      return markup`:white_circle: cached, ${at}`;
    case 'stale': {
      const since =
        provenance.failingSince === undefined ? markup`` : markup` since ${dateToken(provenance.failingSince)}`;
      const age = duration(Math.max(secondMs, now - asOf));
      const reason = staleReasons[provenance.staleReason ?? 'unreachable'];
      return markup`:warning: query service ${reason}${since}, ${at}, ${age} old`;
    }
  }
}

/** The first line of an answer that is not of now; none otherwise. @param now epoch milliseconds */
export function staleLine({ source, asOf, staleReason, failingSince }: Provenance, now: number): readonly KnownBlock[] {
  if (source !== 'stale') return [];
  const reason = trusted(staleReasons[staleReason ?? 'unreachable']);
  const state = failingSince === undefined ? rich`is ${reason}` : rich`has been ${reason} since ${date(failingSince)}`;
  const age = bold(`${duration(Math.max(secondMs, now - asOf))} old`);
  return [paragraph(rich`${emoji('warning')} ${age}, as of ${date(asOf)}: the query service ${state}.`)];
}

/** @param window of the answer @returns a line that the asked one could not be read; none if it is that */
export function unreadWindow(asked: Window, window: Window): readonly RichTextElement[] {
  if (asked.label === window.label) return [];
  return rich`\n${emoji('warning')} The numbers ${trusted(windowText(asked))} could not be read. These are the numbers ${trusted(windowText(window))}.`;
}

/** Ages below a second are shown as one second. */
const secondMs = 1000;

const staleReasons = {
  busy: 'busy',
  slow: 'slow',
  unreachable: 'unreachable',
  late: 'unresponsive',
  failing: 'failing',
} as const satisfies Record<NonNullable<Provenance['staleReason']>, string>;

/** @returns a sentence that names the missing parts of the answer; none if it is complete */
export function missingLine(provenance: Provenance): readonly Markup[] {
  if (provenance.missing.length === 0) return [];
  return [markup`:warning: Not known: ${provenance.missing.join(', ')}.`];
}

/** The source, and what is missing. @param now epoch milliseconds */
export function sourceLines(provenance: Provenance, now: number): readonly Markup[] {
  return [sourceLine(provenance, now), ...missingLine(provenance)];
}

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

type WindowLineInput = { readonly window: Window; readonly provenance: Provenance; readonly now: number };

/** A moving window ended when the service gave the answer. */
export function windowLine({ window, provenance, now }: WindowLineInput): Markup {
  const { from, to, isMoving } = window;
  const age = isMoving && Number.isFinite(provenance.asOf) ? Math.max(0, now - provenance.asOf) : 0;
  const movedFrom = isRolling(window) ? from - age : from;
  return markup`From ${dateToken(movedFrom)} to ${dateToken(isMoving ? now - age : to)}`;
}
