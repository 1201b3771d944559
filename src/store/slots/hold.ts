/** What whoever has claimed a slot may write down about it: each fact as soon as it is known, and nothing once it is another's. */
import { type Kysely, type RawBuilder, sql, type Transaction, type UpdateObject } from 'kysely';
import type { Engine } from '../engine.ts';
import type { MissedSlot, Part, SlotHold } from '../ledger.ts';
import type { Tables } from '../tables.ts';
import { intend, settle } from './attempts.ts';
import { type HeldColumns, isBegun, isTelling } from './rows.ts';

export type Claimed = {
  readonly columns: HeldColumns;
  readonly missed: readonly MissedSlot[];
  /** What it sends was made, by whomever. */
  readonly isMade: boolean;
};

type Step = Transaction<Tables>;
type SlotUpdate = UpdateObject<Tables, 'slot'>;
type Parts = readonly Pick<Part, 'name' | 'opaqueId'>[];

const ended = { fence: sql<number>`fence + 1` };

export function createSlotHold(db: Kysely<Tables>, engine: Engine, claimed: Claimed): SlotHold {
  const { columns } = claimed;
  let { isMade } = claimed;
  const inMs = (ms: number): RawBuilder<number> => sql`${engine.now()} + ${sql.lit(ms)}`;
  return {
    extend: (leaseMs) => set(db, columns, { claimable_at: inMs(leaseMs) }),
    savePayload: (payload, parts, couldNotLook) => {
      const made = { values: { payload, could_not_look: couldNotLook ?? null }, parts, isFirst: !isMade };
      isMade = true;
      return allOrNothing(db, (step) => savePayload(step, claimed, made));
    },
    intend: (name, outlivesMs) => intend(db, engine, { ...columns, name }, outlivesMs),
    settle: (name, outcome) => settle(db, engine, { ...columns, name }, outcome),
    finish: (state, error) => set(db, columns, { ...ended, state, error: error ?? null, payload: null }),
    release: (tryAgainInMs, error) => {
      const again = { ...ended, attempts: sql<number>`attempts + 1` };
      return set(db, columns, { ...again, claimable_at: inMs(tryAgainInMs), error: error ?? null });
    },
    giveBack: (forMs) => set(db, columns, { ...ended, claimable_at: inMs(forMs) }),
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

/** In a transaction nobody takes it over from here to the end. @returns false where somebody has */
async function set(
  db: Kysely<Tables>,
  columns: HeldColumns,
  values: SlotUpdate,
  condition = sql<boolean>`true`,
): Promise<boolean> {
  const mine = db
    .updateTable('slot')
    .where((is) => is.and(columns))
    .where(condition);
  return (await mine.set(values).executeTakeFirst()).numUpdatedRows === 1n;
}

async function savePayload(
  step: Step,
  { columns: { fence, ...columns }, missed }: Claimed,
  { values, parts, isFirst }: { readonly values: SlotUpdate; readonly parts: Parts; readonly isFirst: boolean },
): Promise<boolean> {
  if (!(await set(step, { ...columns, fence }, values, sql<boolean>`not ${isBegun}`))) return false;
  const before = step.deleteFrom('slot_part').where((is) => is.and(columns));
  if (!isFirst) await before.execute();
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
  { slot: told_in, ...mine }: Omit<HeldColumns, 'fence'>,
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
