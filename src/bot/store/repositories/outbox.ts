/** Repository of the outbox: deliveries, their leases and messages. All times are the database's clock. */
import { type Kysely, sql, type Transaction } from 'kysely';
import { AppError } from '../../../shared/errors.ts';
import type { Due } from '../../domain/schedule.ts';
import { type Dialect, inTransaction } from '../dialect.ts';
import { claim } from '../outbox/claim.ts';
import {
  type ClaimOptions,
  type DeliveryKind,
  type DuplicateCheck,
  type NewOccurrence,
  type OutboxEntry,
  type OutboxMessage,
  type PlanOccurrences,
  rootName,
} from '../outbox/delivery.ts';
import { createOpenDeliveries, createThreads } from '../outbox/open-delivery.ts';
import {
  type DeliveryRow,
  isInstalled,
  keyIn,
  keyOf,
  type MessageRow,
  messageOf,
  messagesOf,
  stateOf,
  windowOf,
} from '../outbox/rows.ts';
import type { DeliveryKey, Tables } from '../tables.ts';
import { subscriptionOf } from './subscriptions.ts';

const digest = 'digest' satisfies DeliveryKind;

export type Outbox = ReturnType<typeof createOutbox>;

export function createOutbox(db: Kysely<Tables>, dialect: Dialect) {
  return {
    /** The clock of all occurrences: the database's. @returns epoch milliseconds */
    now: () => nowOf(db, dialect),
    ...createPlanning(db, dialect),
    claim: (options: ClaimOptions) => claim(db, dialect, options),
    ...createDuplicateChecks(db, dialect),
    ...createOpenDeliveries(db, dialect),
    ...createThreads(db),
    /** @returns the time at which the next work is due, epoch milliseconds */
    async nextDueTimes() {
      const { rows } = await sql<NextTimes>`
        select ${dialect.now()} as now,
          (select next_at from subscription
            where next_at is not null and ${isInstalled('subscription.team_id')} order by next_at limit 1) as plan_at,
          (select claimable_at from delivery
            where state = 'due' and ${isInstalled('delivery.team_id')} order by claimable_at limit 1) as claim_at,
          (select duplicate_check_at from posted_message
            where duplicate_check_at is not null and ${isInstalled('posted_message.team_id')}
            order by duplicate_check_at limit 1) as check_at`.execute(db);
      const { now = 0, planAt = null, claimAt = null, checkAt = null } = rows[0] ?? {};
      // In the past if work is overdue; Infinity if nothing is planned.
      const nextAt = Math.min(...[planAt, claimAt, checkAt].map((at) => at ?? Number.POSITIVE_INFINITY));
      return { now, nextAt, isPlanDue: planAt !== null && planAt <= now };
    },
    /** Newest first. @param before the cursor of the last entry of the previous page @throws AppError `usage` for any other text */
    async page(teamId: string, count: number, before?: string): Promise<readonly OutboxEntry[]> {
      const digests = { teamId, kind: digest };
      const all = db
        .selectFrom('delivery')
        .selectAll()
        .where((is) => is.and(digests));
      const older = before === undefined ? all : all.where(isBefore(before));
      const newest = older.orderBy('dueAt', 'desc').orderBy('subject', 'desc').orderBy('occurrenceId', 'desc');
      const occurrences = await newest.limit(count).execute();
      const messages = await messagesOf(db, occurrences);
      return occurrences.map((row) => entryOf(row, messages(row)));
    },
  };
}

type NextTimes = {
  readonly now: number;
  readonly planAt: number | null;
  readonly claimAt: number | null;
  readonly checkAt: number | null;
};

async function nowOf(db: Kysely<Tables>, dialect: Dialect): Promise<number> {
  const { rows } = await sql<{ readonly now: number }>`select ${dialect.now()} as now`.execute(db);
  return rows[0]?.now ?? 0;
}

function isBefore(cursor: string) {
  const [, dueAt, subscriptionId, id] = /^(\d{1,15})\.([^.]+)\.(.+)$/.exec(cursor) ?? [];
  if (dueAt === undefined) {
    throw new AppError('usage', 'There is no such page of deliveries.', {
      command: { line: 'deliveries', purpose: 'see the first one' },
    });
  }
  return sql<boolean>`(due_at, subject, occurrence_id) < (cast(${dueAt} as bigint), ${subscriptionId}, ${id})`;
}

