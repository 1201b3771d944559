/** Databases on both temporary PostgreSQL servers, for organizations that are on several servers. */
import { randomBytes } from 'node:crypto';
import { env } from 'node:process';
import { Client } from 'pg';
import { onTestFinished } from 'vitest';
import { openRecords } from '../../src/query-service/records/open.ts';
import type { RecordStore } from '../../src/query-service/records/store.ts';

const { TEST_POSTGRES_URL: first = '', TEST_POSTGRES_SECOND_URL: sharedSecond = '' } = env;

export type TwoServers = {
  /** The directory's server. */
  readonly main: string;
  /** The server named `b`. */
  readonly b: string;
  readonly servers: ReadonlyMap<string, string>;
  /** Settings of a program that uses both. */
  readonly environment: Readonly<Record<string, string>>;
};

/**
 * Empty databases, which are dropped with their subscriptions and slots when the test ends.
 * @param second URL of another second server
 */
export async function makeServers(second = sharedSecond): Promise<TwoServers> {
  const name = `servers_${randomBytes(8).toString('hex')}`;
  const [main = '', b = ''] = [first, second].map((server) => Object.assign(new URL(server), { pathname: name }).href);
  const all = [main, b];
  for (const url of all) await ask(serverOf(url), `create database ${name}`);
  onTestFinished(async () => {
    for (const url of all) await dropSubscriptions(url);
    for (const url of all) await dropSlots(url, name);
    for (const url of all) await ask(serverOf(url), `drop database ${name} with (force)`);
  });
  const servers = new Map([['b', b]]);
  return { main, b, servers, environment: { SERVICE_DATABASE_URL: main, SERVICE_SERVERS: `b=${b}` } };
}

/** Opens the records on both; new organizations get a place on `placeNew`. Closed when the test ends. */
export async function openServers({ main, servers }: TwoServers, placeNew?: string): Promise<RecordStore> {
  const store = await openRecords(main, { servers, placeNew });
  onTestFinished(() => store.close());
  return store;
}

/** Runs one statement. @returns its rows */
export async function ask<Row extends object>(url: string, statement: string): Promise<readonly Row[]> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query<Row>(statement)).rows;
  } finally {
    await client.end();
  }
}

function serverOf(url: string): string {
  return Object.assign(new URL(url), { pathname: 'postgres' }).href;
}

async function dropSubscriptions(url: string): Promise<void> {
  const own =
    'select subname from pg_subscription s join pg_database d on d.oid = s.subdbid and datname = current_database()';
  for (const { subname } of await ask<{ subname: string }>(url, own)) {
    await ask(url, `alter subscription ${subname} disable`);
    await ask(url, `alter subscription ${subname} set (slot_name = none)`);
    await ask(url, `drop subscription ${subname}`);
  }
}

/** A slot is in use until its server notices that the subscriber has left. */
async function dropSlots(url: string, database: string): Promise<void> {
  const left = `select slot_name, pg_terminate_backend(active_pid) from pg_replication_slots where database = '${database}'`;
  while ((await ask(url, left)).length > 0) {
    await ask(
      url,
      `select pg_drop_replication_slot(slot_name) from pg_replication_slots where database = '${database}' and not active`,
    ).catch(() => {});
  }
}
