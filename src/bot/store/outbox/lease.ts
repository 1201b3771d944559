/** Writes of the process that holds a delivery's lease. Each is one statement that fails once the fencing token has risen. */
import { type Insertable, type Kysely, sql, type Transaction, type UpdateObject } from 'kysely';
import { type Dialect, inTransaction } from '../dialect.ts';
import type { PostedMessageTable } from '../tables/delivery-tables.ts';
import { type Tables, tableKeys } from '../tables/tables.ts';
import {
  type DeliveryLease,
  type MissedOccurrence,
  type NewMessage,
  type OccurrenceLease,
  type OpenLease,
  rootName,
  type SendOutcome,
} from './delivery.ts';
import { type DeliveryColumns, hasLease, isReporting, type LeaseColumns, messageOf, messagesOf } from './rows.ts';

const ended = { fence: sql<number>`fence + 1` };

function createDeliveryLease(db: Kysely<Tables>, dialect: Dialect, columns: LeaseColumns): DeliveryLease {
  return {
    extend: (leaseMs) => updateWithLease(db, columns, { claimable_at: dialect.after(leaseMs) }),
    recordIntent: (name, outlivesMs) => recordIntent(db, dialect, { ...columns, name }, outlivesMs),
    recordOutcome: (name, outcome) => recordOutcome(db, dialect, { ...columns, name }, outcome),
    finish: (state, error) => updateWithLease(db, columns, { ...ended, state, error: error ?? null, payload: null }),
    release: (tryAgainInMs, error) => {
      const again = { ...ended, attempts: sql<number>`attempts + 1` };
      return updateWithLease(db, columns, {
        ...again,
        claimable_at: dialect.after(tryAgainInMs),
        error: error ?? null,
      });
    },
    defer: (forMs) => updateWithLease(db, columns, { ...ended, claimable_at: dialect.after(forMs) }),
  };
}

export function createOccurrenceLease(
  db: Kysely<Tables>,
  dialect: Dialect,
  columns: LeaseColumns,
  missed: readonly MissedOccurrence[],
): OccurrenceLease {
  return {
    ...createDeliveryLease(db, dialect, columns),
    savePayload: (payload, messages, checkError = null) =>
      savePayload(db, columns, { payload, messages, checkError, missed }),
  };
}

export function createOpenLease(db: Kysely<Tables>, dialect: Dialect, columns: LeaseColumns): OpenLease {
  const { fence: _, ...key } = columns;
  const update = async (name: string, values: UpdateObject<Tables, 'posted_message'>) => {
    const { numUpdatedRows } = await updateMessage(db, dialect, { ...columns, name })
      .set(values)
      .executeTakeFirst();
    return numUpdatedRows === 1n;
  };
  return {
    ...createDeliveryLease(db, dialect, columns),
    readMessages: async () => (await messagesOf(db, [key]))(key).map(messageOf),
    addMessages: (messages, first) =>
      insertMessages(
        db,
        columns,
        messages.map(({ name, opaqueId }, index) => {
          return { ...key, name, position: first + index, opaque_id: opaqueId, state: 'waiting' };
        }),
      ),
    adoptRoot: (ts) =>
      insertMessages(db, columns, [{ ...key, name: rootName, position: 0, opaque_id: '', state: 'sent', ts }]),
    recordEdit: (name, contentHash) => update(name, { content_hash: contentHash }),
    renew: ({ name, opaqueId }) =>
      update(name, { state: 'waiting', opaque_id: opaqueId, ts: null, content_hash: null, error: null, attempts: 0 }),
    async saveFile({ fileId, messageName, fileName, contentHash }) {
      const file = { message_name: messageName, file_name: fileName, content_hash: contentHash };
      await db
        .insertInto('posted_file')
        .values({ ...key, file_id: fileId, ...file })
        .onConflict((conflict) => conflict.columns(tableKeys.posted_file).doUpdateSet(file))
        .execute();
    },
    async forgetFile(fileId) {
      await db
        .deleteFrom('posted_file')
        .where((is) => is.and({ ...key, file_id: fileId }))
        .execute();
    },
  };
}

/** Inside a transaction the row stays locked until its end. @returns false if another process has the lease */
async function updateWithLease(
  db: Kysely<Tables>,
  columns: LeaseColumns,
  values: UpdateObject<Tables, 'delivery'>,
  condition = sql<boolean>`true`,
): Promise<boolean> {
  const leased = db
    .updateTable('delivery')
    .where((is) => is.and(columns))
    .where(condition);
  return (await leased.set(values).executeTakeFirst()).numUpdatedRows === 1n;
}

/** Leaves existing messages as they are. @returns false if another process has the lease */
function insertMessages(
  db: Kysely<Tables>,
  columns: LeaseColumns,
  rows: readonly Insertable<PostedMessageTable>[],
): Promise<boolean> {
  return inTransaction(db, async (step) => {
    // The row stays locked until the messages are there.
    if (!(await updateWithLease(step, columns, { fence: columns.fence }))) return false;
    const insert = step.insertInto('posted_message').values(rows);
    await insert.onConflict((conflict) => conflict.doNothing()).execute();
    return true;
  });
}

