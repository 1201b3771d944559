/** The reads of one request: routes each by its cost, and measures how long it takes. */
import { AppError } from '../../shared/errors.ts';
import type { RequestContext } from '../limits/request-context.ts';
import type { ServiceMeasure } from '../measurement.ts';
import type { Records } from './port.ts';
import { type ReadCost, readCosts } from './read-cost.ts';
import type { ConcurrencyLimit } from './reads/parse-list.ts';
import { createRecords } from './reads/read.ts';
import { runSteps, type Steps } from './reads/steps.ts';
import type { Engine, RunStatements } from './sql.ts';

export type Read = keyof Records;
/** Runs one read by its name and its arguments. */
export type RunRead = (read: Read, args: readonly unknown[]) => Promise<unknown>;

/** How an engine runs the reads of one request. */
export type ReadSources = {
  readonly engine: Engine;
  /** Runs statements of bounded reads. */
  readonly run: RunStatements;
  readonly isUnbounded: (cost: ReadCost) => boolean;
  /** Runs an unbounded read; null if `run` does. */
  readonly runUnbounded: RunRead | null;
};

export type RequestReads = {
  readonly engine: Engine;
  readonly isUnbounded: (cost: ReadCost) => boolean;
  /** Runs a bounded read. @returns a promise if the engine returns one for a statement */
  readonly run: <Result>(read: Read, steps: Steps<Result>) => Result | Promise<Result>;
  /** Runs a read of a long text. Limits the concurrent ones of each key. */
  readonly limitLongText: ConcurrencyLimit;
  /** The records as objects. */
  readonly records: () => Records;
};

type ReadMethod = (...args: readonly unknown[]) => Promise<unknown>;
type CostOf = (...args: readonly unknown[]) => ReadCost;

export function createRequestReads(
  context: RequestContext,
  sources: ReadSources,
  measure: ServiceMeasure,
): RequestReads {
  const { engine, run, isUnbounded } = sources;
  return {
    engine,
    isUnbounded,
    run(read, steps) {
      const ended = measureRead(read, measure);
      try {
        const found = runSteps(steps, run);
        if (found instanceof Promise) void found.then(...ended.both);
        else ended.done();
        return found;
      } catch (error) {
        ended.failed();
        throw error;
      }
    },
    limitLongText: (work) => context.longTextLimit(work),
    records: () => measuredRecords(context, sources, measure),
  };
}

/** @returns functions to call when the read has ended */
function measureRead(read: Read, measure: ServiceMeasure) {
  const startedAt = performance.now();
  const end = (isDone: boolean) => () =>
    measure({ kind: 'read', read, isDone, durationMs: performance.now() - startedAt });
  const [done, failed] = [end(true), end(false)];
  return { done, failed, both: [done, failed] as const };
}

/** @returns records whose reads are routed by their cost */
function measuredRecords(context: RequestContext, sources: ReadSources, measure: ServiceMeasure): Records {
  const { engine, run, isUnbounded, runUnbounded } = sources;
  const bounded = createRecords(engine, run, context.longTextLimit);
  const routed =
    (read: Read, costOf: CostOf) =>
    async (...args: readonly unknown[]) => {
      const ended = measureRead(read, measure);
      try {
        const isElsewhere = runUnbounded !== null && isUnbounded(costOf(...args));
        const found = await (isElsewhere ? runUnbounded(read, args) : (bounded[read] as ReadMethod)(...args));
        ended.done();
        return found;
      } catch (error) {
        ended.failed();
        // The whole request is refused, so its other reads are not needed.
        if (error instanceof AppError && error.code === 'rate_limited') context.abort(error);
        throw error;
      }
    };
  const reads = (Object.entries(readCosts) as [Read, CostOf][]).map(([read, costOf]) => [read, routed(read, costOf)]);
  return Object.fromEntries(reads);
}

/** @returns a function that runs reads on the records by name */
export function runReadOn(records: Records): RunRead {
  return (read, args) => (records[read] as ReadMethod)(...args);
}
