/** What rests every night or every weekend is not silent: the same stretch of time was as quiet a day or a week before. */
const dayMs = 86_400_000;
const periodsMs = [dayMs, 7 * dayMs];

type Span = { readonly from: number; readonly to: number };

/** A stretch of time, an earlier day or week: that it was at work then, and rested after that. */
export type Rest = { readonly ran: Span; readonly rested: Span };

type Silent = {
  /** When it ran last, epoch milliseconds. */
  readonly ranAt: number;
  readonly usuallyEveryMs: number;
};

/** @param until epoch milliseconds @returns what would make it a rest, up to then, that it has not run; any of them does */
export function restsLike({ ranAt, usuallyEveryMs }: Silent, until: number): readonly Rest[] {
  // A mean has fractions, and no service counts from one.
  const gapMs = Math.round(usuallyEveryMs);
  const periods = periodsMs.filter((periodMs) => until - ranAt < periodMs);
  const rests = periods.map((periodMs) => {
    const [start, end] = [ranAt - periodMs, until - periodMs];
    // No run comes to the second.
    return { ran: { from: start - 4 * gapMs, to: start + gapMs }, rested: { from: start + gapMs, to: end - gapMs } };
  });
  return rests.filter(({ rested }) => rested.from < rested.to);
}

/** @param runsIn how many runs there were; null where that is not known */
export function isRest({ ran, rested }: Rest, runsIn: (span: Span) => number | null): boolean {
  return (runsIn(ran) ?? 0) > 0 && runsIn(rested) === 0;
}
