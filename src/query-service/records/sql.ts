/** SQL helpers for both engines: statements written as text, and where SQLite and PostgreSQL differ. */
import { CompiledQuery, type Kysely, type OrderByItemBuilder, PostgresAdapter, type RawBuilder, sql } from 'kysely';
import type { Order } from './port.ts';
import type { Tables } from './tables/tables.ts';

export function isServer(db: Kysely<Tables>): boolean {
  return db.getExecutor().adapter instanceof PostgresAdapter;
}

/** @returns what stands for the value in the statement, wherever and however often it is put: never the value itself */
export type Bind = (value: string | number) => string;

/** Both engines number what is bound, each behind a sign of its own. @param write gives the statement's text */
export async function ask<Row>(db: Kysely<Tables>, write: (bind: Bind) => string): Promise<readonly Row[]> {
  const sign = isServer(db) ? '$' : '?';
  const values: (string | number)[] = [];
  const text = write((value) => `${sign}${values.push(value)}`);
  const { rows } = await db.executeQuery<Row>(CompiledQuery.raw(text, values));
  return rows;
}

export function isOneOf(value: RawBuilder<unknown>, list: readonly string[]): RawBuilder<boolean> {
  return list.length === 0 ? sql<boolean>`1 = 0` : sql<boolean>`${value} in (${sql.join(list)})`;
}

/** @param isNullable only there are empty values named: naming them keeps an engine from reading an index backwards */
export function ordering(direction: Order<string>['direction'], isNullable = false) {
  return (by: OrderByItemBuilder) => {
    const ordered = direction === 'ASC' ? by.asc() : by.desc();
    return isNullable ? ordered.nullsLast() : ordered;
  };
}
