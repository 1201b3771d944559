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

/** @returns such as `all 12,345 runs`, `both runs`, `the only run` */
export function allOf(value: number, one: string): string {
  if (value === 2) return `both ${one}s`;
  return value === 1 ? `the only ${one}` : `all ${count(value)} ${one}s`;
}

/** @returns such as `2,880 finished runs, 80 failed`, `24 finished runs, none failed`, `no finished runs` */
export function runCountText({ success, failure }: { readonly success: number; readonly failure: number }): string {
  const runs = success + failure;
  if (runs === 0) return 'no finished runs';
  const failed = failure === 0 ? 'none' : failure === runs && runs > 2 ? 'all' : count(failure);
  return `${counted(runs, 'finished run')}, ${failed} failed`;
}
