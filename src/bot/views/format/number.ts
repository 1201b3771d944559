/** Numbers as text. */

const grouped = new Intl.NumberFormat('en-US');

/** @returns such as `12,345` */
export function count(value: number): string {
  return Number.isInteger(value) && value >= 0 && value < 1000 ? String(value) : grouped.format(value);
}

/** @returns such as `1 failure`, `12,345 failures`, `no failures` */
export function counted(value: number, one: string, many = `${one}s`): string {
  if (value === 0) return `no ${many}`;
  return `${count(value)} ${value === 1 ? one : many}`;
}

/** @returns such as `2,880 runs, 80 failed`, `24 runs, none failed`, `no runs` */
export function runCountText({ success, failure }: { readonly success: number; readonly failure: number }): string {
  const runs = success + failure;
  if (runs === 0) return 'no finished runs';
  const failed = failure === 0 ? 'none failed' : failure === runs ? 'all failed' : `${count(failure)} failed`;
  return `${counted(runs, 'finished run')}, ${failed}`;
}
