/** All rows of one organization on one server: which tables have them, if two servers have the same, and their deletion. */
import { type Kysely, sql } from 'kysely';
import { AppError } from '../../../shared/errors.ts';
import { ownedKeys } from '../tables/rows.ts';
import type { Tables } from '../tables/tables.ts';

/** Tables that move with an organization, with their keys; children come first, which is the order of deletion. */
export const movedKeys = { ...ownedKeys, api_key: ['organization_id', 'id'] } as const;

export const movedTables = Object.keys(movedKeys) as readonly (keyof typeof movedKeys)[];

/** A service may still write the last use of a key to the old server. It is lost; the next use is recorded. */
const uncompared = ['last_used_at'];

/** Reads the tables at the same time. @throws AppError `unavailable` with the tables whose rows differ */
export async function compareRows(from: Kysely<Tables>, to: Kysely<Tables>, organizationId: string): Promise<void> {
  const compared = movedTables.map(async (table) => {
    const columns = await columnsOf(from, table);
    const [here, there] = await Promise.all([from, to].map((db) => digest(db, table, columns, organizationId)));
    return here === there ? [] : [`${table} (${here} here, ${there} there)`];
  });
  const different = (await Promise.all(compared)).flat();
  if (different.length === 0) return;
  throw new AppError(
    'unavailable',
    `The copy differs from the original in rows or checksums: ${different.join(', ')}.`,
  );
}

async function columnsOf(db: Kysely<Tables>, table: string): Promise<readonly string[]> {
  const { rows } = await sql<{ readonly name: string }>`select attname as name from pg_attribute
    where attrelid = ${table}::regclass and attnum > 0 and not attisdropped order by attname`.execute(db);
  return rows.map(({ name }) => name).filter((name) => !uncompared.includes(name));
}

/** The sum does not depend on the order of the rows. */
async function digest(
  db: Kysely<Tables>,
  table: string,
  columns: readonly string[],
  organizationId: string,
): Promise<string | undefined> {
  const row = sql`row(${sql.join(columns.map((column) => sql.ref(column)))})::text`;
  const { rows } = await sql<{ readonly one: string }>`select concat(count(*), ' / ', coalesce(sum(
      ('x' || left(encode(sha256(convert_to(${row}, 'UTF8')), 'hex'), 15))::bit(60)::bigint::numeric), 0)) as one
    from ${sql.table(table)} where organization_id = ${organizationId}`.execute(db);
  return rows[0]?.one;
}

const batchSize = 5_000;

/** Deletes in batches, each in its own transaction. An interrupted or repeated call is correct. */
export async function deleteRows(db: Kysely<Tables>, organizationId: string, onBatch = () => {}): Promise<void> {
  for (const table of movedTables) {
    const key = movedKeys[table].map((column) => sql.ref(column));
    const isSame = movedKeys[table].map((column) => sql`t.${sql.ref(column)} = d.${sql.ref(column)}`);
    for (let count = -1; count !== 0; ) {
      const { numAffectedRows = 0n } = await sql`delete from ${sql.table(table)} as t using
        (select ${sql.join(key)} from ${sql.table(table)} where organization_id = ${organizationId}
         limit ${batchSize}) as d
        where ${sql.join(isSame, sql` and `)}`.execute(db);
      count = Number(numAffectedRows);
      if (count > 0) onBatch();
    }
  }
}
