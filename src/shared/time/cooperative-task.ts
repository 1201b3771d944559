/** Long synchronous work as a generator, which `runCooperatively` may pause at each `yield`. */

export type CooperativeTask<Made> = Generator<void, Made, void>;

/** @param work short; called for each item in order @returns the results */
export function* mapTask<Item, Made>(
  items: Iterable<Item>,
  work: (item: Item, index: number) => Made,
): CooperativeTask<readonly Made[]> {
  const made: Made[] = [];
  for (const item of items) {
    made.push(work(item, made.length));
    yield;
  }
  return made;
}

/** As `Map.groupBy`. */
export function* groupTask<Item, Key>(
  items: Iterable<Item>,
  keyOf: (item: Item) => Key,
): CooperativeTask<ReadonlyMap<Key, readonly Item[]>> {
  const groups = new Map<Key, Item[]>();
  for (const item of items) {
    const key = keyOf(item);
    const group = groups.get(key);
    if (group) group.push(item);
    else groups.set(key, [item]);
    yield;
  }
  return groups;
}

type Compare<Item> = (one: Item, other: Item) => number;

/** Length of a list that is sorted at once; longer lists are merged from such lists. */
const sortedAtOnce = 1000;

/** Stable, as `toSorted`. */
export function* sortTask<Item>(items: readonly Item[], compare: Compare<Item>): CooperativeTask<readonly Item[]> {
  let runs: (readonly Item[])[] = [];
  for (let at = 0; at < items.length; at += sortedAtOnce) {
    runs.push(items.slice(at, at + sortedAtOnce).sort(compare));
    yield;
  }
  while (runs.length > 1) {
    const merged: (readonly Item[])[] = [];
    for (let at = 0; at < runs.length; at += 2)
      merged.push(yield* mergeTask(runs[at] ?? [], runs[at + 1] ?? [], compare));
    runs = merged;
  }
  return runs[0] ?? [];
}

/** @param one sorted @param other sorted @returns both lists merged; equal items of `one` come first */
export function* mergeTask<Item>(
  one: readonly Item[],
  other: readonly Item[],
  compare: Compare<Item>,
): CooperativeTask<readonly Item[]> {
  const all: Item[] = [];
  const rest = other[Symbol.iterator]();
  let next = rest.next();
  for (const item of one) {
    for (; !next.done && compare(next.value, item) < 0; next = rest.next()) all.push(next.value);
    all.push(item);
    yield;
  }
  for (; !next.done; next = rest.next()) all.push(next.value);
  return all;
}
