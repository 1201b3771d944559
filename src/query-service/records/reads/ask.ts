/** Asks the database by statements written as text: putting one together with a builder costs as much as running it. */
import { CompiledQuery, type Kysely } from 'kysely';
import { isServer } from '../engine.ts';
import type { Tables } from '../tables/tables.ts';

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
