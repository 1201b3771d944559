/** SQLite behind Kysely. */
import { DatabaseSync } from 'node:sqlite';
import { Kysely, sql } from 'kysely';
import { expect, it, onTestFinished } from 'vitest';
import { sqliteDialect } from '../../../src/shared/sql/sqlite.ts';
import { newSqlite } from '../../support/databases/engines.ts';

function open(file: string) {
  const database = new DatabaseSync(file);
  database.exec('pragma journal_mode = wal');
  const db = new Kysely<Record<string, never>>({ dialect: sqliteDialect(database) });
  onTestFinished(() => db.destroy());
  return db;
}

const insert = sql`insert into fact values (1)`;

it('a transaction that reads and then writes is exclusive; one that only reads does not block', async () => {
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

it('a prepared statement reads the current columns, also after another process has changed the table', async () => {
  const file = (await newSqlite()).replace('sqlite:', '');
  const [one, other] = [open(file), open(file)];
  await sql`create table fact (n integer, m integer)`.execute(one);
  await sql`insert into fact values (1, 2)`.execute(one);
  const all = async () => (await sql`select * from fact`.execute(one)).rows;
  expect(await all()).toEqual([{ n: 1, m: 2 }]);
  await sql`alter table fact drop column n`.execute(other);
  await sql`alter table fact add column p integer default 3`.execute(other);
  expect(await all()).toEqual([{ m: 2, p: 3 }]);
  expect((await sql`select p as "of", m from fact`.execute(one)).rows).toEqual([{ of: 3, m: 2 }]);
});
