/** Runs reading statements on SQLite. */
import type { DatabaseSync } from 'node:sqlite';
import { sqliteRows } from '../../../shared/sql/sqlite.ts';
import type { Row, Statement } from '../sql.ts';

/** @returns a function that runs one statement at once */
export function createRun(database: DatabaseSync): (statement: Statement) => readonly Row[] {
  const rowsOf = sqliteRows(database);
  return ({ text, values }) => rowsOf(text, values) as readonly Row[];
}
