/** What whoever has claimed a slot may write down about it: each fact as soon as it is known, and nothing once it is another's. */
import { type Kysely, type RawBuilder, sql } from 'kysely';
import type { Engine } from '../engine.ts';
import type { Tables } from '../tables/tables.ts';
import { intend, settle } from './attempts.ts';
import { savePayload } from './payload.ts';
import type { HeldColumns } from './rows.ts';
import type { MissedSlot, SlotHold } from './slot.ts';
import { updateHeld } from './update-held.ts';

const ended = { fence: sql<number>`fence + 1` };

export function createSlotHold(
  db: Kysely<Tables>,
  engine: Engine,
  columns: HeldColumns,
  missed: readonly MissedSlot[],
): SlotHold {
  const inMs = (ms: number): RawBuilder<number> => sql`${engine.now()} + cast(${ms} as bigint)`;
  return {
    extend: (leaseMs) => updateHeld(db, columns, { claimable_at: inMs(leaseMs) }),
    savePayload: (payload, parts, couldNotLook = null) =>
      savePayload(db, engine, columns, { payload, parts, couldNotLook, missed }),
    intend: (name, outlivesMs) => intend(db, engine, { ...columns, name }, outlivesMs),
    settle: (name, outcome) => settle(db, engine, { ...columns, name }, outcome),
    finish: (state, error) => updateHeld(db, columns, { ...ended, state, error: error ?? null, payload: null }),
    release: (tryAgainInMs, error) => {
      const again = { ...ended, attempts: sql<number>`attempts + 1` };
      return updateHeld(db, columns, { ...again, claimable_at: inMs(tryAgainInMs), error: error ?? null });
    },
    giveBack: (forMs) => updateHeld(db, columns, { ...ended, claimable_at: inMs(forMs) }),
  };
}
