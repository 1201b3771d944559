/** Writes a consistent backup of the store while the bot runs. Secrets stay sealed. */
import { type Kysely, sql, type Transaction } from 'kysely';
import { migrationNames } from '../migrations.ts';
import { type TableName, type Tables, tableKeys, tableNames } from '../tables/tables.ts';
import { printLine, type Row } from './format.ts';

const pageSize = 500;

/** @param write gets lines with their line breaks @param now epoch milliseconds @returns the number of rows */
export async function backUp(
  db: Kysely<Tables>,
  write: (lines: string) => Promise<void>,
  now: number,
): Promise<number> {
  const snapshot = db.transaction().setIsolationLevel('repeatable read').setAccessMode('read only');
  return snapshot.execute(async (snapshotDb) => {
    await write(printLine({ step: migrationNames.at(-1) ?? '', at: new Date(now).toISOString() }));
    let count = 0;
    for (const table of tableNames) {
      for await (const rows of pages(snapshotDb, table)) {
        await write(rows.map((row) => printLine({ table, row })).join(''));
        count += rows.length;
      }
    }
    await write(printLine({ rows: count }));
    return count;
  });
}

async function* pages(db: Transaction<Tables>, table: TableName): AsyncGenerator<readonly Row[]> {
  const key = sql.join(tableKeys[table].map((column) => sql.ref(column)));
  let last: Row | undefined;
  for (;;) {
    const after = last && sql`where (${key}) > (${sql.join(tableKeys[table].map((column) => last?.[column]))})`;
    const page = sql<Row>`select * from ${sql.table(table)} ${after ?? sql``} order by ${key} limit ${sql.lit(pageSize)}`;
    // The rows keep the names of the database.
    const { rows } = await page.execute(db.withoutPlugins());
    if (rows.length > 0) yield rows;
    if (rows.length < pageSize) return;
    last = rows.at(-1);
  }
}
