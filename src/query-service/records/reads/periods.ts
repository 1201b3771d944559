/** Cuts a stretch of time into whole days and hours, which the roll-up counts, and edges, which are counted one by one. */
/** A stretch of time, `from` inclusive and `until` exclusive, epoch milliseconds; null leaves that end open. */
export type Span = { readonly from: number | null; readonly until: number | null };

export const hourMs = 3_600_000;
export const dayMs = 24 * hourMs;

/** The latest instant a date can hold; a whole number of days. */
const endOfTime = 8_640_000_000_000_000;

/** A segment of a span. `periodMs` 0 means all time; null means that executions are counted one by one. */
export type Segment = { readonly periodMs: number | null; readonly from: number; readonly until: number };

/** @returns segments that cover the span exactly, without overlap; only the edges (under an hour each) are not rolled up */
export function segmentsOf(span: Span): readonly Segment[] {
  if (span.from === null && span.until === null) return [{ periodMs: 0, from: 0, until: 1 }];
  return spread(span.from ?? -endOfTime, span.until ?? endOfTime, [dayMs, hourMs]).filter(
    (segment) => segment.from < segment.until,
  );
}

/** Uses the largest period in the middle, and smaller ones for the rest on both sides. */
function spread(from: number, until: number, periods: readonly number[]): readonly Segment[] {
  const [periodMs, ...smaller] = periods;
  if (periodMs === undefined) return [{ periodMs: null, from, until }];
  const first = Math.ceil(from / periodMs) * periodMs;
  const last = Math.floor(until / periodMs) * periodMs;
  if (first >= last) return spread(from, until, smaller);
  return [...spread(from, first, smaller), { periodMs, from: first, until: last }, ...spread(last, until, smaller)];
}

/** @returns the start of the period that contains an instant */
export function startOfPeriod(instant: number, periodMs: number): number {
  return periodMs === 0 ? 0 : Math.floor(instant / periodMs) * periodMs;
}
