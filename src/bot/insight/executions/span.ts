/** Arithmetic on stretches of time: what an end waited for, and when nothing happened. */

/** Milliseconds from a common start; `endMs` is not before `startMs`. */
export type Span = { readonly startMs: number; readonly endMs: number };

/**
 * The chain that the last end waited for: the span that ends last, before it the one that ended last before that one began, and so on.
 * Nobody writes down which step waited for which, so this is read from the times alone.
 * @returns indexes into `spans`, earliest first
 */
export function criticalChain(spans: readonly Span[]): readonly number[] {
  const byEnd = spans.map((span, index) => ({ ...span, index })).sort((one, other) => other.endMs - one.endMs);
  const chain: number[] = [];
  let waitedUntilMs = Number.POSITIVE_INFINITY;
  for (const { startMs, endMs, index } of byEnd) {
    if (endMs > waitedUntilMs) continue;
    chain.push(index);
    waitedUntilMs = startMs;
  }
  return chain.reverse();
}

export type UncoveredSpan = {
  readonly startMs: number;
  readonly durationMs: number;
  /** Index of the span that ended last before it; null before the first. */
  readonly afterSpan: number | null;
};

/** @param spans by start @returns every stretch of 0 to `totalMs` that no span covers, in order */
export function uncovered(spans: readonly Span[], totalMs: number): readonly UncoveredSpan[] {
  const gaps: UncoveredSpan[] = [];
  let coveredUntilMs = 0;
  let afterSpan: number | null = null;
  spans.forEach(({ startMs, endMs }, index) => {
    if (startMs > coveredUntilMs)
      gaps.push({ startMs: coveredUntilMs, durationMs: startMs - coveredUntilMs, afterSpan });
    if (afterSpan === null || endMs >= coveredUntilMs) afterSpan = index;
    coveredUntilMs = Math.max(coveredUntilMs, endMs);
  });
  const restMs = totalMs - coveredUntilMs;
  return restMs > 0 ? [...gaps, { startMs: coveredUntilMs, durationMs: restMs, afterSpan }] : gaps;
}
