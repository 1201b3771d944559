/** SQL helpers for both engines: statements written as text, and differences between SQLite and PostgreSQL. */
import { CompiledQuery, type Kysely, type OrderByItemBuilder, PostgresAdapter, type RawBuilder, sql } from 'kysely';
import type { Order } from './port.ts';
import type { Tables } from './tables/tables.ts';

export function isServer(db: Kysely<Tables>): boolean {
  return db.getExecutor().adapter instanceof PostgresAdapter;
}

/** Binds a value. @returns its placeholder in the statement, which may be used several times */
export type Bind = (value: string | number) => string;

/**
 * Runs a statement written as text: building one with Kysely costs as much as running it.
 * @param write returns the text; both engines number placeholders
 */
export async function runQuery<Row>(db: Kysely<Tables>, write: (bind: Bind) => string): Promise<readonly Row[]> {
  const sign = isServer(db) ? '$' : '?';
  const values: (string | number)[] = [];
  const text = write((value) => `${sign}${values.push(value)}`);
  const { rows } = await db.executeQuery<Row>(CompiledQuery.raw(text, values));
  return rows;
}

/** Accepts an empty list, unlike `in ()` on some engines. */
export function isOneOf(value: RawBuilder<unknown>, list: readonly string[]): RawBuilder<boolean> {
  return list.length === 0 ? sql<boolean>`1 = 0` : sql<boolean>`${value} in (${sql.join(list)})`;
}

/** @param isNullable adds `nulls last`, which keeps an engine from reading an index backwards */
export function ordering(direction: Order<string>['direction'], isNullable = false) {
  return (by: OrderByItemBuilder) => {
    const ordered = direction === 'ASC' ? by.asc() : by.desc();
    return isNullable ? ordered.nullsLast() : ordered;
  };
}
