/** A check of every item that also fails for an empty list, and shows the items that do not hold. */
import { expect } from 'vitest';

export function expectEvery<Item>(items: readonly Item[], holds: (item: Item, index: number) => boolean): void {
  expect(items.length, 'the list is empty').toBeGreaterThan(0);
  expect(items.filter((item, index) => !holds(item, index))).toEqual([]);
}
