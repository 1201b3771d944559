/** Writes of the process that holds an occurrence's lease. Each is one statement that fails once the fencing token has risen. */
import { type Kysely, type RawBuilder, sql, type Transaction, type UpdateObject } from 'kysely';
import { type Dialect, inTransaction } from '../dialect.ts';
import type { Tables } from '../tables/tables.ts';
import type { MissedOccurrence, OccurrenceLease, OutboxMessage, SendOutcome } from './occurrence.ts';
import { hasLease, isReporting, type LeaseColumns, type OccurrenceColumns } from './rows.ts';

const ended = { fence: sql<number>`fence + 1` };

export function createOccurrenceLease(
  db: Kysely<Tables>,
  dialect: Dialect,
  columns: LeaseColumns,
  missed: readonly MissedOccurrence[],
): OccurrenceLease {
  const inMs = (ms: number): RawBuilder<number> => sql`${dialect.now()} + cast(${ms} as bigint)`;
  return {
    extend: (leaseMs) => updateWithLease(db, columns, { claimable_at: inMs(leaseMs) }),
    savePayload: (payload, messages, checkError = null) =>
      savePayload(db, dialect, columns, { payload, messages, checkError, missed }),
    recordIntent: (name, outlivesMs) => recordIntent(db, dialect, { ...columns, name }, outlivesMs),
    recordOutcome: (name, outcome) => recordOutcome(db, dialect, { ...columns, name }, outcome),
    finish: (state, error) => updateWithLease(db, columns, { ...ended, state, error: error ?? null, payload: null }),
    release: (tryAgainInMs, error) => {
      const again = { ...ended, attempts: sql<number>`attempts + 1` };
      return updateWithLease(db, columns, { ...again, claimable_at: inMs(tryAgainInMs), error: error ?? null });
    },
    defer: (forMs) => updateWithLease(db, columns, { ...ended, claimable_at: inMs(forMs) }),
  };
}

/** Inside a transaction the row stays locked until its end. @returns false if another process has the lease */
async function updateWithLease(
  db: Kysely<Tables>,
  columns: LeaseColumns,
  values: UpdateObject<Tables, 'occurrence'>,
  condition = sql<boolean>`true`,
): Promise<boolean> {
  const leased = db
    .updateTable('occurrence')
    .where((is) => is.and(columns))
    .where(condition);
  return (await leased.set(values).executeTakeFirst()).numUpdatedRows === 1n;
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
      return { state: 'sent', ts: outcome.ts, error: null, duplicate_check_at: duplicateCheckAt(dialect) };
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
    .updateTable('outbox_message')
    .where((is) => is.and({ ...columns, name }))
    .where(hasLease(dialect, { ...columns, fence }, condition));
}

type Built = {
  readonly payload: string;
  readonly checkError: string | null;
  /** Messages in the order of sending. */
  readonly messages: readonly Pick<OutboxMessage, 'name' | 'opaqueId'>[];
  /** Missed occurrences that the digest reports. */
  readonly missed: readonly MissedOccurrence[];
};

/** @returns false if the lease is lost, a payload is stored already, or another digest reports the missed ones by now */
async function savePayload(
  db: Kysely<Tables>,
  dialect: Dialect,
  columns: LeaseColumns,
  built: Built,
): Promise<boolean> {
  if (dialect.hasWritableCte && built.missed.length === 0) return saveInOneStatement(db, columns, built);
  const refused = new Error('refused');
  try {
    return await inTransaction(db, async (transaction) => {
      if (await saveInTransaction(transaction, columns, built)) return true;
      throw refused;
    });
  } catch (error) {
    if (error === refused) return false;
    throw error;
  }
}

async function saveInOneStatement(
  db: Kysely<Tables>,
  { team_id, subscription_id, occurrence_id, fence }: LeaseColumns,
  { payload, checkError, messages }: Built,
): Promise<boolean> {
  const [names, opaqueIds] = [messages.map(({ name }) => name), messages.map(({ opaqueId }) => opaqueId)];
  const { rows } = await sql`
    with built as (
      update occurrence set payload = ${payload}, check_error = ${checkError}
      where team_id = ${team_id} and subscription_id = ${subscription_id} and occurrence_id = ${occurrence_id}
        and fence = ${fence} and payload is null
      returning team_id, subscription_id, occurrence_id
    ), waiting as (
      insert into outbox_message (team_id, subscription_id, occurrence_id, name, position, opaque_id, state)
      select built.*, message.name, message.position - 1, message.opaque_id, 'waiting'
      from built,
        unnest(${names}::text[], ${opaqueIds}::text[]) with ordinality as message (name, opaque_id, position)
    )
    select 1 from built`.execute(db);
  return rows.length === 1;
}

async function saveInTransaction(
  transaction: Transaction<Tables>,
  { fence, ...columns }: LeaseColumns,
  { payload, checkError, messages, missed }: Built,
): Promise<boolean> {
  const values = { payload, check_error: checkError };
  const isFirst = sql<boolean>`payload is null`;
  if (!(await updateWithLease(transaction, { ...columns, fence }, values, isFirst))) return false;
  const rows = messages.map(({ name, opaqueId }, position) => {
    return { ...columns, name, position, opaque_id: opaqueId, state: 'waiting' };
  });
  if (rows.length > 0) await transaction.insertInto('outbox_message').values(rows).execute();
  return reportMissed(transaction, columns, missed);
}

/** @returns false if another digest of the subscription reports one of them by now */
async function reportMissed(
  transaction: Transaction<Tables>,
  { occurrence_id: reported_in, ...owner }: OccurrenceColumns,
  missed: readonly MissedOccurrence[],
): Promise<boolean> {
  if (missed.length === 0) return true;
  const ids = missed.map(({ occurrenceId }) => occurrenceId);
  const isUnreported = sql<boolean>`(reported_in is null or not exists (
    select 1 from occurrence as reporter where reporter.team_id = ${owner.team_id}
      and reporter.subscription_id = ${owner.subscription_id} and reporter.occurrence_id = occurrence.reported_in
      and ${isReporting('reporter')}))`;
  const unreported = transaction
    .updateTable('occurrence')
    .where((is) => is.and(owner))
    .where('occurrence_id', 'in', ids)
    .where(isUnreported);
  return Number((await unreported.set({ reported_in }).executeTakeFirst()).numUpdatedRows) === missed.length;
}
