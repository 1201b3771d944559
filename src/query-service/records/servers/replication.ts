/** Publications, slots and subscriptions of PostgreSQL's logical replication. Each function may be repeated. */
import { createHash } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { type Kysely, sql } from 'kysely';
import { AppError } from '../../../shared/errors.ts';
import type { Tables } from '../tables/tables.ts';

type Database = Kysely<Tables>;

/** Names of slots are unique on a server, and those of subscriptions in it, so that they contain a hash of the database. */
export async function nameFor(publisher: Database, prefix: string, subject: string): Promise<string> {
  const { rows } = await sql<{ readonly one: string }>`select current_database() as one`.execute(publisher);
  const hash = createHash('sha256').update(`${rows[0]?.one}\n${subject}`).digest('hex');
  return `${prefix}_${hash.slice(0, 16)}`;
}

export async function hasRow(db: Database, table: string, column: string, value: string): Promise<boolean> {
  const { rows } = await sql`select from ${sql.table(table)} where ${sql.ref(column)} = ${value}`.execute(db);
  return rows.length > 0;
}

/** @returns false if the time is over first */
export async function waitUntil(
  isDone: () => Promise<boolean>,
  { withinMs, everyMs = 20 }: { readonly withinMs: number; readonly everyMs?: number },
): Promise<boolean> {
  const until = performance.now() + withinMs;
  while (!(await isDone())) {
    if (performance.now() > until) return false;
    await wait(everyMs);
  }
  return true;
}

/** Created apart from the subscription, so that an interruption between the two leaves a known state. */
export async function createSlot(publisher: Database, name: string): Promise<void> {
  if (await hasRow(publisher, 'pg_replication_slots', 'slot_name', name)) return;
  await explained('A server keeps no changes for another one', () =>
    sql`select pg_create_logical_replication_slot(${name}, 'pgoutput')`.execute(publisher),
  );
}

const slotFreeWithinMs = 10_000;

export async function dropSlot(publisher: Database, name: string): Promise<void> {
  // The server frees the slot when it notices that the subscriber is gone.
  await waitUntil(
    async () => {
      const { rows } = await sql`select pg_terminate_backend(active_pid) from pg_replication_slots
      where slot_name = ${name} and active`.execute(publisher);
      return rows.length === 0;
    },
    { withinMs: slotFreeWithinMs },
  );
  await sql`select pg_drop_replication_slot(slot_name) from pg_replication_slots where slot_name = ${name}`.execute(
    publisher,
  );
}

export type Subscription = {
  /** Also the name of its slot. */
  readonly name: string;
  readonly publication: string;
  /** URL of the publisher, as the subscriber reaches it. */
  readonly url: string;
};

/** A subscription that exists gets the URL, whose password may have changed. Only superusers can read it there. */
export async function createSubscription(
  subscriber: Database,
  { name, publication, url }: Subscription,
): Promise<void> {
  const isKnown = await hasOwnSubscription(subscriber, name);
  const subscribe = async (transaction: Database) => {
    // The statement contains a password, which must not reach the server's log.
    await sql`select set_config(name, value, true)
      from (values ('log_statement', 'none'), ('log_min_error_statement', 'panic'), ('log_min_duration_statement', '-1'))
        as quiet (name, value)
      where (select rolsuper from pg_roles where rolname = current_user)`.execute(transaction);
    const statement = isKnown
      ? sql`alter subscription ${sql.id(name)} connection ${sql.lit(url)}`
      : sql`create subscription ${sql.id(name)} connection ${sql.lit(url)} publication ${sql.id(publication)}
          with (create_slot = false, slot_name = ${sql.lit(name)}, synchronous_commit = 'on')`;
    await statement.execute(transaction);
  };
  await explained('A server cannot subscribe to another one', () => subscriber.transaction().execute(subscribe));
}

/** The server's reason is for the operator: a setting or a permission is missing, or it does not reach the other server. */
async function explained(problem: string, work: () => Promise<unknown>): Promise<void> {
  try {
    await work();
  } catch (cause) {
    if (cause instanceof AppError || !(cause instanceof Error)) throw cause;
    const hint = 'docs/operating.md says what servers need.';
    throw new AppError('unavailable', `${problem}: ${cause.message}.`, { cause, hint });
  }
}

/** The subscriber need not reach the publisher: the slot is dropped on its own. */
export async function dropSubscription(subscriber: Database, name: string): Promise<void> {
  if (!(await hasOwnSubscription(subscriber, name))) return;
  await sql`alter subscription ${sql.id(name)} disable`.execute(subscriber);
  await sql`alter subscription ${sql.id(name)} set (slot_name = none)`.execute(subscriber);
  await sql`drop subscription ${sql.id(name)}`.execute(subscriber);
}

/** Subscriptions of all databases of a server are in one table. */
async function hasOwnSubscription(subscriber: Database, name: string): Promise<boolean> {
  const { rows } = await sql`select from pg_subscription where subname = ${name}
    and subdbid = (select oid from pg_database where datname = current_database())`.execute(subscriber);
  return rows.length > 0;
}
