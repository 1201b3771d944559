/** SQLite through Node's own driver as a dialect of Kysely. */
import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite';
import {
  CompiledQuery,
  type DatabaseConnection,
  type SqliteDatabase,
  SqliteDialect,
  SqliteDriver,
  type SqliteStatement,
  type TransactionSettings,
} from 'kysely';
import { createLruCache } from '../cache/lru-cache.ts';

/** Number of prepared statements; their texts vary only with the number of values in a list. */
const statementsMax = 300;

/** @param database closed when Kysely is destroyed */
export function sqliteDialect(database: DatabaseSync): SqliteDialect {
  const config = { database: kyselyDatabase(database) };
  const createDriver = () => Object.assign(new SqliteDriver(config), { beginTransaction });
  return Object.assign(new SqliteDialect(config), { createDriver });
}

/** @returns a function that runs a reading statement and returns its rows as lists of values; it keeps prepared statements */
export function sqliteRows<Row>(database: DatabaseSync) {
  const ready = createLruCache<StatementSync>({ entriesMax: statementsMax });
  const prepare = (text: string): StatementSync => {
    const statement = database.prepare(text);
    statement.setReturnArrays(true);
    ready.set(text, statement);
    return statement;
  };
  return ({ text, values }: { readonly text: string; readonly values: readonly SQLInputValue[] }): readonly Row[] =>
    (ready.get(text) ?? prepare(text)).all(...values) as readonly unknown[] as readonly Row[];
}

/**
 * Takes the lock at the start of a writing transaction. A transaction that reads first and then wants to write is
 * refused if another process has written meanwhile.
 */
async function beginTransaction(connection: DatabaseConnection, { accessMode }: TransactionSettings): Promise<void> {
  await connection.executeQuery(CompiledQuery.raw(accessMode === 'read only' ? 'begin' : 'begin immediate'));
}

/** Adapts Node's driver to Kysely's. */
function kyselyDatabase(database: DatabaseSync): SqliteDatabase {
  const ready = createLruCache<SqliteStatement>({ entriesMax: statementsMax });
  return {
    close: () => database.close(),
    prepare(text) {
      const known = ready.get(text);
      if (known) return known;
      const statement = kyselyStatement(database.prepare(text), text);
      ready.set(text, statement);
      return statement;
    },
  };
}

function kyselyStatement(statement: StatementSync, text: string): SqliteStatement {
  const values = (parameters: readonly unknown[]) => parameters as readonly SQLInputValue[];
  const names = statement.columns().map(({ name }) => name);
  const reader = names.length > 0;
  const isNamed = reader && !namesAll.test(text);
  if (isNamed) statement.setReturnArrays(true);
  const given = (row: unknown) => (isNamed ? named(names, row as readonly unknown[]) : row);
  return {
    reader,
    all: (parameters) => statement.all(...values(parameters)).map(given),
    run: (parameters) => statement.run(...values(parameters)),
    *iterate(parameters) {
      for (const row of statement.iterate(...values(parameters))) yield given(row);
    },
  };
}

/** Statements that return every column: another process may add columns while the statement is kept. */
const namesAll = /^\s*select (\S+\.)?\*|returning \*/;

/** Builds a row itself, because the driver's own objects are slow to make and to read. */
function named(names: readonly string[], row: readonly unknown[]): Record<string, unknown> {
  const object: Record<string, unknown> = {};
  for (let index = 0; index < names.length; index += 1) object[names[index] ?? ''] = row[index];
  return object;
}
