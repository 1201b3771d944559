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
  return {
    run<Result>(read: string, steps: Steps<Result>) {
      const startedAt = performance.now();
      const end = (isDone: boolean) =>
        measure({ kind: 'read', read, isDone, durationMs: performance.now() - startedAt });
      const finish = (result: Result) => {
        end(true);
        return result;
      };
      const fail = (error: unknown): never => {
        end(false);
        // The whole request is refused, so its other reads are not needed.
        if (error instanceof AppError && error.code === 'rate_limited') context.abort(error);
        throw error;
      };
      let found: Result | Promise<Result>;
      try {
        found = runSteps(steps, runAt);
      } catch (error) {
        return fail(error);
      }
      return found instanceof Promise ? found.then(finish, fail) : finish(found);
    },
    limitLongText: (work) => context.longTextLimit(work),
  };
}
