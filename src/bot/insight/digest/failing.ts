/** The workflows that failed in a window, each with its most frequent cause. */
import type { JudgedCause } from './causes.ts';
import type { FailureTally, Tallied } from './tally.ts';

export type FailingWorkflow = Tallied & {
  readonly name: string;
  /** Empty where no workflow of that name is listed, several where they share it. */
  readonly uuids: readonly string[];
  /** What most of its failures are of, incidents of several workflows last; null where there are too many causes to tell. */
  readonly main: JudgedCause | null;
  /** How many of its failures are of that. */
  readonly mainCount: number;
  readonly otherCauses: number;
  /** It did not fail of it before, though others may have. Apart from such incidents. */
  readonly hasNewCause: boolean;
};

/** @returns first those with a new cause, then those with the most failures */
export function failingWorkflows(
  { workflows }: FailureTally,
  causes: readonly JudgedCause[],
  listed: readonly { readonly uuid: string; readonly name: string }[],
): readonly FailingWorkflow[] {
  const uuids = Map.groupBy(listed, ({ name }) => name);
  const byName = new Map<string, { cause: JudgedCause; count: number; isShared: boolean }[]>();
  for (const cause of causes) {
    const sharing = new Set(cause.incident?.workflows);
    for (const [name, { count }] of cause.workflows) {
      const own = byName.get(name) ?? [];
      byName.set(name, own);
      own.push({ cause, count, isShared: sharing.has(name) });
    }
  }
  return [...workflows]
    .map(([name, tallied]): FailingWorkflow => {
      const own = byName.get(name) ?? [];
      // What it shares with others is told with them.
      const alone = own.filter(({ isShared }) => !isShared);
      const [main] = (alone.length > 0 ? alone : own).toSorted((one, other) => other.count - one.count);
      return {
        ...tallied,
        name,
        uuids: (uuids.get(name) ?? []).map(({ uuid }) => uuid),
        main: main?.cause ?? null,
        mainCount: main?.count ?? 0,
        otherCauses: Math.max(0, own.length - 1),
        hasNewCause: alone.some(({ cause }) => cause.newIn.has(name)),
      };
    })
    .sort(
      (one, other) =>
        Number(other.hasNewCause) - Number(one.hasNewCause) || other.count - one.count || other.last - one.last,
    );
}
