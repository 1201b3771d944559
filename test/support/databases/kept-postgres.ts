/**
 * Databases on the server that all tests share. Making and dropping one takes the server a quarter of a second, so each is
 * emptied and used again by later tests of the same process.
 */
import { randomBytes } from 'node:crypto';
import { env } from 'node:process';
import { Client } from 'pg';
import { leaveBit } from '../runner/canaries.ts';

/** What a test finds in its database. */
export type Contents = {
  /** Databases with the same name are used for each other. */
  readonly name: string;
  /** Fills an empty database. */
  readonly fill: (url: string) => Promise<void>;
};

export type TakenPostgres = { readonly url: string; readonly giveBack: () => Promise<void> };

type Kept = {
  readonly name: string;
  readonly url: string;
  /** Connected while nobody has ended its connection. */
  admin?: Client;
  /** Of the filled database. */
  shape?: string;
};

const nothing: Contents = { name: 'nothing', fill: async () => {} };
/** Servers of a busy machine take longer for a connection than the two seconds that a bot waits. */
const longConnectTimeout = '?connect_timeout=120';
const free = new Map<string, Kept[]>();

/** @returns a database that nobody else uses until it is given back */
export async function takePostgres(contents: Contents = nothing): Promise<TakenPostgres> {
  const kept = free.get(contents.name)?.pop() ?? (await make(contents));
  const giveBack = async () => {
    if (await isEmptied(kept, contents)) free.set(contents.name, [...(free.get(contents.name) ?? []), kept]);
    else await drop(kept);
  };
  return { url: kept.url, giveBack };
}

function server(): string {
  const { TEST_POSTGRES_URL: url } = env;
  if (url === undefined) throw new Error('TEST_POSTGRES_URL is not set: run the tests with .ci/with-postgres.');
  return url;
}

async function make({ fill }: Contents): Promise<Kept> {
  const name = `test_${randomBytes(8).toString('hex')}`;
  await asServer(`create database ${name} strategy = file_copy`);
  const url = Object.assign(new URL(server()), { pathname: name, search: longConnectTimeout }).href;
  await fill(url);
  const kept: Kept = { name, url };
  kept.shape = await shapeOf(await adminOf(kept));
  return kept;
}

async function drop({ name, admin }: Kept): Promise<void> {
  await admin?.end();
  await asServer(`drop database ${name} with (force)`);
}

async function asServer(statement: string): Promise<void> {
  const client = new Client({ connectionString: server() });
  await client.connect();
  await client.query(statement).finally(() => client.end());
}

async function adminOf(kept: Kept): Promise<Client> {
  if (kept.admin) return kept.admin;
  const admin = new Client({ connectionString: kept.url });
  // A test may end all connections of its database.
  admin.on('error', () => {
    delete kept.admin;
  });
  await admin.connect();
  kept.admin = admin;
  return admin;
}

/** Records all rows and deletes those of the test. @returns false if the test has changed more than rows */
async function isEmptied(kept: Kept, { name }: Contents): Promise<boolean> {
  const admin = await adminOf(kept);
  await admin.query(
    'select pg_terminate_backend(pid, 60000) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()',
  );
  await leaveRows(admin);
  if (name === nothing.name) await admin.query('drop schema public cascade; create schema public');
  else {
    const tables = (await tablesWithRows(admin)).filter((table) => !/_migration$/.test(table));
    if (tables.length > 0) await admin.query(`truncate ${tables.join()} restart identity cascade`);
  }
  return (await shapeOf(admin)) === kept.shape;
}

async function tablesWithRows(admin: Client): Promise<readonly string[]> {
  const { rows } = await admin.query<{ readonly name: string }>(
    `select oid::regclass as name from pg_class
      where relnamespace = 'public'::regnamespace and relkind = 'r' and pg_relation_size(oid) > 0`,
  );
  return rows.map((row) => row.name);
}

/** Every row of every table as the server's text, some at a time. */
async function leaveRows(admin: Client): Promise<void> {
  const tables = await tablesWithRows(admin);
  if (tables.length === 0) return;
  const take = leaveBit('the database on PostgreSQL');
  const rows = tables.map((table) => `select t::text as row from ${table} t`).join(' union all ');
  await admin.query(`begin; declare each cursor for ${rows}`);
  const next = async () => (await admin.query<{ readonly row: string }>('fetch 1000 from each')).rows;
  for (let some = await next(); some.length > 0; some = await next()) {
    take(some.map(({ row }) => `${row}\n`).join(''));
  }
  await admin.query('rollback');
}

/** @returns the same text for databases with the same tables, settings and applied migrations */
async function shapeOf(admin: Client): Promise<string> {
  const { rows } = await admin.query<{ readonly line: string }>(`
    select attrelid::regclass || ' ' || attname || ' ' || atttypid || ' ' || attnotnull as line
      from pg_attribute join pg_class on pg_class.oid = attrelid where relnamespace = 'public'::regnamespace and attnum > 0
    union all select conname || ' ' || pg_get_constraintdef(oid) from pg_constraint where connamespace = 'public'::regnamespace
    union all select tgrelid::regclass || ' ' || tgname from pg_trigger where not tgisinternal
    union all select proname from pg_proc where pronamespace = 'public'::regnamespace
    union all select nspname from pg_namespace where nspname !~ '^pg_(toast_)?temp_'
    union all select extname from pg_extension
    union all select setconfig::text from pg_db_role_setting join pg_database on oid = setdatabase where datname = current_database()`);
  const migrations = (await tablesWithRows(admin)).filter((table) => /_migration$/.test(table));
  const applied = await Promise.all(
    migrations.map((table) => admin.query(`select t::text from ${table} t order by 1`)),
  );
  return JSON.stringify([rows.map(({ line }) => line).sort(), applied.map((one) => one.rows)]);
}
