/** Writes of the process that holds an occurrence's lease. Each is one statement that fails once the fencing token has risen. */
import { type Kysely, type RawBuilder, sql, type Transaction, type UpdateObject } from 'kysely';
import type { Dialect } from '../dialect.ts';
import type { Tables } from '../tables/tables.ts';
import type { MissedOccurrence, OccurrenceLease, OutboxMessage, SendOutcome } from './occurrence.ts';
import { holdsLease, isTelling, type LeaseColumns, type OccurrenceColumns } from './rows.ts';

const ended = { fence: sql<number>`fence + 1` };

export function createOccurrenceLease(
  db: Kysely<Tables>,
  engine: Dialect,
  columns: LeaseColumns,
  missed: readonly MissedOccurrence[],
): OccurrenceLease {
  const inMs = (ms: number): RawBuilder<number> => sql`${engine.now()} + cast(${ms} as bigint)`;
  return {
    extend: (leaseMs) => updateWithLease(db, columns, { claimable_at: inMs(leaseMs) }),
    savePayload: (payload, parts, checkError = null) =>
      savePayload(db, engine, columns, { payload, parts, checkError, missed }),
    recordIntent: (name, outlivesMs) => recordIntent(db, engine, { ...columns, name }, outlivesMs),
    recordOutcome: (name, outcome) => recordOutcome(db, engine, { ...columns, name }, outcome),
    finish: (state, error) => updateWithLease(db, columns, { ...ended, state, error: error ?? null, payload: null }),
    release: (tryAgainInMs, error) => {
      const again = { ...ended, attempts: sql<number>`attempts + 1` };
      return updateWithLease(db, columns, { ...again, claimable_at: inMs(tryAgainInMs), error: error ?? null });
    },
    defer: (forMs) => updateWithLease(db, columns, { ...ended, claimable_at: inMs(forMs) }),
  };
}

/** In a transaction nobody takes it over from here to the end. @returns false where somebody has */
async function updateWithLease(
  db: Kysely<Tables>,
  columns: LeaseColumns,
  values: UpdateObject<Tables, 'slot'>,
  condition = sql<boolean>`true`,
): Promise<boolean> {
  const mine = db
    .updateTable('slot')
    .where((is) => is.and(columns))
    .where(condition);
  return (await mine.set(values).executeTakeFirst()).numUpdatedRows === 1n;
}

type HeldPart = LeaseColumns & { readonly name: string };

/** Of what was sent more than once there may be copies, and some show late. */
const sweepAfterMs = 120_000;

async function recordIntent(db: Kysely<Tables>, engine: Dialect, part: HeldPart, outlivesMs: number): Promise<boolean> {
  const isInTime = sql<boolean>`claimable_at >= ${engine.now()} + ${sql.lit(outlivesMs)}`;
  const { numUpdatedRows } = await partOf(db, engine, part, isInTime)
    .where('state', '=', 'waiting')
    .set((is) => ({
      state: 'intent',
      attempts: is('attempts', '+', 1),
      first_intent_at: is.fn.coalesce('first_intent_at', engine.now()),
      last_intent_at: engine.now(),
    }))
    .executeTakeFirst();
  return numUpdatedRows === 1n;
}

/** Said twice it is true twice: of what was said first the answer may be lost. */
async function recordOutcome(
  db: Kysely<Tables>,
  engine: Dialect,
  part: HeldPart,
  outcome: SendOutcome,
): Promise<boolean> {
  const { numUpdatedRows } = await partOf(db, engine, part)
    .where((is) => is.or([is('state', '<>', 'sent'), ...(outcome.kind === 'sent' ? [is('ts', '=', outcome.ts)] : [])]))
    .set(settled(engine, outcome))
    .executeTakeFirst();
  return numUpdatedRows === 1n;
}

function settled(engine: Dialect, outcome: SendOutcome) {
  switch (outcome.kind) {
    case 'sent':
      return { state: 'sent', ts: outcome.ts, error: null, sweep_at: sweepAt(engine) };
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
      return { state: outcome.kind, error: outcome.error, sweep_at: sweepAt(engine) };
    default:
      return { state: outcome.kind, error: outcome.error };
  }
}

