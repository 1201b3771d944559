/** A bounded cache: time to live and eviction. */
import { expect, test } from 'vitest';
import { createLruCache } from '../../../src/shared/cache/lru-cache.ts';

function at(entriesMax = 100) {
  let now = 0;
  const cache = createLruCache<string>({ clock: () => now, ttlMs: 1000, entriesMax });
  const wait = (ms: number) => {
    now += ms;
  };
  return { cache, wait };
}

test.each([0, 500, 999])('a value set at %i ms is there for its time to live, and gone afterwards', (setAt) => {
  const { cache, wait } = at();
  cache.get('an earlier look changes nothing');
  wait(setAt);
  cache.set('a', 'one');
  wait(1000);
  expect(cache.get('a')).toBe('one');
  wait(2);
  expect(cache.get('a')).toBeUndefined();
});

test('setting a value again renews its time to live', () => {
  const { cache, wait } = at();
  for (const value of ['one', 'two', 'three']) {
    cache.set('a', value);
    wait(900);
  }
  expect(cache.get('a')).toBe('three');
});

test('beyond its size the cache keeps the newest entries', () => {
  const { cache } = at(10);
  for (let key = 0; key < 1000; key += 1) cache.set(`${key}`, 'x');
  const kept = Array.from({ length: 1000 }, (_, key) => key).filter((key) => cache.get(`${key}`) === 'x');
  expect(kept).toEqual([990, 991, 992, 993, 994, 995, 996, 997, 998, 999]);
});

test('the least recently used entry is evicted, also without a time to live', () => {
  const cache = createLruCache<string>({ entriesMax: 2 });
  cache.set('a', 'one');
  cache.set('b', 'two');
  cache.get('a');
  cache.set('c', 'three');
  expect(['a', 'b', 'c'].map((key) => cache.get(key))).toEqual(['one', undefined, 'three']);
});

test('a deleted entry is gone', () => {
  const { cache, wait } = at();
  cache.set('a', 'one');
  wait(1000);
  cache.set('b', 'two');
  for (const key of ['a', 'b']) cache.delete(key);
  expect([cache.get('a'), cache.get('b')]).toEqual([undefined, undefined]);
});

test('a clock that is set back removes no entry early', () => {
  const { cache, wait } = at();
  wait(10_000);
  cache.set('a', 'one');
  wait(-9_000);
  expect(cache.get('a')).toBe('one');
});
