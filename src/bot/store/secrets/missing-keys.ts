/** Finds master keys that stored secrets need and the keyring lacks. */
import { type Kysely, sql } from 'kysely';
import { AppError } from '../../../shared/errors.ts';
import { type SealedColumn, sealedColumns } from '../tables/sealed-columns.ts';
import type { Tables } from '../tables/tables.ts';
import { keyIdOf, open, sealedPrefix } from './envelope.ts';
import type { KeyProvider } from './key-provider.ts';

type Row = { readonly team_id: string; readonly version: string; readonly field: string; readonly sealed: string };

/** Each look finds another key or passes a row that names none; there are few of both. */
const looksMax = 100;

/** @param keys undefined where there is no keyring @returns the ids of the keys, in order */
export async function missingKeys(db: Kysely<Tables>, keys: KeyProvider | undefined): Promise<readonly string[]> {
  const isMissing = new Map<string, boolean>();
  for (const column of sealedColumns) {
    let row: Row | undefined;
    for (let looks = 0; looks < looksMax; looks += 1) {
      row = await nextRow(db, column, row?.team_id ?? '', [...isMissing.keys()]);
      if (!row) break;
      const keyId = keyIdOf(row.sealed);
      if (keyId !== undefined) isMissing.set(keyId, await lacksKey(keys, column, row));
    }
  }
  return Object.freeze([...isMissing.keys()].filter((keyId) => isMissing.get(keyId)).sort());
}

/** @returns the first row after this workspace whose secret is under none of these keys */
async function nextRow(db: Kysely<Tables>, at: SealedColumn, after: string, keyIds: readonly string[]) {
  const column = sql.ref(at.column);
  const others = keyIds.map((keyId) => {
    const prefix = sealedPrefix(keyId);
    return sql`and substr(${column}, 1, ${sql.lit(prefix.length)}) <> ${prefix}`;
  });
  const { rows } = await sql<Row>`
    select team_id, version, ${at.field} as field, ${column} as sealed from ${sql.table(at.table)}
    where team_id > ${after} and ${column} is not null ${sql.join(others, sql` `)}
    order by team_id limit 1`.execute(db);
  return rows[0];
}

async function lacksKey(keys: KeyProvider | undefined, { table }: SealedColumn, row: Row): Promise<boolean> {
  const place = { purpose: table, teamId: row.team_id, field: row.field, version: row.version };
  try {
    if (keys) await open(keys, place, row.sealed);
    return keys === undefined;
  } catch (error) {
    return error instanceof AppError && error.code === 'unavailable';
  }
}
