/** Starts a table with its key columns. */
import type { CreateTableBuilder, Kysely } from 'kysely';
import type { Tables } from '../tables/tables.ts';

/** @param columns text columns that together are the primary key */
export function keyed(db: Kysely<Tables>, table: string, columns: readonly string[]) {
  const begun = columns.reduce<CreateTableBuilder<string, string>>(
    (builder, name) => builder.addColumn(name, 'text', (column) => column.notNull()),
    db.schema.createTable(table),
  );
  return begun.addPrimaryKeyConstraint(`${table}_key`, [...columns]);
}
