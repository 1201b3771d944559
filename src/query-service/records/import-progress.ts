/** Progress of imports, in the database that they write to. It may be behind the records, never ahead of them. */
import type { Kysely } from 'kysely';
import type { Tables } from './tables/tables.ts';

/** Progress of the import of one file. */
export type ImportProgress = {
  /** Imported bytes of the file, and the lines in them. */
  readonly bytes: number;
  readonly lines: number;
  /** SHA-256 of those bytes, hexadecimal. */
  readonly digest: string;
  /** Refused lines among them, and the length of the file with the reasons. */
  readonly refused: number;
  readonly refusedBytes: number;
  readonly at: number;
};

/** Unfinished imports, by the file they read. */
export type ImportRecords = {
  find(source: string): Promise<ImportProgress | null>;
  put(source: string, progress: ImportProgress): Promise<void>;
  drop(source: string): Promise<void>;
};

/** @param db an open database with the tables of migrations.ts */
export function createImportRecords(db: Kysely<Tables>): ImportRecords {
  return {
    async find(source) {
      const columns = ['bytes', 'lines', 'digest', 'refused', 'refused_bytes as refusedBytes', 'at'] as const;
      const row = await db
        .selectFrom('import_progress')
        .select(columns)
        .where('source', '=', source)
        .executeTakeFirst();
      return row ?? null;
    },
    async put(source, { refusedBytes, ...progress }) {
      const row = { ...progress, refused_bytes: refusedBytes };
      await db
        .insertInto('import_progress')
        .values({ source, ...row })
        .onConflict((conflict) => conflict.column('source').doUpdateSet(row))
        .execute();
    },
    async drop(source) {
      await db.deleteFrom('import_progress').where('source', '=', source).execute();
    },
  };
}
