/** How many finished runs there were, and how many of them failed, as part of a sentence. */
import { count, counted } from './number.ts';

/** @returns such as `2,880 runs, 80 failed`, `24 runs, none failed`, `no runs` */
export function runCountText({ success, failure }: { readonly success: number; readonly failure: number }): string {
  const runs = success + failure;
  if (runs === 0) return 'no finished runs';
  const failed = failure === 0 ? 'none failed' : failure === runs ? 'all failed' : `${count(failure)} failed`;
  return `${counted(runs, 'finished run')}, ${failed}`;
}