function entryOf(row: DeliveryRow, messages: readonly OutboxMessage[]): OutboxEntry {
  const { channelId, dueAt, attempts, error, checkError } = row;
  return {
    key: keyOf(row),
    channelId,
    dueAt,
    window: windowOf(row),
    isLate: row.isLate === 1,
    state: stateOf(row.state),
    attempts,
    error,
    checkError,
    nextAt: row.state === 'due' ? row.claimableAt : null,
    messages,
    cursor: `${dueAt}.${row.subject}.${row.occurrenceId}`,
  };
}

type SubscriptionColumns = Pick<DeliveryRow, 'teamId' | 'kind' | 'subject' | 'channelId'>;
type Planned = {
  readonly columns: SubscriptionColumns;
  readonly occurrences: readonly NewOccurrence[];
  readonly next: Due;
};

function createPlanning(db: Kysely<Tables>, dialect: Dialect) {
  return {
    /**
     * Plans up to `max` due subscriptions, longest due first, grouped by workspace, in one transaction. Concurrent processes
     * plan different ones.
     * @param planOf returns the new occurrences and the next due time; if it throws, the other subscriptions are planned anyway
     * @returns how many were planned @throws the first error of `planOf`
     */
    async plan(max: number, planOf: PlanOccurrences): Promise<number> {
      const errors: unknown[] = [];
      const count = await inTransaction(db, async (transaction) => {
        const now = await nowOf(transaction, dialect);
        const planned = (await dueSubscriptions(transaction, dialect, now, max)).flatMap((row): readonly Planned[] => {
          try {
            const columns = { teamId: row.teamId, kind: digest, subject: row.id, channelId: row.channelId };
            return [{ columns, ...planOf(subscriptionOf(row), now, row.coveredTo) }];
          } catch (error) {
            errors.push(error);
            return [];
          }
        });
        await insertOccurrences(transaction, planned);
        await setNextDue(transaction, planned);
        return planned.length;
      });
      if (errors.length > 0) throw errors[0];
      return count;
    },
    /** Adds an occurrence that a person requested. @returns false if it exists, or there is no such subscription */
    async add(teamId: string, subscriptionId: string, occurrence: NewOccurrence): Promise<boolean> {
      return inTransaction(db, async (transaction) => {
        const one = transaction
          .selectFrom('subscription')
          .select('channelId')
          .where((is) => is.and({ teamId, id: subscriptionId }));
        const row = await one.where('removedAt', 'is', null).modifyEnd(dialect.forUpdate).executeTakeFirst();
        if (!row) return false;
        const columns = { teamId, kind: digest, subject: subscriptionId, channelId: row.channelId };
        return (await insertOccurrences(transaction, [{ columns, occurrences: [occurrence] }])) === 1;
      });
    },
  };
}

/** End of the newest window. Only scheduled occurrences count: their ids are dates, which sort before every requested id. */
const coveredTo = sql<number | null>`(select window_to from delivery
  where delivery.team_id = subscription.team_id and delivery.kind = 'digest' and delivery.subject = subscription.id
    and delivery.occurrence_id < 'a' and delivery.state <> 'cancelled'
  order by delivery.occurrence_id desc limit 1)`;

function dueSubscriptions(db: Kysely<Tables>, dialect: Dialect, now: number, max: number) {
  const all = db.selectFrom('subscription').selectAll().select(coveredTo.as('coveredTo'));
  const due = all.where('nextAt', '<=', now).where(isInstalled('subscription.team_id'));
  const first = due.orderBy('nextAt').orderBy('teamId').limit(max);
  return first.modifyEnd(dialect.forUpdateSkipLocked('subscription')).execute();
}

/** Limit of rows in one statement: SQLite takes 32,766 values. */
const rowsMax = 1000;

