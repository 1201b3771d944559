/** The records for one request: routes each read by its cost, and measures how long it takes. */
import { AppError } from '../../shared/errors.ts';
import type { RequestContext } from '../limits/request-context.ts';
import type { ServiceMeasure } from '../measurement.ts';
import type { Records } from './port.ts';
import { type ReadCost, readCosts } from './read-cost.ts';

export type Read = keyof Records;
/** Runs one read by its name and its arguments. */
export type RunRead = (read: Read, args: readonly unknown[]) => Promise<unknown>;

/** Sources of an engine for the reads of one request. */
export type ReadSources = {
  readonly bounded: Records;
  readonly unbounded: RunRead;
  readonly isUnbounded: (cost: ReadCost) => boolean;
};

type ReadMethod = (...args: readonly unknown[]) => Promise<unknown>;
type CostOf = (...args: readonly unknown[]) => ReadCost;

type MeasuredReads = {
  readonly context: RequestContext;
  readonly sources: ReadSources;
  readonly measure: ServiceMeasure;
};

/** Created once, so that a request allocates one object rather than one function per read. */
const prototype = Object.fromEntries(
  (Object.entries(readCosts) as [Read, CostOf][]).map(([read, costOf]) => [
    read,
    function run(this: MeasuredReads, ...args: readonly unknown[]) {
      return runMeasured(this, read, costOf, args);
    },
  ]),
);

/** @returns the records of one request; each read must be called as a method */
export function measuredReads(context: RequestContext, sources: ReadSources, measure: ServiceMeasure): Records {
  return Object.assign(Object.create(prototype), { context, sources, measure });
}

async function runMeasured(
  { context, sources, measure }: MeasuredReads,
  read: Read,
  costOf: CostOf,
  args: readonly unknown[],
): Promise<unknown> {
  const startedAt = performance.now();
  let isDone = false;
  try {
    const isUnbounded = sources.isUnbounded(costOf(...args));
    const found = await (isUnbounded ? sources.unbounded(read, args) : (sources.bounded[read] as ReadMethod)(...args));
    isDone = true;
    return found;
  } catch (error) {
    // The whole request is refused, so its other reads are not needed.
    if (error instanceof AppError && error.code === 'rate_limited') context.abort(error);
    throw error;
  } finally {
    measure({ kind: 'read', read, isDone, durationMs: performance.now() - startedAt });
  }
}

/** @returns a function that runs reads on the records by name */
export function runReadOn(records: Records): RunRead {
  return (read, args) => (records[read] as ReadMethod)(...args);
}
