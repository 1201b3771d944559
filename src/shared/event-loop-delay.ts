/** Event loop delay as a Prometheus histogram; prom-client's own gauges lose what happens between two scrapes. */
import { type IntervalHistogram, monitorEventLoopDelay } from 'node:perf_hooks';

export type EventLoopDelay = {
  /** In the format that Prometheus reads. */
  readonly text: () => string;
};

const metric = 'nodejs_eventloop_delay_seconds';
const help = 'How much later than planned a timer ran: the longest synchronous stretches of this process.';
/** Seconds; nothing should hold the loop for more than 0.05. */
const buckets = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5];
const resolutionMs = 10;

export function createEventLoopDelay(): EventLoopDelay {
  const intervals = monitorEventLoopDelay({ resolution: resolutionMs });
  intervals.enable();
  return { text: () => textOf(intervals) };
}

/** An interval between two timers is the delay and the resolution. */
function textOf(intervals: IntervalHistogram): string {
  const { count } = intervals;
  const delaysMs = count === 0 ? 0 : Math.max(0, intervals.mean / 1e6 - resolutionMs) * count;
  const lines = [...buckets, Number.POSITIVE_INFINITY].map((le) => {
    const label = Number.isFinite(le) ? String(le) : '+Inf';
    return `${metric}_bucket{le="${label}"} ${countUpTo(intervals, (le * 1000 + resolutionMs) * 1e6)}`;
  });
  const head = [`# HELP ${metric} ${help}`, `# TYPE ${metric} histogram`];
  return [...head, ...lines, `${metric}_sum ${delaysMs / 1000}`, `${metric}_count ${count}`, ''].join('\n');
}

/** @returns how many intervals are no longer than so many nanoseconds, found by halving: the histogram knows its percentiles only */
function countUpTo(intervals: IntervalHistogram, nanoseconds: number): number {
  const { count, max } = intervals;
  if (count === 0 || max <= nanoseconds) return count;
  let [low, high] = [0, count];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (intervals.percentile((100 * middle) / count) <= nanoseconds) low = middle;
    else high = middle - 1;
  }
  return low;
}
