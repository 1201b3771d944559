/** Tells new causes from recurring ones by the fingerprints of the window before. */
import { type CauseGroup, causeOf, type FailedExecution } from '../causes/cause.ts';

/** `unknown` where the failures before are not known, or not all of them. */
export type Recurrence = 'new' | 'recurring' | 'unknown';

export type RecurringGroup<Execution extends FailedExecution> = CauseGroup<Execution> & {
  readonly recurrence: Recurrence;
};

type FailuresBefore = {
  readonly executions: readonly Pick<FailedExecution, 'errors' | 'classifiedStatus'>[];
  /** Whether there may be more. */
  readonly isCut: boolean;
};

/** @param before the failures of the window before; null when the service could not say */
export function withRecurrence<Execution extends FailedExecution>(
  groups: readonly CauseGroup<Execution>[],
  before: FailuresBefore | null,
): readonly RecurringGroup<Execution>[] {
  const known = new Set(before?.executions.map((execution) => causeOf(execution).fingerprint));
  const otherwise = before === null || before.isCut ? 'unknown' : 'new';
  return groups.map((group) => ({
    ...group,
    recurrence: known.has(group.cause.fingerprint) ? 'recurring' : otherwise,
  }));
}
