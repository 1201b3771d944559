/** What follows from a thing that never changes, worked out once for as long as that thing is in memory. */

/**
 * For pure functions of answers that the query service's memory hands out again and again: those are frozen to their
 * depths. What is not frozen may still change, so for that it is worked out each time.
 *
 * @param work a pure function @returns the same function, which forgets with the thing itself
 */
export function remembered<Thing extends object, Value>(work: (thing: Thing) => Value): (thing: Thing) => Value {
  const known = new WeakMap<Thing, { readonly value: Value }>();
  return (thing) => {
    if (!Object.isFrozen(thing)) return work(thing);
    const held = known.get(thing) ?? { value: work(thing) };
    known.set(thing, held);
    return held.value;
  };
}
