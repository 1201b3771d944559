/** The reads of one request: runs each where its cost allows, and measures how long it takes. */
import { AppError } from '../../shared/errors.ts';
import type { RequestContext } from '../limits/request-context.ts';
import type { ServiceMeasure } from '../measurement.ts';
import type { ConcurrencyLimit } from './reads/parse-list.ts';
import { type RunAt, runSteps, type Steps } from './reads/steps.ts';

export type RequestReads = {
  /** @param read its name in the metrics @returns a promise if the engine returns one for a statement */
  readonly run: <Result>(read: string, steps: Steps<Result>) => Result | Promise<Result>;
  /** Runs a read of a long text. Limits the concurrent ones of each key. */
  readonly limitLongText: ConcurrencyLimit;
};

export function createRequestReads(context: RequestContext, runAt: RunAt, measure: ServiceMeasure): RequestReads {
  const end = (read: string, startedAt: number, isDone: boolean) =>
    measure({ kind: 'read', read, isDone, durationMs: performance.now() - startedAt });
  const fail = (read: string, startedAt: number, error: unknown): never => {
    end(read, startedAt, false);
    // The whole request is refused, so its other reads are not needed.
    if (error instanceof AppError && error.code === 'rate_limited') context.abort(error);
    throw error;
  };
  const succeed = <Result>(read: string, startedAt: number, result: Result): Result => {
    end(read, startedAt, true);
    return result;
  };
  return {
    run(read, steps) {
      const startedAt = performance.now();
      try {
        const found = runSteps(steps, runAt);
        if (!(found instanceof Promise)) return succeed(read, startedAt, found);
        return found.then(
          (result) => succeed(read, startedAt, result),
          (error: unknown) => fail(read, startedAt, error),
        );
      } catch (error) {
        return fail(read, startedAt, error);
      }
    },
    limitLongText: (work) => context.longTextLimit(work),
  };
}
