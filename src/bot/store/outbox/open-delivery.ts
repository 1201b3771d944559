/** Deliveries that are claimed by request, not by the worker: threads and welcomes. */
import { type InsertObject, type Kysely, sql } from 'kysely';
import { type Dialect, inTransaction } from '../dialect.ts';
import type { Tables } from '../tables/tables.ts';
import type { DeliveryKey, DeliveryKind, OpenClaim, OpenDelivery, PostedFile } from './delivery.ts';
import { createOpenLease } from './lease.ts';
import { columnsOf, type DeliveryColumns, type DeliveryRow, keyIn, keyOf, messageOf, messagesOf } from './rows.ts';

type Channel = { readonly teamId: string; readonly channelId: string };

/** @param subject the uuid of the execution */
export function threadKey({ teamId, channelId }: Channel, subject: string): DeliveryKey {
  return { teamId, kind: 'thread', subject, occurrenceId: channelId };
}

export function createOpenDeliveries(db: Kysely<Tables>, dialect: Dialect) {
  return {
    /** @param leaseMs after this time, by the database's clock, another process may continue the work */
    async open(key: DeliveryKey, { channelId, leaseMs }: Opening): Promise<OpenClaim> {
      const columns = columnsOf(key);
      const times = { due_at: dialect.now(), claimable_at: dialect.after(leaseMs) };
      const begun = await insert(db, { ...columns, channel_id: channelId, state: 'open', ...times });
      const row = begun ?? (await takeOver(db, dialect, { ...columns, channel_id: channelId }, leaseMs));
      const existing = row ?? (await find(db, columns));
      const messages = (await messagesOf(db, [existing]))(existing).map(messageOf);
      if (!row) return { kind: existing.state === 'open' ? 'taken' : 'final', delivery: { messages } };
      const delivery: OpenDelivery = {
        ...{ key, channelId, onUncertain: 'repeat', messages },
        ...{ fencingToken: row.fence, attempts: row.attempts, openedAt: row.due_at },
        files: await filesOf(db, columns),
        lease: createOpenLease(db, dialect, { ...columns, fence: row.fence }),
      };
      return { kind: 'mine', delivery, isNew: begun !== undefined };
    },
    /** Belongs into the transaction that causes the delivery. It replaces those of its kind that are not complete. */
    async schedule(key: DeliveryKey, dueAt: number): Promise<void> {
      const { team_id, kind } = columnsOf(key);
      await db
        .updateTable('delivery')
        .where((is) => is.and({ team_id, kind, state: 'open' }))
        .set((is) => ({ state: 'cancelled', fence: is('fence', '+', 1) }))
        .execute();
      await insert(db, { ...columnsOf(key), channel_id: '', state: 'open', due_at: dueAt, claimable_at: 0 });
    },
    /** @returns deliveries that are not complete, the earliest first @param teamId of all workspaces if left out */
    async pending(kind: DeliveryKind, teamId?: string): Promise<readonly PendingDelivery[]> {
      const all = db
        .selectFrom('delivery')
        .selectAll()
        .where((is) => is.and({ kind, state: 'open', ...(teamId !== undefined && { team_id: teamId }) }));
      const rows = await all.orderBy('due_at').limit(pendingMax).execute();
      return rows.map((row) => ({ key: keyOf(row), dueAt: row.due_at }));
    },
  };
}

export function createThreads(db: Kysely<Tables>) {
  return {
    /** @returns the subject of the newest thread below this message; null if there is none */
    subjectBelow: (root: ThreadRoot): Promise<string | null> => subjectBelow(db, root),
    /** Deletes a thread whose root is gone from Slack. Does nothing if it has another root by now. */
    async forgetThread(key: DeliveryKey, rootTs: string): Promise<void> {
      const columns = columnsOf(key);
      await inTransaction(db, async (step) => {
        const all = step.selectFrom('posted_message').select('ts');
        const root = await all.where((is) => is.and({ ...columns, name: 'root' })).executeTakeFirst();
        if (root?.ts === rootTs) await remove(step, columns);
      });
    },
    /** Deletes every thread of a deleted channel. */
    async forgetThreadsIn({ teamId, channelId }: Channel): Promise<void> {
      const columns = { team_id: teamId, kind: 'thread', occurrence_id: channelId };
      await inTransaction(db, (step) => remove(step, columns));
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
  { channel_id, ...columns }: DeliveryColumns & Pick<DeliveryRow, 'channel_id'>,
  leaseMs: number,
): Promise<DeliveryRow | undefined> {
  return db
    .updateTable('delivery')
    .where((is) => is.and({ ...columns, state: 'open' }))
    .where('claimable_at', '<=', dialect.now())
    .set((is) => ({ channel_id, claimable_at: dialect.after(leaseMs), fence: is('fence', '+', 1) }))
    .returningAll()
    .executeTakeFirst();
}

function find(db: Kysely<Tables>, columns: DeliveryColumns): Promise<DeliveryRow> {
  const all = db.selectFrom('delivery').selectAll();
  return all.where((is) => is.and(columns)).executeTakeFirstOrThrow();
}

async function filesOf(db: Kysely<Tables>, columns: DeliveryColumns): Promise<readonly PostedFile[]> {
  const all = db.selectFrom('posted_file').selectAll();
  const rows = await all.where((is) => is.and(columns)).execute();
  return rows.map(({ file_id, message_name, file_name, content_hash }) => {
    return { fileId: file_id, messageName: message_name, fileName: file_name, contentHash: content_hash };
  });
}

async function remove(step: Kysely<Tables>, columns: Partial<DeliveryColumns>): Promise<void> {
  for (const table of ['posted_file', 'posted_message', 'delivery'] as const) {
    await step
      .deleteFrom(table)
      .where((is) => is.and(columns))
      .execute();
  }
}
