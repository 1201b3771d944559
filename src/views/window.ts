/** The window of an answer: in its sentence, and exactly in its small print. */
import type { Provenance } from '../core/provenance.ts';
import { isRolling, type Window } from '../core/window.ts';
import { dateToken } from './format/date.ts';
import { type Markup, say } from './format/mrkdwn.ts';

/** @returns such as `in the last 24h`, `yesterday`, `on 2026-11-20` */
export function windowWords(window: Window): string {
  const { label, isMoving } = window;
  if (isRolling(window)) return `in the last ${label}`;
  if (label === 'today' || label === 'yesterday') return label;
  const isDay = /^\d{4}-\d{2}-\d{2}$/.test(label);
  return `${isDay ? 'on' : 'within'} ${label}${isMoving ? ' so far' : ''}`;
}

type Asked = { readonly window: Window; readonly provenance: Provenance; readonly now: number };

/** Where the window moves, an old answer’s ended when it was given. */
export function windowLine({ window, provenance, now }: Asked): Markup {
  const { label, from, to, isMoving } = window;
  if (!isMoving) return say`Window ${label}: ${dateToken(from)} to ${dateToken(to)}`;
  if (provenance.source !== 'stale') return say`Window ${label}: ${dateToken(from)} to now`;
  const movedFrom = isRolling(window) ? from - (now - provenance.asOf) : from;
  return say`Window ${label}: ${dateToken(movedFrom)} to ${dateToken(provenance.asOf)}`;
}
