/** Deliveries that are claimed by request, not by the worker: threads and welcomes. */
import { type InsertObject, type Kysely, sql } from 'kysely';
import { type Dialect, inTransaction } from '../dialect.ts';
import type { DeliveryKey, Tables } from '../tables.ts';
import type { DeliveryKind, OpenClaim, PostedFile } from './delivery.ts';
import { StoredLease } from './lease.ts';
import { type DeliveryRow, keyIn, keyOf, messagesOf } from './rows.ts';

type Channel = { readonly teamId: string; readonly channelId: string };

/** @param subject the uuid of the execution */
export function threadKey({ teamId, channelId }: Channel, subject: string): DeliveryKey {
  return { teamId, kind: 'thread', subject, occurrenceId: channelId };
}

export function createOpenDeliveries(db: Kysely<Tables>, dialect: Dialect) {
  return {
    /** @param leaseMs after this time, by the database's clock, another process may continue the work */
    async open(key: DeliveryKey, { channelId, leaseMs }: Opening): Promise<OpenClaim> {
      const times = { dueAt: dialect.now(), claimableAt: dialect.after(leaseMs) };
      const begun = await insert(db, { ...key, channelId, state: 'open', ...times });
      const row = begun ?? (await takeOver(db, dialect, key, { channelId, leaseMs }));
      const other = row ? 'final' : await claimOfOther(db, key);
      const messages = (await messagesOf(db, [key]))(key);
      if (!row) return { kind: other, delivery: { messages } };
      return {
        kind: 'mine',
        isNew: begun !== undefined,
        delivery: {
          key,
          channelId,
          onUncertain: 'repeat',
          messages,
          fencingToken: row.fence,
          attempts: row.attempts,
          openedAt: row.dueAt,
          files: await filesOf(db, key),
          lease: new StoredLease(db, dialect, row),
        },
      };
    },
    /** Belongs into the transaction that causes the delivery. It replaces those of its kind that are not complete. */
    async schedule(key: DeliveryKey, dueAt: number): Promise<void> {
      const { teamId, kind } = key;
      await db
        .updateTable('delivery')
        .where((is) => is.and({ teamId, kind, state: 'open' }))
        .set((is) => ({ state: 'cancelled', fence: is('fence', '+', 1) }))
        .execute();
      await insert(db, { ...key, channelId: '', state: 'open', dueAt, claimableAt: 0 });
    },
    /** @returns deliveries that are not complete, the earliest first @param teamId of all workspaces if left out */
    async pending(kind: DeliveryKind, teamId?: string): Promise<readonly PendingDelivery[]> {
      const all = db
        .selectFrom('delivery')
        .selectAll()
        .where((is) => is.and({ kind, state: 'open', ...(teamId !== undefined && { teamId }) }));
      const rows = await all.orderBy('dueAt').limit(pendingMax).execute();
      return rows.map((row) => ({ key: keyOf(row), dueAt: row.dueAt }));
    },
  };
}

export function createThreads(db: Kysely<Tables>) {
  return {
    /** @returns the subject of the newest thread below this message; null if there is none */
    subjectBelow: (root: ThreadRoot): Promise<string | null> => subjectBelow(db, root),
    /** Deletes a thread whose root is gone from Slack. Does nothing if it has another root by now. */
    async forgetThread(key: DeliveryKey, rootTs: string): Promise<void> {
      await inTransaction(db, async (step) => {
        const all = step.selectFrom('posted_message').select('ts');
        const root = await all.where((is) => is.and({ ...key, name: 'root' })).executeTakeFirst();
        if (root?.ts === rootTs) await remove(step, key);
      });
    },
    /** Deletes every thread of a deleted channel. */
    async forgetThreadsIn({ teamId, channelId }: Channel): Promise<void> {
      await inTransaction(db, (step) => remove(step, { teamId, kind: 'thread', occurrenceId: channelId }));
    },
  };
}

type Opening = { readonly channelId: string; readonly leaseMs: number };

const pendingMax = 1_000;

export type PendingDelivery = { readonly key: DeliveryKey; readonly dueAt: number };

type ThreadRoot = Channel & { readonly rootTs: string };

async function subjectBelow(db: Kysely<Tables>, { teamId, channelId, rootTs }: ThreadRoot): Promise<string | null> {
  const { rows } = await sql<{ readonly subject: string }>`
    select delivery.subject from posted_message as root join delivery on (${keyIn('delivery')}) = (${keyIn('root')})
    where root.team_id = ${teamId} and root.kind = 'thread' and root.name = 'root' and root.ts = ${rootTs}
      and delivery.channel_id = ${channelId}
    order by delivery.due_at desc limit 1`.execute(db);
  return rows[0]?.subject ?? null;
}

/** Returns the row if it is new, to one caller only. */
function insert(db: Kysely<Tables>, values: InsertObject<Tables, 'delivery'>): Promise<DeliveryRow | undefined> {
  const inserted = db.insertInto('delivery').values(values).returningAll();
  return inserted.onConflict((conflict) => conflict.doNothing()).executeTakeFirst();
}

/** Returns the row if no other process has the lease and the delivery may still change. */
function takeOver(
  db: Kysely<Tables>,
  dialect: Dialect,
  key: DeliveryKey,
  { channelId, leaseMs }: Opening,
): Promise<DeliveryRow | undefined> {
  return db
    .updateTable('delivery')
    .where((is) => is.and({ ...key, state: 'open' }))
    .where('claimableAt', '<=', dialect.now())
    .set((is) => ({ channelId, claimableAt: dialect.after(leaseMs), fence: is('fence', '+', 1) }))
    .returningAll()
    .executeTakeFirst();
}

async function claimOfOther(db: Kysely<Tables>, key: DeliveryKey): Promise<'taken' | 'final'> {
  const one = db
    .selectFrom('delivery')
    .select('state')
    .where((is) => is.and(key));
  return (await one.executeTakeFirstOrThrow()).state === 'open' ? 'taken' : 'final';
}

function filesOf(db: Kysely<Tables>, key: DeliveryKey): Promise<readonly PostedFile[]> {
  const files = db.selectFrom('posted_file').select(['fileId', 'messageName', 'fileName', 'contentHash']);
  return files.where((is) => is.and(key)).execute();
}

async function remove(step: Kysely<Tables>, columns: Partial<DeliveryKey>): Promise<void> {
  for (const table of ['posted_file', 'posted_message', 'delivery'] as const) {
    await step
      .deleteFrom(table)
      .where((is) => is.and(columns))
      .execute();
  }
}
