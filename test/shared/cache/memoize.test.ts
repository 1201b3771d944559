/** Memoizing results for frozen values. */
import { expect, test } from 'vitest';
import { memoize, memoizeLatest } from '../../../src/shared/cache/memoize.ts';

function counting() {
  let calls = 0;
  const lengthOf = memoize(({ words }: { readonly words: readonly string[] }) => {
    calls += 1;
    return words.length === 0 ? undefined : words.length;
  });
  return { lengthOf, calls: () => calls };
}

test.each([[['one', 'two'], 2] as const, [[], undefined] as const])(
  'a result for one frozen value is computed once: %j',
  (words, length) => {
    const { lengthOf, calls } = counting();
    const thing = Object.freeze({ words });
    expect([lengthOf(thing), lengthOf(thing), calls()]).toEqual([length, length, 1]);
  },
);

test('two equal frozen values have separate results', () => {
  const { lengthOf, calls } = counting();
  lengthOf(Object.freeze({ words: ['one'] }));
  lengthOf(Object.freeze({ words: ['one'] }));
  expect(calls()).toBe(2);
});

test('a result for a mutable value is computed each time', () => {
  const { lengthOf } = counting();
  const words = ['one'];
  const thing = { words };
  lengthOf(thing);
  words.push('two');
  expect(lengthOf(thing)).toBe(2);
});

function greeting() {
  let calls = 0;
  const greet = memoizeLatest(
    (hour: number) => `${hour}`,
    ({ name }: { readonly name: string }, hour) => {
      calls += 1;
      return `${name} at ${hour}`;
    },
  );
  return { greet, calls: () => calls };
}

test('with a further argument the result is computed once for each of its values', () => {
  const { greet, calls } = greeting();
  const [ada, ben] = [Object.freeze({ name: 'Ada' }), Object.freeze({ name: 'Ben' })];
  const greetings = [greet(ada, 1), greet(ada, 1), greet(ben, 1), greet(ada, 2), greet(ada, 2), greet(ada, 1)];
  expect(greetings).toEqual(['Ada at 1', 'Ada at 1', 'Ben at 1', 'Ada at 2', 'Ada at 2', 'Ada at 1']);
  expect(calls()).toBe(4);
});

test('with a further argument, a result for a mutable value is computed each time', () => {
  const { greet } = greeting();
  const somebody = { name: 'Ada' };
  greet(somebody, 1);
  somebody.name = 'Ben';
  expect(greet(somebody, 1)).toBe('Ben at 1');
});
