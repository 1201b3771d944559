/** Running operations, one per person. Only that person can cancel theirs, and their number is limited by memory. */
import { AppError } from '../../../shared/errors.ts';
import type { Person } from '../../domain/person.ts';

/** Dispose it when the operation ends. */
type RunningOperation = Disposable & {
  readonly signal: AbortSignal;
  /** The command line that cancels it. */
  readonly cancelLine: string;
};

type Begun = { readonly id: string; readonly what: string; readonly controller: AbortController };

/** Each may hold a file of the largest size in memory. */
const concurrencyMax = 4;

/** The operations of this process. */
export class RunningOperations {
  readonly #runningByPerson = new Map<string, Begun>();
  readonly #createReference: () => string;

  constructor(createReference: () => string) {
    this.#createReference = createReference;
  }

  /**
   * @param what a noun phrase, such as `the export of payments`
   * @throws AppError `rate_limited` if this person has an operation running, or too many others have
   */
  begin(person: Person, what: string): RunningOperation {
    const key = keyOf(person);
    refuseMore(this.#runningByPerson, key);
    const begun = { id: this.#createReference(), what, controller: new AbortController() };
    this.#runningByPerson.set(key, begun);
    return {
      signal: begun.controller.signal,
      cancelLine: `cancel ${begun.id}`,
      [Symbol.dispose]: () => void this.#runningByPerson.delete(key),
    };
  }

  /** @param id as in the line; any if left out @returns the person's operation; null if there was none */
  cancel(person: Person, id?: string): { readonly what: string; readonly isCancelled: boolean } | null {
    const begun = this.#runningByPerson.get(keyOf(person));
    if (!begun) return null;
    const isCancelled = id === undefined || id === begun.id;
    if (isCancelled) begun.controller.abort();
    return { what: begun.what, isCancelled };
  }
}

function keyOf({ teamId, userId }: Person): string {
  return `${teamId}:${userId}`;
}

function refuseMore(runningByPerson: ReadonlyMap<string, Begun>, person: string): void {
  const own = runningByPerson.get(person);
  if (own) {
    throw new AppError(
      'rate_limited',
      `${own.what[0]?.toUpperCase()}${own.what.slice(1)} is still running. You can run one at a time.`,
      { command: { line: 'cancel', purpose: 'cancel it, or wait until it ends' } },
    );
  }
  if (runningByPerson.size < concurrencyMax) return;
  throw new AppError(
    'rate_limited',
    `The limit of ${concurrencyMax} exports at a time is reached. Try again in a minute.`,
    { isRetryable: true },
  );
}
