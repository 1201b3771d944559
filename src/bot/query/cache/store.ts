/** Cache of answers on node-cache, without its copies and without its exception when it is full. */
import NodeCache from 'node-cache';
import { freezeDeep } from '../../../shared/frozen.ts';

export type AnswerStore = {
  /** A value is what was set under this key; a key belongs to one kind of answer. */
  readonly get: <Value>(key: string) => Value | undefined;
  /** Freezes the value to its depths, since every reader gets the same one. */
  readonly set: <Value>(key: string, value: Value) => void;
  readonly close: () => void;
};

/** How long the last good answer is worth keeping. */
export const keptMs = 24 * 3_600_000;

/** An execution's log may be ten million characters; most answers are a few thousand. */
const unitsDefaultMax = 64 * 1024 * 1024;

/**
 * @param answersMax how many are kept; the oldest tenth goes when there are more
 * @param unitsMax how many characters they have together; the oldest go when there are more
 */
export function createAnswerStore(answersMax: number, unitsMax = unitsDefaultMax): AnswerStore {
  const cache = new NodeCache({ stdTTL: keptMs / 1000, maxKeys: answersMax, useClones: false });
  const weights = new Map<string, number>();
  let units = 0;
  cache.on('del', (key: string) => {
    units -= weights.get(key) ?? 0;
    weights.delete(key);
  });
  return {
    get: (key) => cache.get(key),
    set: (key, value) => {
      // Set anew rather than over, so that the order of keys is the order of age.
      cache.del(key);
      if (cache.getStats().keys >= answersMax) cache.del(cache.keys().slice(0, Math.ceil(answersMax / 10)));
      const weight = weightOf(value, new Set());
      for (const oldest of weights.keys()) {
        if (units + weight <= unitsMax) break;
        cache.del(oldest);
      }
      weights.set(key, weight);
      units += weight;
      cache.set(key, freezeDeep(value));
    },
    close: () => cache.close(),
  };
}

/** What a number, a name or an object around them takes, roughly, in characters. */
const unitsEach = 16;

function weightOf(value: unknown, seen: Set<object>): number {
  if (typeof value === 'string') return value.length + unitsEach;
  if (typeof value !== 'object' || value === null || seen.has(value)) return unitsEach;
  seen.add(value);
  return Object.values(value).reduce<number>((sum, inner) => sum + weightOf(inner, seen), unitsEach);
}
