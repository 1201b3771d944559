/** Asks the database by statements written as text: putting one together with a builder costs as much as running it. */
import { CompiledQuery, type Kysely } from 'kysely';
import { isServer } from './engine.ts';
import type { Tables } from './tables.ts';

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

/** @returns whether a value is one of a list, which may be empty: not every engine takes `in ()` */
export function among(value: string, list: readonly string[], bind: Bind): string {
  return list.length === 0 ? '1 = 0' : `${value} in (${list.map(bind).join(', ')})`;
}

/** Empty values come last. @param isNullable naming what cannot be empty would keep an engine from reading an index backwards */
export function ordered(columns: readonly string[], direction: 'ASC' | 'DESC', isNullable = false): string {
  return columns.map((column) => `${column} ${direction}${isNullable ? ' nulls last' : ''}`).join(', ');
}
