/** Tells new causes from ongoing and recurring ones, by the failures that their workflows had before a window. */

/** Of a cause in one workflow, or in all that failed of it. */
export type Recurrence =
  /** It is not among the failures before the window. */
  | 'new'
  /** Its workflow has failed in every run since before the window. */
  | 'ongoing'
  /** It is among the failures before the window. */
  | 'recurring'
  /** The failures before are not known or not kept, or it has no error text: such failures may have different causes. */
  | 'unknown';

/** @param name of the workflow @param fingerprint of the cause */
export type RecurrenceIn = (name: string, fingerprint: string) => Recurrence;

/** Of several workflows, the first of these that holds for one of them decides; a cause is new if it is new in all. */
const deciding = ['ongoing', 'recurring', 'unknown'] as const;

/** @param each for each workflow, or each of several that share a name */
export function recurrenceOf(each: readonly Recurrence[]): Recurrence {
  return deciding.find((one) => each.includes(one)) ?? (each.length === 0 ? 'unknown' : 'new');
}
