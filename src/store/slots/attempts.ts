/** One message's way: somebody is about to send it, and what became of that. */
import { sql, type Transaction } from 'kysely';
import type { Engine } from '../engine.ts';
import type { PartOutcome } from '../ledger.ts';
import type { Tables } from '../tables.ts';
import type { SlotColumns } from './rows.ts';

type Step = Transaction<Tables>;
type PartColumns = SlotColumns & { readonly name: string };

/** Of what was sent more than once there may be copies, and some show late. */
const sweepAfterMs = 120_000;

/** The slot's row is held already, so that the clock is read after any wait. */
export async function intend(
  step: Step,
  engine: Engine,
  { name, ...columns }: PartColumns,
  outlivesMs: number,
): Promise<boolean> {
  const isInTime = sql<boolean>`exists (select 1 from slot
    where team_id = ${columns.team_id} and subscription_id = ${columns.subscription_id} and slot = ${columns.slot}
      and claimable_at >= ${engine.now()} + ${sql.lit(outlivesMs)})`;
  const { numUpdatedRows } = await partOf(step, { ...columns, name })
    .where('state', '=', 'waiting')
    .where(isInTime)
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
export async function settle(step: Step, engine: Engine, part: PartColumns, outcome: PartOutcome): Promise<boolean> {
  const { numUpdatedRows } = await partOf(step, part)
    .where((is) => is.or([is('state', '<>', 'sent'), ...(outcome.kind === 'sent' ? [is('ts', '=', outcome.ts)] : [])]))
    .set(settled(engine, outcome))
    .executeTakeFirst();
  if (outcome.kind === 'unsent') await unbegin(step, part);
  return numUpdatedRows === 1n;
}

/** Of what certainly stands nowhere nothing was begun: it can be cancelled. */
async function unbegin(step: Step, { name: _, ...columns }: PartColumns): Promise<void> {
  const attempted = step
    .selectFrom('slot_part')
    .select('name')
    .where((is) => is.and(columns))
    .where('attempts', '>', 0);
  await step
    .updateTable('slot')
    .where((is) => is.and(columns))
    .where((is) => is.not(is.exists(attempted)))
    .set({ is_begun: 0 })
    .execute();
}

function settled(engine: Engine, outcome: PartOutcome) {
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

function sweepAt(engine: Engine) {
  return sql<number | null>`case when attempts > 1 then ${engine.now()} + ${sql.lit(sweepAfterMs)} end`;
}

function partOf(step: Step, columns: PartColumns) {
  return step.updateTable('slot_part').where((is) => is.and(columns));
}
