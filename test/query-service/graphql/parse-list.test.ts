/** Logs that are parsed in slices equal the written ones, whatever they contain. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parseLongList } from '../../../src/query-service/records/reads/parse-list.ts';
import { anyCharacter } from '../../support/hostile/any-character.ts';

/** Texts that look like the place between two lines. */
const hostile = fc.oneof(
  fc.string({ unit: anyCharacter }),
  fc.constantFrom('},{"nodeId":', '},{', '"},{"nodeId":"', '\\"},{\\"nodeId\\":', '\\', ']', '"'),
);
const line = fc.record({ nodeId: hostile, message: hostile, timestamp: fc.integer() });

test('a list parsed in slices equals the list parsed at once', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(line), fc.integer({ min: 1, max: 200 }), async (lines, sliceLength) => {
      const text = JSON.stringify(lines);
      expect(await parseLongList(text, sliceLength)).toEqual(JSON.parse(text));
    }),
  );
});

test('other work runs between the slices of a long list', async () => {
  const text = JSON.stringify(
    Array.from({ length: 20_000 }, (_, n) => ({ nodeId: `${n}`, message: 'é'.repeat(1_500) })),
  );
  let iterations = 0;
  const count = () => {
    iterations += 1;
    next = setImmediate(count);
  };
  let next = setImmediate(count);
  await parseLongList(text);
  clearImmediate(next);
  expect(iterations).toBeGreaterThanOrEqual(2);
});
