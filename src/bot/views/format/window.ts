/** The window of an answer: in its sentence, and exactly in its small print. */
import type { Provenance } from '../../domain/provenance.ts';
import { isRolling, isSpelledOut, type Window } from '../../domain/window.ts';
import { dateToken, duration } from './date.ts';
import { type Markup, markup } from './mrkdwn.ts';

/** @returns such as `in the last 24h`, `yesterday`, `on 2026-11-20`, `in those 24 h` */
export function windowText(window: Window): string {
  const { label, from, to, isMoving } = window;
  if (isSpelledOut(window)) return `in those ${duration(to - from)}`;
  if (isRolling(window)) return `in the last ${label}`;
  if (label === 'today' || label === 'yesterday') return label;
  const isDay = /^\d{4}-\d{2}-\d{2}$/.test(label);
  return `${isDay ? 'on' : 'within'} ${label}${isMoving ? ' so far' : ''}`;
}

type Asked = { readonly window: Window; readonly provenance: Provenance; readonly now: number };

/** Where the window moves, an old answer’s ended when it was given. */
export function windowLine({ window, provenance, now }: Asked): Markup {
  const { from, to, isMoving } = window;
  const named = isSpelledOut(window) ? 'Window' : `Window ${window.label}`;
  if (!isMoving) return markup`${named}: ${dateToken(from)} to ${dateToken(to)}`;
  if (provenance.source !== 'stale') return markup`${named}: ${dateToken(from)} to now`;
  const movedFrom = isRolling(window) ? from - (now - provenance.asOf) : from;
  return markup`${named}: ${dateToken(movedFrom)} to ${dateToken(provenance.asOf)}`;
}
