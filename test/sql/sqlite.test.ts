/** SQLite behind Kysely. */
import { DatabaseSync } from 'node:sqlite';
import { Kysely, sql } from 'kysely';
import { expect, it, onTestFinished } from 'vitest';
import { sqliteDialect } from '../../src/sql/sqlite.ts';
import { newSqlite } from '../support/engines.ts';

function open(file: string) {
  const database = new DatabaseSync(file);
  database.exec('pragma journal_mode = wal');
  const db = new Kysely<Record<string, never>>({ dialect: sqliteDialect(database) });
  onTestFinished(() => db.destroy());
  return db;
}

const insert = sql`insert into fact values (1)`;

it('a transaction that reads and then writes is not overtaken; one that only reads stops nobody', async () => {
  const file = (await newSqlite()).replace('sqlite:', '');
  const [one, other] = [open(file), open(file)];
  await sql`create table fact (n integer)`.execute(one);
  await one.transaction().execute(async (step) => {
    await sql`select * from fact`.execute(step);
    await expect(insert.execute(other)).rejects.toThrow('locked');
    await insert.execute(step);
  });
  await one
    .transaction()
    .setAccessMode('read only')
    .execute(async (step) => {
      await sql`select * from fact`.execute(step);
      await insert.execute(other);
      expect((await sql`select * from fact`.execute(step)).rows).toHaveLength(1);
    });
});
