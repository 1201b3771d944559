/** One message's way: somebody is about to send it, and what became of that. Each step is one statement, which holds the slot. */
import { type Kysely, sql } from 'kysely';
import type { Dialect } from '../dialect.ts';
import type { Tables } from '../tables/tables.ts';
import type { SendOutcome } from './occurrence.ts';
import { holdsLease, type LeaseColumns } from './rows.ts';

type HeldPart = LeaseColumns & { readonly name: string };

/** Of what was sent more than once there may be copies, and some show late. */
const sweepAfterMs = 120_000;

export async function recordIntent(
  db: Kysely<Tables>,
  engine: Dialect,
  part: HeldPart,
  outlivesMs: number,
): Promise<boolean> {
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
export async function recordOutcome(
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
