/** How old a cause is, by the failures of its workflows that are known: the same in every answer, whatever its window. */

/** Of a cause in one workflow, or in all that failed of it. */
export type Recurrence =
  /** Its failures lie within a day, and none is among those of a day or more before. */
  | 'new'
  /** Its workflow has failed in every run since the first of them, a day or more ago. */
  | 'ongoing'
  /** Its failures lie further apart. */
  | 'recurring'
  /** Older failures are too many, and none of those that were read has it. */
  | 'unread'
  /** Older failures were not read. */
  | 'unanswered'
  /** Its workflow has no runs of a day before it. */
  | 'not_kept'
  /** Failures without an error text may have different causes. */
  | 'no_text';

export type CauseAge = {
  readonly recurrence: Recurrence;
  /** Start of its first known failure, or of the first in a row if it is ongoing; epoch milliseconds. */
  readonly since: number;
};

/** Start of the first and the last failure in an answer, epoch milliseconds. */
export type SeenSpan = { readonly first: number; readonly last: number };

/** @param name of the workflow @param fingerprint of the cause @param seen its failures there */
export type AgeIn = (name: string, fingerprint: string, seen: SeenSpan) => CauseAge;

/** The failures of one workflow before those of an answer. */
export type EarlierCauses = {
  /** Start of the first of each cause, by fingerprint; epoch milliseconds. */
  readonly firstOf: ReadonlyMap<string, number>;
  /** True if there may be older ones. */
  readonly isCut: boolean;
  /** Start of the oldest run that the service keeps, epoch milliseconds; null for none. */
  readonly oldestAt: number | null;
};

/** Failures of one fault may lie so far apart, and a cause is new after as long without it. Half of it would call a nightly fault new each night. */
const dayMs = 86_400_000;

/** @param earlier null if they were not read @param failingSince start of the first failure in a row, epoch milliseconds; null if it does not fail now */
export function ageOf(
  { first, last }: SeenSpan,
  fingerprint: string,
  earlier: EarlierCauses | null,
  failingSince: number | null,
): CauseAge {
  const since = Math.min(first, earlier?.firstOf.get(fingerprint) ?? first);
  const streak =
    failingSince !== null && failingSince <= since ? ({ recurrence: 'ongoing', since: failingSince } as const) : null;
  if (last - since >= dayMs) return streak ?? { recurrence: 'recurring', since };
  if (earlier === null) return { recurrence: 'unanswered', since };
  if (earlier.isCut) return streak ?? { recurrence: 'unread', since };
  const isKept = earlier.oldestAt !== null && since - earlier.oldestAt >= dayMs;
  return { recurrence: isKept ? 'new' : 'not_kept', since };
}

/** @param failures of one workflow, newest first */
export function earlierCauses(
  failures: readonly { readonly startedAt: string; readonly cause: { readonly fingerprint: string } }[],
  { isCut, oldestAt }: Pick<EarlierCauses, 'isCut' | 'oldestAt'>,
): EarlierCauses {
  const firstOf = new Map(failures.map(({ startedAt, cause }) => [cause.fingerprint, Date.parse(startedAt)]));
  return { firstOf, isCut, oldestAt };
}

/** Of several workflows, the first of these that holds for one of them decides; a cause is new if it is new in all. */
const deciding = ['ongoing', 'recurring', 'unanswered', 'unread', 'not_kept'] as const;

/** @param each for each workflow, or each of several that share a name; none without an error text @param first start of the first failure */
export function ageInAll(each: readonly CauseAge[], first: number): CauseAge {
  if (each.length === 0) return { recurrence: 'no_text', since: first };
  const recurrence = deciding.find((one) => each.some((age) => age.recurrence === one)) ?? 'new';
  return { recurrence, since: Math.min(...each.map(({ since }) => since)) };
}
