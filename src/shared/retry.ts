/** Retries: repeats work with a backoff until its result is final, no attempt is left, or the deadline is too near. */

export type RetryOptions<Result> = {
  /** Unlimited by default; then `delayMs` or `pause` ends the retries. */
  readonly attemptsMax?: number;
  /** @param attempt from 1 @returns milliseconds before the next attempt; undefined for a final result */
  readonly delayMs: (result: Result, attempt: number) => number | undefined;
  /** Waits. @returns false at once if the deadline leaves no time for another attempt */
  readonly pause: (delayMs: number) => Promise<boolean>;
};

/** @param run one attempt; its errors are not retried @returns the result of the last attempt */
export async function retry<Result>(
  run: () => Promise<Result>,
  { attemptsMax = Number.POSITIVE_INFINITY, delayMs, pause }: RetryOptions<Result>,
): Promise<Result> {
  for (let attempt = 1; ; attempt += 1) {
    const result = await run();
    if (attempt >= attemptsMax) return result;
    const waitMs = delayMs(result, attempt);
    if (waitMs === undefined || !(await pause(waitMs))) return result;
  }
}

/**
 * @param header `Retry-After`: seconds or an HTTP date
 * @param now epoch milliseconds
 * @param maxMs the longest wait that is returned
 * @returns milliseconds; undefined for anything else
 */
export function parseRetryAfter(header: string | undefined, now: number, maxMs: number): number | undefined {
  if (header === undefined) return undefined;
  const text = header.trim();
  const ms = /^\d{1,9}$/.test(text) ? Number(text) * 1000 : /[A-Za-z]{3} /.test(text) ? Date.parse(text) - now : NaN;
  return ms >= 0 ? Math.min(ms, maxMs) : undefined;
}

export type Backoff = {
  readonly firstMs: number;
  readonly maxMs: number;
  /** Share by which a delay varies to either side, from 0 to 1, so that clients that failed together do not return together. */
  readonly jitter?: number;
};

/** @param attempt number of failed attempts, from 1 @returns milliseconds, doubled with each attempt up to `maxMs` */
export function backoffMs({ firstMs, maxMs, jitter = 0 }: Backoff, attempt: number): number {
  const delayMs = Math.min(firstMs * 2 ** Math.min(attempt - 1, 30), maxMs);
  return Math.round(delayMs * (1 - jitter + Math.random() * 2 * jitter));
}
