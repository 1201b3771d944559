/** Temporary databases of the benchmark: a SQLite file and, if a server is available, a PostgreSQL database. */
import { join } from 'node:path';
import { Client } from 'pg';
import { openRecords } from '../../src/query-service/records/open.ts';
import { type Loaded, load } from './load.ts';
import { parentOf } from './processes.ts';

export type Database = Loaded & {
  readonly engine: 'SQLite' | 'PostgreSQL';
  readonly url: string;
  readonly executions: number;
  /** Id of the server's main process, if it runs on this machine; undefined without a server. */
  readonly serverPid?: number;
};

/** @param folder of the file */
export async function sqliteDatabase(folder: string, executions: number): Promise<Database> {
  const url = `sqlite:${join(folder, `${executions}.db`)}`;
  return { engine: 'SQLite', url, executions, ...(await filled(url, executions)) };
}

/**
 * @param server URL of a PostgreSQL server with the right to create databases
 * @returns a database that `dropDatabase` removes
 */
export async function postgresDatabase(server: string, executions: number): Promise<Database> {
  const name = databaseName(executions);
  await onServer(server, `drop database if exists ${name} with (force)`, `create database ${name}`);
  const url = Object.assign(new URL(server), { pathname: `/${name}` }).href;
  const loaded = await filled(url, executions);
  // As autovacuum does some minutes later.
  await onServer(url, 'vacuum analyze');
  return { engine: 'PostgreSQL', url, executions, ...loaded, serverPid: await serverPid(url) };
}

export async function dropDatabase(server: string, executions: number): Promise<void> {
  await onServer(server, `drop database if exists ${databaseName(executions)} with (force)`);
}

/** @returns such as `PostgreSQL 15.9` */
export async function serverVersion(server: string): Promise<string> {
  const client = new Client({ connectionString: server });
  await client.connect();
  const { rows } = await client.query<{ server_version: string }>('show server_version');
  await client.end();
  return `PostgreSQL ${rows[0]?.server_version.split(' ')[0]}`;
}

/** Every connection's process is a child of it. */
export async function serverPid(url: string): Promise<number> {
  const client = new Client({ connectionString: url });
  await client.connect();
  const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid');
  const pid = parentOf(rows[0]?.pid ?? Number.NaN);
  await client.end();
  return pid;
}

function databaseName(executions: number): string {
  return `bench_service_${executions}`;
}

async function filled(url: string, executions: number): Promise<Loaded> {
  const store = await openRecords(url);
  try {
    return await load(store, executions);
  } finally {
    await store.close();
  }
}

async function onServer(url: string, ...statements: readonly string[]): Promise<void> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    for (const statement of statements) await client.query(statement);
  } finally {
    await client.end();
  }
}
