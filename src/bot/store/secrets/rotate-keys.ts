/** Rewraps every stored secret under the current master key while the bot runs. A restarted rotation continues with the rest. */
import { type Kysely, sql } from 'kysely';
import { AppError } from '../../../shared/errors.ts';
import { inTransaction } from '../dialect.ts';
import { type SealedColumn, sealedColumns } from '../tables/sealed-columns.ts';
import type { Tables } from '../tables/tables.ts';
import { rewrap } from './envelope.ts';
import type { KeyProvider } from './key-provider.ts';
import { locationOf, type SealedRow, sealedRows } from './stored-secrets.ts';

type Unreadable = { readonly teamId: string; readonly column: string; readonly problem: string };

export type Rotation = {
  /** The master key of every readable secret. */
  readonly keyId: string;
  readonly rewrapped: number;
  /** Secrets that cannot be decrypted; they stay as they are. */
  readonly unreadable: readonly Unreadable[];
};

export type RotateDeps = {
  readonly db: Kysely<Tables>;
  readonly keys: KeyProvider;
  /** Called after each batch. @param rewrapped so far */
  readonly onProgress: (rewrapped: number) => void;
};

const batchSize = 100;

/** Repeats until only unreadable secrets are left, because a secret written meanwhile may be under an older key. */
export async function rotateKeys(deps: RotateDeps): Promise<Rotation> {
  let rewrapped = 0;
  for (;;) {
    const keyId = await deps.keys.current();
    let left = 0;
    const unreadable: Unreadable[] = [];
    for (const column of sealedColumns) {
      let rows: readonly SealedRow[] = [];
      do {
        rows = await sealedRows(deps.db, column, rows.at(-1)?.teamId ?? '', [keyId], batchSize);
        rewrapped += await rewrapRows(deps, column, rows, unreadable);
        left += rows.length;
        if (rows.length > 0) deps.onProgress(rewrapped);
      } while (rows.length > 0);
    }
    if (left === unreadable.length) return { keyId, rewrapped, unreadable };
  }
}

/** @returns the number of rewrapped rows; a row that was written meanwhile stays as it is */
async function rewrapRows(
  { db, keys }: RotateDeps,
  sealedColumn: SealedColumn,
  rows: readonly SealedRow[],
  unreadable: Unreadable[],
): Promise<number> {
  const { table, column } = sealedColumn;
  const changed: { readonly row: SealedRow; readonly sealed: string }[] = [];
  for (const row of rows) {
    try {
      changed.push({ row, sealed: await rewrap(keys, locationOf(sealedColumn, row), row.sealed) });
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      unreadable.push({ teamId: row.teamId, column: `${table}.${column}`, problem: error.publicMessage });
    }
  }
  return inTransaction(db, async (step) => {
    let count = 0;
    for (const { row, sealed } of changed) {
      const update = sql`update ${sql.table(table)} set ${sql.ref(column)} = ${sealed}
        where team_id = ${row.teamId} and ${sql.ref(column)} = ${row.sealed}`;
      count += Number((await update.execute(step)).numAffectedRows ?? 0n);
    }
    return count;
  });
}
