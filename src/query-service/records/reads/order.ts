/** How lists are ordered: empty values last in both directions, whatever the engine would do. */
import type { OrderByItemBuilder } from 'kysely';
import type { Order } from '../port.ts';

/** @param isNullable only there are empty values named: naming them keeps an engine from reading an index backwards */
export function directed(direction: Order<string>['direction'], isNullable = false) {
  return (by: OrderByItemBuilder) => {
    const ordered = direction === 'ASC' ? by.asc() : by.desc();
    return isNullable ? ordered.nullsLast() : ordered;
  };
}
