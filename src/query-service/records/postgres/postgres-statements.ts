/** The few statements that every write to PostgreSQL is made of. */
import { type Kysely, sql, type Transaction } from 'kysely';
import { type OwnedTable, ownedKeys } from '../tables/rows.ts';
import type { Tables } from '../tables/tables.ts';

/** Any number that no other lock in the same database is likely to have. */
const lockClass = 724_500_912;

/** Of one statement: what it holds is in memory at once, here and on the server. */
const rowsMax = 5000;
const bytesMax = 8 * 1024 * 1024;

/**
 * One transaction that is alone in writing to its organizations. Their writers would wait for each other's row of the roll-up
 * anyway; waiting before the first row, in one order, they can neither deadlock nor see half of what another does.
 */
export async function alone<Result>(
  db: Kysely<Tables>,
  organizationIds: readonly string[],
  work: (transaction: Transaction<Tables>) => Promise<Result>,
): Promise<Result> {
  // Read committed, whatever the server's default: what is read after the wait has to be what stands then.
  return db
    .transaction()
    .setIsolationLevel('read committed')
    .execute(async (transaction) => {
      await sql`select pg_advisory_xact_lock(${sql.lit(lockClass)}, key) from (
        select distinct hashtext(id) as key from unnest(${[...new Set(organizationIds)]}::text[]) as id order by key
      ) as keys`.execute(transaction);
      return work(transaction);
    });
}

type OwnedRow<Name extends OwnedTable> = Tables[Name];

/**
 * Inserts rows, as one JSON text that the server reads by the table's own types.
 * @param onKnown of columns: their new value where the key is known; replaced where left out
 */
export async function upsert<Name extends OwnedTable>(
  db: Kysely<Tables>,
  table: Name,
  rows: readonly OwnedRow<Name>[],
  onKnown = (column: string) => `excluded.${column}`,
): Promise<void> {
  const key: readonly string[] = ownedKeys[table];
  for (const portion of portions(lastOfEach(key, rows))) {
    const columns = Object.keys(portion[0] ?? {});
    const changed = columns.filter((column) => !key.includes(column));
    const list = sql.raw(columns.join(', '));
    await sql`insert into ${sql.table(table)} (${list})
      select ${list} from json_populate_recordset(null::${sql.table(table)}, ${JSON.stringify(portion)}::json)
      on conflict (${sql.raw(key.join(', '))}) do update
      set ${sql.raw(changed.map((column) => `${column} = ${onKnown(column)}`).join(', '))}`.execute(db);
  }
}

/** One statement may not touch a row twice: where a key comes twice, the later row stands. */
function lastOfEach<Row extends object>(key: readonly string[], rows: readonly Row[]): readonly Row[] {
  const byKey = new Map<string, Row>();
  for (const row of rows) {
    byKey.set(key.map((column) => Reflect.get(row, column)).join('\n'), row);
  }
  return [...byKey.values()];
}

function* portions<Row extends object>(rows: readonly Row[]): Generator<readonly Row[]> {
  let portion: Row[] = [];
  let bytes = 0;
  for (const row of rows) {
    portion.push(row);
    for (const value of Object.values(row)) bytes += typeof value === 'string' ? value.length : 8;
    if (portion.length < rowsMax && bytes < bytesMax) continue;
    yield portion;
    portion = [];
    bytes = 0;
  }
  if (portion.length > 0) yield portion;
}
