/** The few statements that every write to SQLite is made of. */
import type { DatabaseSync } from 'node:sqlite';
import type { Tables } from '../tables/tables.ts';

/** @returns runs work between begin and commit, or rolls back and throws what the work threw */
export function createTransaction(database: DatabaseSync): <Result>(work: () => Result) => Result {
  return (work) => {
    // Immediate: a second writer waits here (busy_timeout) rather than failing half way.
    database.exec('begin immediate');
    try {
      const result = work();
      database.exec('commit');
      return result;
    } catch (error) {
      database.exec('rollback');
      throw error;
    }
  };
}

/** @returns the text of an insert with a parameter a column @param onConflict what to do where the key is known */
export function insertText<Name extends keyof Tables>(
  table: Name,
  columns: readonly (keyof Tables[Name] & string)[],
  onConflict = '',
): string {
  return `insert into ${table} (${columns.join(', ')}) values (${columns.map(() => '?').join(', ')}) ${onConflict}`;
}

/** @returns the same, replacing every other column where the key is known */
export function upsertText<Name extends keyof Tables>(
  table: Name,
  key: readonly (keyof Tables[Name] & string)[],
  columns: readonly (keyof Tables[Name] & string)[],
): string {
  const replaced = columns.filter((column) => !key.includes(column)).map((column) => `${column} = excluded.${column}`);
  return insertText(table, columns, `on conflict (${key.join(', ')}) do update set ${replaced.join(', ')}`);
}

/** Inserts one row, or replaces the one with the same key. */
export function upsert<Name extends keyof Tables>(
  database: DatabaseSync,
  table: Name,
  key: readonly (keyof Tables[Name] & string)[],
  row: Tables[Name] & Readonly<Record<string, string | number | null>>,
): void {
  const columns = Object.keys(row) as (keyof Tables[Name] & string)[];
  database.prepare(upsertText(table, key, columns)).run(...Object.values(row));
}
