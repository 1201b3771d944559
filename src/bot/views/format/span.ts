/** Lengths of time where tenths of a second matter: the steps of one execution. */
import { duration } from './date.ts';

/** @param ms a length of time @returns such as `0 ms`, `340 ms`, `1.2 s`, `42 s`, `2 min 5 s`, `6 h 5 min` */
export function preciseDuration(ms: number): string {
  if (ms < 999.5) return `${Math.max(0, Math.round(ms))} ms`;
  if (ms < 9950) return `${Math.round(ms / 100) / 10} s`;
  const seconds = Math.round(ms / 1000);
  if (seconds < 60) return `${seconds} s`;
  if (seconds >= 3600) return duration(ms);
  return seconds % 60 === 0 ? `${seconds / 60} min` : `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
}
