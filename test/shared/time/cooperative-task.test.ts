/** Work in steps has the same result as work at once. */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import {
  type CooperativeTask,
  groupTask,
  mapTask,
  mergeTask,
  sortTask,
} from '../../../src/shared/time/cooperative-task.ts';
import { finished } from '../../support/runner/finished.ts';

const byKey = (one: Item, other: Item) => one.key - other.key;
type Item = { readonly key: number; readonly at: number };
const itemsOf = (keys: readonly number[]): readonly Item[] => keys.map((key, at) => ({ key, at }));

it('sorts as an array does, equal items in their order, however many', () => {
  const keys = fc.oneof(fc.array(fc.nat(9)), fc.array(fc.nat(99), { minLength: 1_900, maxLength: 3_100, size: 'max' }));
  const property = fc.property(keys, (values) => {
    const items = itemsOf(values);
    expect(finished(sortTask(items, byKey))).toEqual(items.toSorted(byKey));
  });
  fc.assert(property, { numRuns: 60 });
});

it('merges, groups and maps with the same result as without pauses', () => {
  const property = fc.property(fc.array(fc.nat(9)), fc.array(fc.nat(9)), (ones, others) => {
    const [one, other] = [itemsOf(ones).toSorted(byKey), itemsOf(others).toSorted(byKey)];
    expect(finished(mergeTask(one, other, byKey))).toEqual([...one, ...other].sort(byKey));
    expect(finished(groupTask(one, ({ key }) => key))).toEqual(Map.groupBy(one, ({ key }) => key));
    expect(finished(mapTask(one, ({ key }, index) => key * index))).toEqual(one.map(({ key }, index) => key * index));
  });
  fc.assert(property);
});

it.each([
  ['mapped', (items: readonly Item[]): CooperativeTask<unknown> => mapTask(items, ({ key }) => key)],
  ['grouped', (items: readonly Item[]): CooperativeTask<unknown> => groupTask(items, ({ key }) => key)],
  ['sorted', (items: readonly Item[]): CooperativeTask<unknown> => sortTask(items, byKey)],
])('%s may stop at every item, or at every thousand that are sorted at once', (_name, work) => {
  const items = itemsOf(Array.from({ length: 5_000 }, (_, index) => (index * 7) % 5_000));
  expect([...work(items)].length).toBeGreaterThanOrEqual(5_000 / 1_000);
});
