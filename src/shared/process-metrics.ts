/** Prometheus registry of one program, with the metrics of its process and the delay of its event loop. */
import { type IntervalHistogram, monitorEventLoopDelay } from 'node:perf_hooks';
import { collectDefaultMetrics, Registry } from 'prom-client';

/** Each program has its own registry, so that two in one process are counted separately. */
export function createProcessMetrics() {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const intervals = monitorEventLoopDelay({ resolution: resolutionMs });
  intervals.enable();
  return {
    registry,
    contentType: registry.contentType,
    /** Metrics in the Prometheus text format. */
    text: async () => `${await registry.metrics()}\n${eventLoopDelayText(intervals)}`,
  };
}

const metric = 'nodejs_eventloop_delay_seconds';
const help = 'How much later than planned a timer ran: the longest synchronous stretches of this process.';
/** Seconds; no task should block the loop for more than 0.05. */
const buckets = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5];
const resolutionMs = 10;

/**
 * Event loop delay as a histogram, because prom-client's gauges lose the time between two scrapes. An interval between
 * two timers is the delay plus the resolution.
 */
function eventLoopDelayText(intervals: IntervalHistogram): string {
  const { count } = intervals;
  const delaysMs = count === 0 ? 0 : Math.max(0, intervals.mean / 1e6 - resolutionMs) * count;
  const lines = [...buckets, Number.POSITIVE_INFINITY].map((le) => {
    const label = Number.isFinite(le) ? String(le) : '+Inf';
    return `${metric}_bucket{le="${label}"} ${countUpTo(intervals, (le * 1000 + resolutionMs) * 1e6)}`;
  });
  const head = [`# HELP ${metric} ${help}`, `# TYPE ${metric} histogram`];
  return [...head, ...lines, `${metric}_sum ${delaysMs / 1000}`, `${metric}_count ${count}`, ''].join('\n');
}

/** Binary search, since the histogram only has percentiles. @returns number of intervals of at most `nanoseconds` */
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