type LeasedMessage = LeaseColumns & { readonly name: string };

/** A message with more than one attempt may have duplicates, and some appear late in the history. */
const firstDuplicateCheckMs = 120_000;

async function recordIntent(
  db: Kysely<Tables>,
  dialect: Dialect,
  message: LeasedMessage,
  outlivesMs: number,
): Promise<boolean> {
  const isInTime = sql<boolean>`claimable_at >= ${dialect.now()} + ${sql.lit(outlivesMs)}`;
  const { numUpdatedRows } = await updateMessage(db, dialect, message, isInTime)
    .where('state', '=', 'waiting')
    .set((is) => ({
      state: 'intent',
      attempts: is('attempts', '+', 1),
      first_intent_at: is.fn.coalesce('first_intent_at', dialect.now()),
      last_intent_at: dialect.now(),
    }))
    .executeTakeFirst();
  return numUpdatedRows === 1n;
}

/** The same outcome may be recorded twice, because the answer to the first statement may be lost. */
async function recordOutcome(
  db: Kysely<Tables>,
  dialect: Dialect,
  message: LeasedMessage,
  outcome: SendOutcome,
): Promise<boolean> {
  const { numUpdatedRows } = await updateMessage(db, dialect, message)
    .where((is) => is.or([is('state', '<>', 'sent'), ...(outcome.kind === 'sent' ? [is('ts', '=', outcome.ts)] : [])]))
    .set(outcomeColumns(dialect, outcome))
    .executeTakeFirst();
  return numUpdatedRows === 1n;
}

function outcomeColumns(dialect: Dialect, outcome: SendOutcome) {
  switch (outcome.kind) {
    case 'sent':
      return {
        ...{ state: 'sent', ts: outcome.ts, content_hash: outcome.contentHash ?? null, error: null },
        duplicate_check_at: duplicateCheckAt(dialect),
      };
    case 'unsent':
      return {
        state: 'waiting',
        error: outcome.error,
        attempts: sql<number>`attempts - case when state = 'intent' then 1 else 0 end`,
        first_intent_at: sql<
          number | null
        >`case when state = 'intent' and attempts = 1 then null else first_intent_at end`,
      };
    case 'dead':
    case 'uncertain':
      return { state: outcome.kind, error: outcome.error, duplicate_check_at: duplicateCheckAt(dialect) };
    default:
      return { state: outcome.kind, error: outcome.error };
  }
}

function duplicateCheckAt(dialect: Dialect) {
  return sql<number | null>`case when attempts > 1 then ${dialect.now()} + ${sql.lit(firstDuplicateCheckMs)} end`;
}

function updateMessage(
  db: Kysely<Tables>,
  dialect: Dialect,
  { name, fence, ...columns }: LeasedMessage,
  condition?: Parameters<typeof hasLease>[2],
) {
  return db
    .updateTable('posted_message')
    .where((is) => is.and({ ...columns, name }))
    .where(hasLease(dialect, { ...columns, fence }, condition));
}

type Built = {
  readonly payload: string;
  readonly checkError: string | null;
  /** Messages in the order of sending. */
  readonly messages: readonly NewMessage[];
  /** Missed occurrences that the digest reports. */
  readonly missed: readonly MissedOccurrence[];
};

/** @returns false if the lease is lost, a payload is stored already, or another digest reports the missed ones by now */
async function savePayload(db: Kysely<Tables>, columns: LeaseColumns, built: Built): Promise<boolean> {
  const refused = new Error('refused');
  const { fence: _, ...key } = columns;
  const { payload, checkError, messages, missed } = built;
  const rows = messages.map(({ name, opaqueId }, position) => {
    return { ...key, name, position, opaque_id: opaqueId, state: 'waiting' };
  });
  const save = async (step: Transaction<Tables>) => {
    const values = { payload, check_error: checkError };
    if (!(await updateWithLease(step, columns, values, sql<boolean>`payload is null`))) throw refused;
    if (rows.length > 0) await step.insertInto('posted_message').values(rows).execute();
    if (!(await reportMissed(step, key, missed))) throw refused;
    return true;
  };
  return inTransaction(db, save).catch((error: unknown) => {
    if (error === refused) return false;
    throw error;
  });
}

/** @returns false if another digest of the subscription reports one of them by now */
async function reportMissed(
  transaction: Transaction<Tables>,
  { occurrence_id: reported_in, ...owner }: DeliveryColumns,
  missed: readonly MissedOccurrence[],
): Promise<boolean> {
  if (missed.length === 0) return true;
  const ids = missed.map(({ occurrenceId }) => occurrenceId);
  const isUnreported = sql<boolean>`(reported_in is null or not exists (
    select 1 from delivery as reporter where reporter.team_id = ${owner.team_id} and reporter.kind = ${owner.kind}
      and reporter.subject = ${owner.subject} and reporter.occurrence_id = delivery.reported_in
      and ${isReporting('reporter')}))`;
  const unreported = transaction
    .updateTable('delivery')
    .where((is) => is.and(owner))
    .where('occurrence_id', 'in', ids)
    .where(isUnreported);
  return Number((await unreported.set({ reported_in }).executeTakeFirst()).numUpdatedRows) === missed.length;
}
