/** What whoever has claimed a slot may write down about it: each fact as soon as it is known, and nothing once it is another's. */
import { type Kysely, type RawBuilder, sql, type Transaction, type UpdateObject } from 'kysely';
import type { Engine } from '../engine.ts';
import type { MissedSlot, Part, SlotHold } from '../ledger.ts';
import type { Tables } from '../tables.ts';
import { intend, settle } from './attempts.ts';
import type { SlotColumns } from './rows.ts';

export type Claimed = {
  readonly columns: SlotColumns;
  readonly fence: number;
  readonly missed: readonly MissedSlot[];
};

type Step = Transaction<Tables>;

export function createSlotHold(db: Kysely<Tables>, engine: Engine, claimed: Claimed): SlotHold {
  const { columns } = claimed;
  const asHolder = (work: (step: Step) => Promise<boolean>) =>
    db.transaction().execute(async (step) => (await isHeld(step, claimed)) && work(step));
  const set = (step: Step, values: UpdateObject<Tables, 'slot'>) => one(slotOf(step, columns).set(values));
  const inMs = (ms: number): RawBuilder<number> => sql`${engine.now()} + ${sql.lit(ms)}`;
  return {
    extend: (leaseMs) => asHolder((step) => set(step, { lease_until: inMs(leaseMs) })),
    savePayload: (payload, parts) => asHolder((step) => savePayload(step, claimed, payload, parts)),
    intend: (part, outlivesMs) => asHolder((step) => intend(step, engine, { ...columns, name: part }, outlivesMs)),
    settle: (part, outcome) => asHolder((step) => settle(step, engine, { ...columns, name: part }, outcome)),
    finish: (state, error) =>
      asHolder((step) => set(step, { state, error: error ?? null, payload: null, lease_until: 0 })),
    release: (tryAgainInMs, error) =>
      asHolder((step) => {
        const again = { fence: sql<number>`fence + 1`, attempts: sql<number>`attempts + 1`, lease_until: 0 };
        return set(step, { ...again, not_before: inMs(tryAgainInMs), error: error ?? null });
      }),
  };
}

/** From here to the end of the transaction nobody takes it over. */
async function isHeld(step: Step, { columns, fence }: Claimed): Promise<boolean> {
  return one(slotOf(step, columns).where('fence', '=', fence).where('state', '=', 'due').set({ fence }));
}

async function savePayload(
  step: Step,
  { columns, missed }: Claimed,
  payload: string,
  parts: readonly Pick<Part, 'name' | 'opaqueId'>[],
): Promise<boolean> {
  if (!(await one(slotOf(step, columns).where('is_begun', '=', 0).set({ payload })))) return false;
  const before = step.deleteFrom('slot_part').where((is) => is.and(columns));
  await before.execute();
  const rows = parts.map(({ name, opaqueId }, place) => ({
    ...columns,
    name,
    place,
    opaque_id: opaqueId,
    state: 'waiting',
  }));
  if (rows.length > 0) await step.insertInto('slot_part').values(rows).execute();
  const { slot: told_in, ...subscription } = columns;
  const told = step.updateTable('slot').where((is) => is.and(subscription));
  const slots = missed.map(({ slot }) => slot);
  if (slots.length > 0) await told.where('slot', 'in', slots).set({ told_in }).execute();
  return true;
}

function slotOf(step: Step, columns: SlotColumns) {
  return step.updateTable('slot').where((is) => is.and(columns));
}

async function one(update: ReturnType<typeof slotOf>): Promise<boolean> {
  return (await update.executeTakeFirst()).numUpdatedRows === 1n;
}
