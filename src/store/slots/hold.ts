/** What whoever has claimed a slot may write down about it: each fact as soon as it is known, and nothing once it is another's. */
import { type Kysely, type RawBuilder, sql, type Transaction, type UpdateObject } from 'kysely';
import type { Engine } from '../engine.ts';
import type { MissedSlot, Part, SlotHold } from '../ledger.ts';
import type { Tables } from '../tables.ts';
import { intend, settle } from './attempts.ts';
import { isTelling, type SlotColumns, type SlotRow } from './rows.ts';

export type Claimed = {
  readonly columns: SlotColumns;
  readonly fence: number;
  readonly missed: readonly MissedSlot[];
};

type Step = Transaction<Tables>;
type SlotUpdate = UpdateObject<Tables, 'slot'>;

const ended = { fence: sql<number>`fence + 1` };

export function createSlotHold(db: Kysely<Tables>, engine: Engine, claimed: Claimed): SlotHold {
  const { columns, fence } = claimed;
  const asHolder = (work: (step: Step) => Promise<boolean>, values: SlotUpdate = { fence }) =>
    allOrNothing(db, async (step) => (await set(step, claimed, values)) && work(step));
  const inMs = (ms: number): RawBuilder<number> => sql`${engine.now()} + ${sql.lit(ms)}`;
  return {
    extend: (leaseMs) => set(db, claimed, { claimable_at: inMs(leaseMs) }),
    savePayload: (payload, parts, couldNotLook) =>
      allOrNothing(db, (step) => savePayload(step, claimed, { payload, could_not_look: couldNotLook ?? null }, parts)),
    intend: (part, outlivesMs) =>
      asHolder((step) => intend(step, engine, { ...columns, name: part }, outlivesMs), { is_begun: 1 }),
    settle: (part, outcome) => asHolder((step) => settle(step, engine, { ...columns, name: part }, outcome)),
    finish: (state, error) => set(db, claimed, { ...ended, state, error: error ?? null, payload: null }),
    release: (tryAgainInMs, error) => {
      const again = { ...ended, attempts: sql<number>`attempts + 1` };
      return set(db, claimed, { ...again, claimable_at: inMs(tryAgainInMs), error: error ?? null });
    },
  };
}

/** @returns what `work` does; where that is false nothing of it stays */
async function allOrNothing(db: Kysely<Tables>, work: (step: Step) => Promise<boolean>): Promise<boolean> {
  const refused = new Error('refused');
  try {
    return await db.transaction().execute(async (step) => {
      if (await work(step)) return true;
      throw refused;
    });
  } catch (error) {
    if (error === refused) return false;
    throw error;
  }
}

/** From here to the end of the transaction nobody takes it over. @returns false where somebody has */
async function set(
  db: Kysely<Tables>,
  { columns, fence }: Claimed,
  values: SlotUpdate,
  condition: Partial<Pick<SlotRow, 'is_begun'>> = {},
): Promise<boolean> {
  const mine = db.updateTable('slot').where((is) => is.and({ ...columns, fence, ...condition }));
  return (await mine.set(values).executeTakeFirst()).numUpdatedRows === 1n;
}

async function savePayload(
  step: Step,
  claimed: Claimed,
  values: SlotUpdate,
  parts: readonly Pick<Part, 'name' | 'opaqueId'>[],
): Promise<boolean> {
  const { columns, missed } = claimed;
  if (!(await set(step, claimed, values, { is_begun: 0 }))) return false;
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
  return tell(step, columns, missed);
}

/** @returns false where another digest of the subscription tells of them by now */
async function tell(
  step: Step,
  { slot: told_in, ...mine }: SlotColumns,
  missed: readonly MissedSlot[],
): Promise<boolean> {
  if (missed.length === 0) return true;
  const slots = missed.map(({ slot }) => slot);
  const free = sql<boolean>`(told_in is null or told_in = ${told_in} or not exists (
    select 1 from slot as teller where teller.team_id = ${mine.team_id}
      and teller.subscription_id = ${mine.subscription_id} and teller.slot = slot.told_in and ${isTelling('teller')}))`;
  const untold = step
    .updateTable('slot')
    .where((is) => is.and(mine))
    .where('slot', 'in', slots)
    .where(free);
  return Number((await untold.set({ told_in }).executeTakeFirst()).numUpdatedRows) === missed.length;
}
