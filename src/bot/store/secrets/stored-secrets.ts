/** Reads stored secrets across workspaces: refuses plain text, finds missing master keys, and rewraps every secret. */
import { type Kysely, sql } from 'kysely';
import { AppError } from '../../../shared/errors.ts';
import { inTransaction } from '../dialect.ts';
import type { Tables } from '../tables.ts';
import {
  envelopePrefix,
  type KeyProvider,
  keyIdOf,
  open,
  rewrap,
  type SecretLocation,
  sealedPrefix,
} from './envelope.ts';
import { type SealedColumn, sealedColumns } from './secrets.ts';

type SealedRow = {
  readonly teamId: string;
  readonly version: string;
  readonly field: string;
  readonly sealed: string;
};

/** @returns rows after this workspace whose envelope is under none of these master keys, in the order of their workspaces */
async function sealedRows(
  db: Kysely<Tables>,
  at: SealedColumn,
  after: string,
  keyIds: readonly string[],
  limit: number,
): Promise<readonly SealedRow[]> {
  const column = sql.ref(at.column);
  const others = keyIds.map((keyId) => {
    const prefix = sealedPrefix(keyId);
    return sql`and substr(${column}, 1, ${sql.lit(prefix.length)}) <> ${prefix}`;
  });
  const { rows } = await sql<SealedRow>`
    select team_id, version, ${at.field} as field, ${column} as sealed from ${sql.table(at.table)}
    where team_id > ${after} and ${column} is not null ${sql.join(others, sql` `)}
    order by team_id limit ${sql.lit(limit)}`.execute(db);
  return rows;
}

function locationOf({ table }: SealedColumn, { teamId, field, version }: SealedRow): SecretLocation {
  return { purpose: table, teamId, field, version };
}

/** Each lookup finds another key or passes a row that names none. There are few of both. */
const lookupsMax = 100;

/**
 * Finds master keys that stored secrets need and the keyring lacks.
 * @param keys undefined if there is no keyring @returns the ids of the keys, in order
 */
export async function missingKeys(db: Kysely<Tables>, keys: KeyProvider | undefined): Promise<readonly string[]> {
  const isMissing = new Map<string, boolean>();
  for (const column of sealedColumns) {
    let row: SealedRow | undefined;
    for (let lookups = 0; lookups < lookupsMax; lookups += 1) {
      [row] = await sealedRows(db, column, row?.teamId ?? '', [...isMissing.keys()], 1);
      if (!row) break;
      const keyId = keyIdOf(row.sealed);
      if (keyId !== undefined) isMissing.set(keyId, await lacksKey(keys, column, row));
    }
  }
  return Object.freeze([...isMissing.keys()].filter((keyId) => isMissing.get(keyId)).sort());
}

async function lacksKey(keys: KeyProvider | undefined, column: SealedColumn, row: SealedRow): Promise<boolean> {
  try {
    if (keys) await open(keys, locationOf(column, row), row.sealed);
    return keys === undefined;
  } catch (error) {
    return error instanceof AppError && error.code === 'unavailable';
  }
}

/**
 * Finds a secret that was stored as plain text, by hand or by an older program, when the store opens.
 * @throws AppError `unavailable` that names the workspace and the column
 */
export async function refusePlainText(db: Kysely<Tables>): Promise<void> {
  for (const { table, column } of sealedColumns) {
    const { rows } = await sql<{ readonly teamId: string }>`
      select team_id from ${sql.table(table)}
      where substr(${sql.ref(column)}, 1, ${sql.lit(envelopePrefix.length)}) <> ${envelopePrefix} limit 1`.execute(db);
    if (!rows[0]) continue;
    throw new AppError('unavailable', `Workspace ${rows[0].teamId} has plain text in ${table}.${column}.`, {
      hint: 'In the row of this workspace only, set that column to null. Make a new secret in place of the old one, then install or connect the workspace again.',
    });
  }
}

type Unreadable = { readonly teamId: string; readonly column: string; readonly problem: string };

export type Rotation = {
  /** The master key of every readable secret. */
  readonly keyId: string;
  readonly rewrapped: number;
  /** Secrets that cannot be decrypted; they stay as they are. */
  readonly unreadable: readonly Unreadable[];
};

type RotationRequest = {
  readonly db: Kysely<Tables>;
  readonly keys: KeyProvider;
  /** Called after each batch. @param rewrapped so far */
  readonly onProgress: (rewrapped: number) => void;
};

const batchSize = 100;

/**
 * Rewraps every stored secret under the current master key while the bot runs. A restarted rotation continues with the rest.
 * Repeats until only unreadable secrets are left, because a secret written meanwhile may be under an older key.
 */
export async function rotateKeys({ db, keys, onProgress }: RotationRequest): Promise<Rotation> {
  let rewrapped = 0;
  for (;;) {
    const keyId = await keys.current();
    let left = 0;
    const unreadable: Unreadable[] = [];
    for (const column of sealedColumns) {
      let rows: readonly SealedRow[] = [];
      do {
        rows = await sealedRows(db, column, rows.at(-1)?.teamId ?? '', [keyId], batchSize);
        rewrapped += await rewrapRows(db, keys, column, rows, unreadable);
        left += rows.length;
        if (rows.length > 0) onProgress(rewrapped);
      } while (rows.length > 0);
    }
    if (left === unreadable.length) return { keyId, rewrapped, unreadable };
  }
}

/** @returns the number of rewrapped rows; a row that was written meanwhile stays as it is */
async function rewrapRows(
  db: Kysely<Tables>,
  keys: KeyProvider,
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
