/** The small print of an answer: its age, its source, its missing parts, and its window. */
import type { Provenance } from '../../domain/provenance.ts';
import { isRolling, isSpelledOut, type Window } from '../../domain/window.ts';
import { type Markup, markup } from './mrkdwn.ts';
import { dateToken, duration } from './time.ts';

/** Ages below a second are shown as one second. */
const secondMs = 1000;

/** @param now epoch milliseconds @returns such as `live`, `cached 12 s ago`, `query service unreachable since 10:02, as of 3 min ago` */
export function sourceLine(provenance: Provenance, now: number): Markup {
  const age = duration(Math.max(secondMs, now - provenance.asOf));
  switch (provenance.source) {
    case 'live':
      return markup`:large_blue_circle: live`;
    case 'cached':
      return markup`:white_circle: cached ${age} ago`;
    case 'stale': {
      const since =
        provenance.failingSince === undefined ? markup`` : markup` since ${dateToken(provenance.failingSince)}`;
      return markup`:warning: query service ${provenance.staleReason ?? 'unreachable'}${since}, as of ${age} ago`;
    }
  }
}

/** @returns a sentence that names the missing parts of the answer; none if it is complete */
export function missingLine(provenance: Provenance): readonly Markup[] {
  if (provenance.missing.length === 0) return [];
  return [markup`:warning: The query service could not give: ${provenance.missing.join(', ')}.`];
}

/** @returns such as `in the last 24h`, `yesterday`, `on 2026-11-20`, `in those 24 h` */
export function windowText(window: Window): string {
  const { label, from, to, isMoving } = window;
  if (isSpelledOut(window)) return `in those ${duration(to - from)}`;
  if (isRolling(window)) return `in the last ${label}`;
  if (label === 'today' || label === 'yesterday') return label;
  const isDay = /^\d{4}-\d{2}-\d{2}$/.test(label);
  return `${isDay ? 'on' : 'within'} ${label}${isMoving ? ' so far' : ''}`;
}

type WindowLineInput = { readonly window: Window; readonly provenance: Provenance; readonly now: number };

/** A moving window of an old answer ended when the answer was given. */
export function windowLine({ window, provenance, now }: WindowLineInput): Markup {
  const { from, to, isMoving } = window;
  const named = isSpelledOut(window) ? 'Window' : `Window ${window.label}`;
  if (!isMoving) return markup`${named}: ${dateToken(from)} to ${dateToken(to)}`;
  if (provenance.source !== 'stale') return markup`${named}: ${dateToken(from)} to now`;
  const movedFrom = isRolling(window) ? from - (now - provenance.asOf) : from;
  return markup`${named}: ${dateToken(movedFrom)} to ${dateToken(provenance.asOf)}`;
}