/** Leaves existing occurrences unchanged. @returns the number of new ones */
async function insertOccurrences(
  transaction: Transaction<Tables>,
  planned: readonly Pick<Planned, 'columns' | 'occurrences'>[],
): Promise<number> {
  const rows = planned.flatMap(({ columns, occurrences }) => occurrences.map((one) => rowOf(columns, one)));
  let count = 0;
  for (let from = 0; from < rows.length; from += rowsMax) {
    const insert = transaction.insertInto('delivery').values(rows.slice(from, from + rowsMax));
    const { numInsertedOrUpdatedRows } = await insert.onConflict((conflict) => conflict.doNothing()).executeTakeFirst();
    count += Number(numInsertedOrUpdatedRows ?? 0n);
  }
  return count;
}

function rowOf(columns: SubscriptionColumns, occurrence: NewOccurrence) {
  const { occurrenceId, dueAt, window, state, error = null, isLate, notBefore = dueAt } = occurrence;
  const times = { dueAt, windowFrom: window.from, windowTo: window.to, claimableAt: notBefore };
  return { ...columns, occurrenceId, ...times, isLate: Number(isLate), state, error };
}

async function setNextDue(transaction: Transaction<Tables>, planned: readonly Planned[]): Promise<void> {
  for (let from = 0; from < planned.length; from += rowsMax) {
    const rows = planned.slice(from, from + rowsMax).map(({ columns, next }) => {
      return sql`(${columns.teamId}, ${columns.subject}, cast(${next.at} as bigint), ${next.localTime}, ${next.shift})`;
    });
    await sql`
      with due (team_id, id, at, local_time, shift) as (values ${sql.join(rows)})
      update subscription set next_at = due.at, next_local_time = due.local_time, next_shift = due.shift
      from due where subscription.team_id = due.team_id and subscription.id = due.id`.execute(transaction);
  }
}

/** Time from the first duplicate check to the last; late duplicates are in the history by then. */
const secondDuplicateCheckMs = 480_000;
/** No other process gets the same check during this time. */
const checkLeaseMs = 60_000;

type CheckRow = MessageRow & { readonly channelId: string; readonly rootTs: string | null };

function createDuplicateChecks(db: Kysely<Tables>, dialect: Dialect) {
  return {
    /**
     * Claims messages that took more than one attempt, 2 and 10 minutes after they ended. They are claimed again if
     * `recordDuplicateCheck` does not follow.
     */
    async claimDuplicateChecks(max: number): Promise<readonly DuplicateCheck[]> {
      const now = dialect.now();
      const key = sql.raw('team_id, kind, subject, occurrence_id, name');
      const { rows } = await sql<CheckRow>`
        with locked as materialized (
          select ${key} from posted_message
          where duplicate_check_at <= ${now} and ${isInstalled('posted_message.team_id')}
          order by duplicate_check_at limit ${sql.lit(max)} ${dialect.forUpdateSkipLocked('posted_message')}
        )
        update posted_message set duplicate_check_at = ${now} + ${sql.lit(checkLeaseMs)}
        where (${key}) in (select ${key} from locked)
        returning *,
          (select channel_id from delivery where (${keyIn('delivery')}) = (${keyIn('posted_message')})) as channel_id,
          (select root.ts from posted_message as root
            where (${keyIn('root')}) = (${keyIn('posted_message')}) and root.name = ${sql.lit(rootName)}) as root_ts`.execute(
        db,
      );
      return rows.map((row) => {
        const { channelId, rootTs, duplicateChecks: checksDone } = row;
        return { key: keyOf(row), channelId, rootTs, message: messageOf(row), checksDone };
      });
    },
    /** @param checksDone as claimed, so that the same check counts once, however long it takes */
    async recordDuplicateCheck(key: DeliveryKey, messageName: string, checksDone: number): Promise<void> {
      const next = sql<
        number | null
      >`case when duplicate_checks = 0 then ${dialect.now()} + ${sql.lit(secondDuplicateCheckMs)} end`;
      await db
        .updateTable('posted_message')
        .where((is) => is.and({ ...key, name: messageName, duplicateChecks: checksDone }))
        .where('duplicateCheckAt', 'is not', null)
        .set((is) => ({ duplicateCheckAt: next, duplicateChecks: is('duplicateChecks', '+', 1) }))
        .execute();
    },
  };
}
