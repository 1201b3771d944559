/** A cache of answers on node-cache, without its copies and without its exception when it is full. */
import NodeCache from 'node-cache';
import { freezeDeep } from '../../../shared/cache/memoize.ts';

/** The last good answer is usable for this long. */
export const lifetimeMs = 24 * 3_600_000;

/** An execution's log may have ten million characters; most answers have a few thousand. */
const unitsDefaultMax = 64 * 1024 * 1024;

export class AnswerStore {
  readonly #cache: NodeCache;
  readonly #answersMax: number;
  readonly #unitsMax: number;
  readonly #weights = new Map<string, number>();
  #units = 0;

  /**
   * @param answersMax beyond this, the oldest tenth is evicted
   * @param unitsMax characters of all answers together; beyond this, the oldest are evicted
   */
  constructor(answersMax: number, unitsMax = unitsDefaultMax) {
    this.#answersMax = answersMax;
    this.#unitsMax = unitsMax;
    this.#cache = new NodeCache({ stdTTL: lifetimeMs / 1000, maxKeys: answersMax, useClones: false });
    this.#cache.on('del', (key: string) => {
      this.#units -= this.#weights.get(key) ?? 0;
      this.#weights.delete(key);
    });
  }

  /** A key belongs to one kind of answer. */
  get<Value>(key: string): Value | undefined {
    return this.#cache.get(key);
  }

  /** Freezes the value deeply, since every reader gets the same one. */
  set<Value>(key: string, value: Value): void {
    const cache = this.#cache;
    // Deleted first, so that the order of keys is the order of age.
    cache.del(key);
    if (cache.getStats().keys >= this.#answersMax) cache.del(cache.keys().slice(0, Math.ceil(this.#answersMax / 10)));
    const weight = weightOf(value, new Set());
    for (const oldest of this.#weights.keys()) {
      if (this.#units + weight <= this.#unitsMax) break;
      cache.del(oldest);
    }
    this.#weights.set(key, weight);
    this.#units += weight;
    cache.set(key, freezeDeep(value));
  }

  close(): void {
    this.#cache.close();
  }
}

/** Rough size of a number, a name or an object, in characters. */
const unitsEach = 16;

function weightOf(value: unknown, visited: Set<object>): number {
  if (typeof value === 'string') return value.length + unitsEach;
  if (typeof value !== 'object' || value === null || visited.has(value)) return unitsEach;
  visited.add(value);
  return Object.values(value).reduce<number>((sum, inner) => sum + weightOf(inner, visited), unitsEach);
}
