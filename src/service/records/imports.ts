/** How far imports have come, kept beside what they have written: it can be behind the records, never ahead of them. */
import type { Kysely } from 'kysely';
import type { ImportRecords } from './port.ts';
import type { Tables } from './tables.ts';

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
