/** Running operations, one per person. Only that person can cancel theirs, and their number is limited by memory. */
import { AppError } from '../../../shared/errors.ts';

/** Dispose it when the operation ends. */
type RunningOperation = Disposable & {
  readonly signal: AbortSignal;
  /** The command line that cancels it. */
  readonly cancelLine: string;
};

/** The operations of one person. */
export type RunningOperations = {
  /**
   * @param what a noun phrase, such as `the export of payments`
   * @throws AppError `rate_limited` if this person has an operation running, or too many others have
   */
  readonly begin: (what: string) => RunningOperation;
  /** @param id as in the line; any if left out @returns the cancelled operation; null if there was none */
  readonly cancel: (id?: string) => string | null;
};

type Begun = { readonly id: string; readonly what: string; readonly controller: AbortController };

/** Each may hold a file of the largest size in memory. */
const concurrencyMax = 4;

/** @returns the operations of each person in this process */
export function createRunningOperations(deps: {
  readonly createReference: () => string;
}): (person: string) => RunningOperations {
  const runningByPerson = new Map<string, Begun>();
  return (person) => ({
    begin: (what) => {
      refuseMore(runningByPerson, person);
      const begun = { id: deps.createReference(), what, controller: new AbortController() };
      runningByPerson.set(person, begun);
      return {
        signal: begun.controller.signal,
        cancelLine: `cancel ${begun.id}`,
        [Symbol.dispose]: () => void runningByPerson.delete(person),
      };
    },
    cancel: (id) => {
      const begun = runningByPerson.get(person);
      if (!begun || (id !== undefined && id !== begun.id)) return null;
      begun.controller.abort();
      return begun.what;
    },
  });
}

function refuseMore(runningByPerson: ReadonlyMap<string, Begun>, person: string): void {
  const own = runningByPerson.get(person);
  if (own) {
    throw new AppError(
      'rate_limited',
      `${own.what[0]?.toUpperCase()}${own.what.slice(1)} is still running. You can run one at a time.`,
      {
        command: { line: 'cancel', purpose: 'cancel it, or wait until it ends' },
      },
    );
  }
  if (runningByPerson.size < concurrencyMax) return;
  throw new AppError(
    'rate_limited',
    `The limit of ${concurrencyMax} exports at a time is reached. Try again in a minute.`,
    {
      isRetryable: true,
    },
  );
}
