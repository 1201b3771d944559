/** Long lists for GraphQL engines, which complete all items of a list that are there in one stretch. */
import { setImmediate as nextTurn } from 'node:timers/promises';

const itemsPerTurn = 500;

/** @returns the items; those beyond the first few hundred as promises, so many for each turn of the event loop */
export function inTurns<Item>(items: readonly Item[]): readonly (Item | Promise<Item>)[] {
  if (items.length <= itemsPerTurn) return items;
  let turn = Promise.resolve();
  return items.map((item, index) => {
    if (index < itemsPerTurn) return item;
    if (index % itemsPerTurn === 0) turn = turn.then(() => nextTurn());
    return turn.then(() => item);
  });
}
