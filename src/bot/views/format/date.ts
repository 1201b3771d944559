/** Instants as the reader's own time (Slack fills the token in), with a zone in the fallback; and lengths of time in words. */
import type { Markup } from './mrkdwn.ts';

/** Slack's names for how a date is written: https://docs.slack.dev/messaging/formatting-message-text#date-formatting */
export const dateFormats = {
  moment: '{date_short_pretty} at {time}',
  day: '{date_short}',
  clock: '{time}',
  /** For what happens several times a minute. */
  second: '{date_short_pretty} at {time_secs}',
} as const;

export type DateFormat = keyof typeof dateFormats;

/** @param at epoch milliseconds */
export function dateToken(at: number, format: DateFormat = 'moment'): Markup {
  return { mrkdwn: `<!date^${Math.floor(at / 1000)}^${dateFormats[format]}|${dateFallback(at, format)}>` };
}

/** @param at epoch milliseconds @returns such as `2026-11-20 10:04 UTC`, with `second` `2026-11-20 10:04:30 UTC` */
export function dateFallback(at: number, format: DateFormat = 'moment'): string {
  const units = format === 'second' ? 19 : 16;
  return `${new Date(at).toISOString().slice(0, units).replace('T', ' ')} UTC`;
}

/** @param ms a length of time @returns its two largest units, such as `3 s`, `40 min`, `6 h 5 min`, `2 d 3 h` */
export function duration(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1000));
  if (ms > 0 && ms < 1000) return `${Math.round(ms)} ms`;
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.round(seconds / 60);
  if (minutes < 60) return `${minutes} min`;
  const hours = Math.floor(minutes / 60);
  if (hours < 48) return minutes % 60 === 0 ? `${hours} h` : `${hours} h ${minutes % 60} min`;
  const days = Math.floor(hours / 24);
  return hours % 24 === 0 ? `${days} d` : `${days} d ${hours % 24} h`;
}
