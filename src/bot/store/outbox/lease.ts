/** What whoever has claimed a slot may write down about it: each fact as soon as it is known, and nothing once it is another's. */
import { type Kysely, type RawBuilder, sql } from 'kysely';
import type { Dialect } from '../dialect.ts';
import type { Tables } from '../tables/tables.ts';
import { recordIntent, recordOutcome } from './attempts.ts';
import type { MissedOccurrence, OccurrenceLease } from './occurrence.ts';
import { savePayload } from './payload.ts';
import type { LeaseColumns } from './rows.ts';
import { updateWithLease } from './update-held.ts';

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
    savePayload: (payload, parts, couldNotLook = null) =>
      savePayload(db, engine, columns, { payload, parts, couldNotLook, missed }),
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
