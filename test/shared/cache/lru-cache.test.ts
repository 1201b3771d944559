/** What happened a short while ago. */
import { expect, test } from 'vitest';
import { createLruCache } from '../../../src/shared/cache/lru-cache.ts';

function at(keysMax = 100) {
  let now = 0;
  const recent = createLruCache<string>({ clock: () => now, forMs: 1000, keysMax });
  const wait = (ms: number) => {
    now += ms;
  };
  return { recent, wait };
}

test.each([0, 500, 999])('a value set at %i ms is there for the whole time, and gone after twice as long', (setAt) => {
  const { recent, wait } = at();
  recent.get('the first look starts the time');
  wait(setAt);
  recent.set('a', 'one');
  wait(1000);
  expect(recent.get('a')).toBe('one');
  wait(1000);
  expect(recent.get('a')).toBeUndefined();
});

test('a value set again is kept from then on', () => {
  const { recent, wait } = at();
  for (const value of ['one', 'two', 'three']) {
    recent.set('a', value);
    wait(900);
  }
  expect(recent.get('a')).toBe('three');
});

test('of very many at once the newest are kept, however little time has passed', () => {
  const { recent } = at(10);
  for (let key = 0; key < 1000; key += 1) recent.set(`${key}`, 'x');
  const kept = Array.from({ length: 1000 }, (_, key) => recent.get(`${key}`)).filter((value) => value === 'x');
  expect([kept.length >= 10, kept.length <= 20, recent.get('999')]).toEqual([true, true, 'x']);
});

test('what is deleted is gone from both', () => {
  const { recent, wait } = at();
  recent.set('a', 'one');
  wait(1000);
  recent.set('b', 'two');
  for (const key of ['a', 'b']) recent.delete(key);
  expect([recent.get('a'), recent.get('b')]).toEqual([undefined, undefined]);
});

test('a clock that is set back forgets nothing early', () => {
  const { recent, wait } = at();
  wait(10_000);
  recent.set('a', 'one');
  wait(-9_000);
  expect(recent.get('a')).toBe('one');
});