function sweepAt(engine: Dialect) {
  return sql<number | null>`case when attempts > 1 then ${engine.now()} + ${sql.lit(sweepAfterMs)} end`;
}

function partOf(
  db: Kysely<Tables>,
  engine: Dialect,
  { name, fence, ...columns }: HeldPart,
  condition?: Parameters<typeof holdsLease>[2],
) {
  return db
    .updateTable('slot_part')
    .where((is) => is.and({ ...columns, name }))
    .where(holdsLease(engine, { ...columns, fence }, condition));
}

type Made = {
  readonly payload: string;
  readonly checkError: string | null;
  /** In the order of sending. */
  readonly parts: readonly Pick<OutboxMessage, 'name' | 'opaqueId'>[];
  /** Of which it tells. */
  readonly missed: readonly MissedOccurrence[];
};

type Step = Transaction<Tables>;

/** @returns false where it is another's, something was kept before, or another digest tells of the missed ones by now */
async function savePayload(db: Kysely<Tables>, engine: Dialect, columns: LeaseColumns, made: Made): Promise<boolean> {
  if (engine.hasWritableCte && made.missed.length === 0) return saveAtOnce(db, columns, made);
  const refused = new Error('refused');
  try {
    return await db.transaction().execute(async (step) => {
      if (await saveStepByStep(step, columns, made)) return true;
      throw refused;
    });
  } catch (error) {
    if (error === refused) return false;
    throw error;
  }
}

async function saveAtOnce(
  db: Kysely<Tables>,
  { team_id, subscription_id, slot, fence }: LeaseColumns,
  { payload, checkError, parts }: Made,
): Promise<boolean> {
  const [names, opaqueIds] = [parts.map(({ name }) => name), parts.map(({ opaqueId }) => opaqueId)];
  const { rows } = await sql`
    with made as (
      update slot set payload = ${payload}, could_not_look = ${checkError}
      where team_id = ${team_id} and subscription_id = ${subscription_id} and slot = ${slot} and fence = ${fence}
        and payload is null
      returning team_id, subscription_id, slot
    ), waiting as (
      insert into slot_part (team_id, subscription_id, slot, name, place, opaque_id, state)
      select made.*, part.name, part.place - 1, part.opaque_id, 'waiting'
      from made, unnest(${names}::text[], ${opaqueIds}::text[]) with ordinality as part (name, opaque_id, place)
    )
    select 1 from made`.execute(db);
  return rows.length === 1;
}

async function saveStepByStep(
  step: Step,
  { fence, ...columns }: LeaseColumns,
  { payload, checkError, parts, missed }: Made,
): Promise<boolean> {
  const values = { payload, could_not_look: checkError };
  if (!(await updateWithLease(step, { ...columns, fence }, values, sql<boolean>`payload is null`))) return false;
  const rows = parts.map(({ name, opaqueId }, place) => {
    return { ...columns, name, place, opaque_id: opaqueId, state: 'waiting' };
  });
  if (rows.length > 0) await step.insertInto('slot_part').values(rows).execute();
  return tell(step, columns, missed);
}

/** @returns false where another digest of the subscription tells of them by now */
async function tell(
  step: Step,
  { slot: told_in, ...mine }: OccurrenceColumns,
  missed: readonly MissedOccurrence[],
): Promise<boolean> {
  if (missed.length === 0) return true;
  const slots = missed.map(({ occurrenceId: slot }) => slot);
  const free = sql<boolean>`(told_in is null or not exists (
    select 1 from slot as teller where teller.team_id = ${mine.team_id}
      and teller.subscription_id = ${mine.subscription_id} and teller.slot = slot.told_in and ${isTelling('teller')}))`;
  const untold = step
    .updateTable('slot')
    .where((is) => is.and(mine))
    .where('slot', 'in', slots)
    .where(free);
  return Number((await untold.set({ told_in }).executeTakeFirst()).numUpdatedRows) === missed.length;
}
