/** Freezes values that many readers share, and memoizes pure functions of them for as long as they are in memory. */
import { isMasking } from '../redaction/masking.ts';

/**
 * For pure functions of answers that the query service's memory hands out again and again: those are frozen to their
 * depths. What is not frozen may still change, so for that it is worked out each time.
 *
 * @param work a pure function @returns the same function, which forgets with the thing itself
 */
export function memoize<Thing extends object, Value>(work: (thing: Thing) => Value): (thing: Thing) => Value {
  const known = memoizeRegardlessOfMasking(work);
  return (thing) => (isMasking() ? known(thing) : work(thing));
}

/** As `remembered`, for work that is the same whether or not values are masked. */
export function memoizeRegardlessOfMasking<Thing extends object, Value>(
  work: (thing: Thing) => Value,
): (thing: Thing) => Value {
  const known = new WeakMap<Thing, { readonly value: Value }>();
  return (thing) => {
    if (!Object.isFrozen(thing)) return work(thing);
    const entry = known.get(thing) ?? { value: work(thing) };
    known.set(thing, entry);
    return entry.value;
  };
}

/**
 * As `remembered`, for work that depends on something small too: `keyOf` has to spell all of it. Of each thing only the
 * newest is kept.
 */
export function memoizeLatest<Thing extends object, Rest, Value>(
  keyOf: (rest: Rest) => string,
  work: (thing: Thing, rest: Rest) => Value,
): (thing: Thing, rest: Rest) => Value {
  const known = new WeakMap<Thing, { readonly key: string; readonly value: Value }>();
  return (thing, rest) => {
    if (!isLasting(thing)) return work(thing, rest);
    const key = keyOf(rest);
    const entry = known.get(thing);
    if (entry?.key === key) return entry.value;
    const value = work(thing, rest);
    known.set(thing, { key, value });
    return value;
  };
}

/** What is made unmasked is for the moment in which that is allowed. */
function isLasting(thing: object): boolean {
  return Object.isFrozen(thing) && isMasking();
}

/** Freezes a value of data to its depths. @returns the same value */
export function freezeDeep<Value>(value: Value): Value {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value;
  for (const inner of Object.values(value)) freezeDeep(inner);
  return Object.freeze(value);
}
