/** Freezes shared values, and memoizes pure functions of them for as long as they are in memory. */
import { isMasking } from '../redaction/masking.ts';

/**
 * Memoizes a pure function of cached answers, which are deeply frozen. For a value that is not frozen, and may change,
 * the result is computed each time.
 * @param work a pure function
 * @returns the same function; a result lives as long as its argument
 */
export function memoize<Thing extends object, Value>(work: (thing: Thing) => Value): (thing: Thing) => Value {
  const known = new WeakMap<Thing, { readonly value: Value }>();
  return (thing) => {
    if (!isLasting(thing)) return work(thing);
    const entry = known.get(thing) ?? { value: work(thing) };
    known.set(thing, entry);
    return entry.value;
  };
}

/**
 * As `memoize`, for work with a second argument, all of which `keyOf` has to contain. Only the newest result of each
 * thing is cached.
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

/** Unmasked results are not cached. */
function isLasting(thing: object): boolean {
  return Object.isFrozen(thing) && isMasking();
}

/** Freezes a value deeply. @returns the same value */
export function freezeDeep<Value>(value: Value): Value {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value;
  for (const inner of Object.values(value)) freezeDeep(inner);
  return Object.freeze(value);
}
