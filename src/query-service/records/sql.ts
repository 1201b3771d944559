/** SQL statements as text for both engines, and the differences between SQLite and PostgreSQL. */
import { type Kysely, PostgresAdapter } from 'kysely';
import type { Tables } from './tables/tables.ts';

export type Engine = 'sqlite' | 'postgresql';

export function isServer(db: Kysely<Tables>): boolean {
  return db.getExecutor().adapter instanceof PostgresAdapter;
}

/** Text: building a statement with Kysely costs as much as running it. */
export type Statement = {
  readonly text: string;
  readonly values: readonly (string | number)[];
};

/** The values of one row, in the order of its statement. */
export type Row = readonly (string | number | null)[];

/** Runs statements that do not depend on each other. @returns the rows of each, as a promise if the engine is a server */
export type RunStatements = (
  statements: readonly Statement[],
) => readonly (readonly Row[])[] | Promise<readonly (readonly Row[])[]>;

/** Binds a value. @returns its placeholder in the statement, which may be used several times */
export type Bind = (value: string | number) => string;

/** @param write returns the text; both engines number placeholders */
export function statement(engine: Engine, write: (bind: Bind) => string): Statement {
  const sign = engine === 'postgresql' ? '$' : '?';
  const values: (string | number)[] = [];
  return { text: write((value) => `${sign}${values.push(value)}`), values };
}

/** Accepts an empty list, unlike `in ()` on some engines. */
export function isOneOf(bind: Bind, expression: string, list: readonly string[]): string {
  return list.length === 0 ? '1 = 0' : `${expression} in (${list.map(bind).join(', ')})`;
}

/** @param columns for `order by`, each in the same direction */
export function orderText(direction: 'ASC' | 'DESC', ...columns: readonly string[]): string {
  return `order by ${columns.map((column) => `${column} ${direction}`).join(', ')}`;
}

/**
 * @returns `limit` and `offset`. SQLite would prepare the statement again for each new value of a bare parameter, which
 * takes several times as long as reading the page.
 */
export function limitText(bind: Bind, { limit, offset }: { readonly limit: number; readonly offset: number }): string {
  return `limit cast(${bind(limit)} as bigint) offset cast(${bind(offset)} as bigint)`;
}
