/** Times and durations as text. Slack shows a date token in the reader's own time zone; digests name the zone of their channel. */
import type { NeverRan } from '../../insight/health/silence.ts';
import type { Markup } from './mrkdwn.ts';

/** Slack's date formats: https://docs.slack.dev/messaging/formatting-message-text#date-formatting */
export const dateFormats = {
  moment: '{date_short_pretty} at {time}',
  day: '{date_short}',
  clock: '{time}',
  /** For events that occur several times a minute. */
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

/** @returns such as `activated 3 d ago`; `registered 3 d ago, activation not known` if its deployments could not be read */
export function activationText({ since, isActiveSince }: NeverRan, now: number): string {
  const time = duration(now - since);
  return isActiveSince ? `activated ${time} ago` : `registered ${time} ago, activation not known`;
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

/** @param ms a length of time @returns such as `0 ms`, `340 ms`, `1.2 s`, `42 s`, `2 min 5 s`, `6 h 5 min` */
export function preciseDuration(ms: number): string {
  if (ms < 999.5) return `${Math.max(0, Math.round(ms))} ms`;
  if (ms < 9950) return `${Math.round(ms / 100) / 10} s`;
  const seconds = Math.round(ms / 1000);
  if (seconds < 60) return `${seconds} s`;
  if (seconds >= 3600) return duration(ms);
  return seconds % 60 === 0 ? `${seconds / 60} min` : `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
}

/**
 * @param at epoch milliseconds
 * @param zone IANA; UTC if the engine does not know it
 * @returns such as `Fri 20 Nov 09:00`, with `second` `Fri 20 Nov 09:00:30`
 */
export function zonedTime(at: number, zone: string, format: 'moment' | 'second' = 'moment'): string {
  const { weekday, day, month, clock, second } = zonedFields(at, zone);
  return `${weekday} ${day} ${month} ${clock}${format === 'second' ? `:${second}` : ''}`;
}

/** @returns such as `Fri`, `20`, `Nov`, `2026`, `09:00` and `30` */
export function zonedFields(at: number, zone: string) {
  const parts = createFormat(zone).formatToParts(at);
  const field = (name: Intl.DateTimeFormatPartTypes) => parts.find(({ type }) => type === name)?.value ?? '';
  const clock = `${field('hour')}:${field('minute')}`;
  const day = { weekday: field('weekday'), day: field('day'), month: field('month'), year: field('year') };
  return { ...day, clock, second: field('second') };
}

/** @returns such as `America/New York` */
export function zoneName(zone: string): string {
  return zone.replaceAll('_', ' ');
}

/** @returns such as `Thu 19 Nov 09:00 to Fri 20 Nov 09:00 (Europe/Berlin)` */
export function zonedRange(from: number, to: number, zone: string): string {
  const [start, end] = [zonedTime(from, zone), zonedTime(to, zone)];
  const isOneDay = start.slice(0, -6) === end.slice(0, -6);
  return `${start} to ${isOneDay ? end.slice(-5) : end} (${zoneName(zone)})`;
}

function createFormat(timeZone: string): Intl.DateTimeFormat {
  const day = { weekday: 'short', day: 'numeric', month: 'short', year: 'numeric' } as const;
  const clock = { hour: '2-digit', minute: '2-digit', second: '2-digit', hourCycle: 'h23' } as const;
  try {
    return new Intl.DateTimeFormat('en-US', { ...day, ...clock, timeZone });
  } catch {
    return new Intl.DateTimeFormat('en-US', { ...day, ...clock, timeZone: 'UTC' });
  }
}
