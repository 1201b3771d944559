/** Steps of several executions laid beside each other: the second call of a method beside the second call of it. */

type Call = { readonly capability: string; readonly method: string | null };

export type KeyedStep<Step> = {
  readonly step: Step;
  readonly call: string;
  /** From 1. */
  readonly occurrence: number;
};

/** @param steps in time order @returns the same steps by what names them across executions, in the same order */
export function stepsByKey<Step extends Call>(steps: readonly Step[]): ReadonlyMap<string, KeyedStep<Step>> {
  const counts = new Map<string, number>();
  const places = new Map<string, KeyedStep<Step>>();
  for (const step of steps) {
    const call = JSON.stringify([step.capability, step.method]);
    const occurrence = (counts.get(call) ?? 0) + 1;
    counts.set(call, occurrence);
    places.set(stepKey(call, occurrence), { step, call, occurrence });
  }
  return places;
}

export function stepKey(call: string, occurrence: number): string {
  return `${call} ${occurrence}`;
}

/** @returns every name once: those of `first` in their order, each that only `second` has behind the one that it follows there */
export function mergeOrder(first: Iterable<string>, second: Iterable<string>): readonly string[] {
  const known = new Set(first);
  const behind = new Map<string | null, string[]>();
  let anchor: string | null = null;
  for (const name of second) {
    if (known.has(name)) {
      anchor = name;
      continue;
    }
    const names = behind.get(anchor);
    if (names) names.push(name);
    else behind.set(anchor, [name]);
  }
  return [...(behind.get(null) ?? []), ...[...known].flatMap((name) => [name, ...(behind.get(name) ?? [])])];
}
