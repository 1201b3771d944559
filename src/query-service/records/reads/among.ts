/** Whether a value is one of a list, which may be empty: not every engine takes `in ()`. */
import { type RawBuilder, sql } from 'kysely';

export function among(value: RawBuilder<unknown>, list: readonly string[]): RawBuilder<boolean> {
  return list.length === 0 ? sql<boolean>`1 = 0` : sql<boolean>`${value} in (${sql.join(list)})`;
}
