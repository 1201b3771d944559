/** SQLite through Node's own driver, as Kysely wants it: shared by the service's records and the bot's store. */
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

/** Statements kept ready; the texts sent vary only with the number of values in a list. */
const statementsMax = 300;

/** @param database closed when Kysely is destroyed */
export function sqliteDialect(database: DatabaseSync): SqliteDialect {
  const config = { database: kyselyDatabase(database) };
  const createDriver = () => Object.assign(new SqliteDriver(config), { beginTransaction });
  return Object.assign(new SqliteDialect(config), { createDriver });
}

/**
 * Whoever will write says so at once and waits for its turn: a transaction that has read and then wants to write is refused
 * when another process has written meanwhile.
 */
async function beginTransaction(connection: DatabaseConnection, { accessMode }: TransactionSettings): Promise<void> {
  await connection.executeQuery(CompiledQuery.raw(accessMode === 'read only' ? 'begin' : 'begin immediate'));
}

/** What Kysely needs of a driver, from what Node's has. */
function kyselyDatabase(database: DatabaseSync): SqliteDatabase {
  const ready = new Map<string, SqliteStatement>();
  return {
    close: () => database.close(),
    prepare(text) {
      const known = ready.get(text);
      if (known) return known;
      if (ready.size >= statementsMax) ready.clear();
      const statement = kyselyStatement(database.prepare(text));
      ready.set(text, statement);
      return statement;
    },
  };
}

function kyselyStatement(statement: StatementSync): SqliteStatement {
  const values = (parameters: readonly unknown[]) => parameters as readonly SQLInputValue[];
  return {
    reader: statement.columns().length > 0,
    all: (parameters) => statement.all(...values(parameters)),
    run: (parameters) => statement.run(...values(parameters)),
    iterate: (parameters) => statement.iterate(...values(parameters)),
  };
}
