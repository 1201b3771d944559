/** Passes every stored secret on to the current master key, while the bot goes on; begun again, it goes on with the rest. */
import { type Kysely, sql } from 'kysely';
import { AppError } from '../../../shared/errors.ts';
import { type SealedColumn, sealedColumns } from '../tables/sealed-columns.ts';
import type { Tables } from '../tables/tables.ts';
import { rewrap, sealedPrefix } from './envelope.ts';
import type { KeyProvider } from './key-provider.ts';

export type Unreadable = { readonly teamId: string; readonly column: string; readonly problem: string };

export type Rotation = {
  /** Of the key under which all but the unreadable ones are now. */
  readonly keyId: string;
  readonly rewrapped: number;
  /** Secrets that do not open, and stay as they are. */
  readonly unreadable: readonly Unreadable[];
};

export type RotateDeps = {
  readonly db: Kysely<Tables>;
  readonly keys: KeyProvider;
  /** After each batch. @param rewrapped so far */
  readonly onProgress: (rewrapped: number) => void;
};

type Row = { readonly team_id: string; readonly version: string; readonly field: string; readonly sealed: string };

const batchSize = 100;

/** Goes through all until nothing is left but what cannot be read: what was written meanwhile may be under an older key again. */
export async function rotateKeys(deps: RotateDeps): Promise<Rotation> {
  let rewrapped = 0;
  for (;;) {
    const keyId = await deps.keys.current();
    let left = 0;
    const unreadable: Unreadable[] = [];
    for (const column of sealedColumns) {
      let rows: readonly Row[] = [];
      do {
        rows = await nextRows(deps.db, column, keyId, rows.at(-1)?.team_id ?? '');
        rewrapped += await passOn(deps, column, rows, unreadable);
        left += rows.length;
        if (rows.length > 0) deps.onProgress(rewrapped);
      } while (rows.length > 0);
    }
    if (left === unreadable.length) return { keyId, rewrapped, unreadable };
  }
}

async function nextRows(db: Kysely<Tables>, at: SealedColumn, keyId: string, after: string): Promise<readonly Row[]> {
  const [column, prefix] = [sql.ref(at.column), sealedPrefix(keyId)];
  const { rows } = await sql<Row>`
    select team_id, version, ${at.field} as field, ${column} as sealed from ${sql.table(at.table)}
    where team_id > ${after} and substr(${column}, 1, ${sql.lit(prefix.length)}) <> ${prefix}
    order by team_id limit ${sql.lit(batchSize)}`.execute(db);
  return rows;
}

/** @returns how many were passed on: a row that was written meanwhile is left alone */
async function passOn(
  { db, keys }: RotateDeps,
  { table, column }: SealedColumn,
  rows: readonly Row[],
  unreadable: Unreadable[],
): Promise<number> {
  const passed: { readonly row: Row; readonly sealed: string }[] = [];
  for (const row of rows) {
    const place = { purpose: table, teamId: row.team_id, field: row.field, version: row.version };
    try {
      passed.push({ row, sealed: await rewrap(keys, place, row.sealed) });
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      unreadable.push({ teamId: row.team_id, column: `${table}.${column}`, problem: error.publicMessage });
    }
  }
  return db.transaction().execute(async (step) => {
    let count = 0;
    for (const { row, sealed } of passed) {
      const update = sql`update ${sql.table(table)} set ${sql.ref(column)} = ${sealed}
        where team_id = ${row.team_id} and ${sql.ref(column)} = ${row.sealed}`;
      count += Number((await update.execute(step)).numAffectedRows ?? 0n);
    }
    return count;
  });
}
