/** Working something out once for what never changes. */
import { expect, test } from 'vitest';
import { remembered } from '../../src/core/remembered.ts';

function counting() {
  let calls = 0;
  const lengthOf = remembered(({ words }: { readonly words: readonly string[] }) => {
    calls += 1;
    return words.length === 0 ? undefined : words.length;
  });
  return { lengthOf, calls: () => calls };
}

test.each([[['one', 'two'], 2] as const, [[], undefined] as const])(
  'for one frozen thing it is worked out once: %j',
  (words, length) => {
    const { lengthOf, calls } = counting();
    const thing = Object.freeze({ words });
    expect([lengthOf(thing), lengthOf(thing), calls()]).toEqual([length, length, 1]);
  },
);

test('two frozen things that look alike are two', () => {
  const { lengthOf, calls } = counting();
  lengthOf(Object.freeze({ words: ['one'] }));
  lengthOf(Object.freeze({ words: ['one'] }));
  expect(calls()).toBe(2);
});

test('what may still change is worked out each time', () => {
  const { lengthOf } = counting();
  const words = ['one'];
  const thing = { words };
  lengthOf(thing);
  words.push('two');
  expect(lengthOf(thing)).toBe(2);
});
