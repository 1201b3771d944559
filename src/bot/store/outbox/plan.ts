/** Inserts due occurrences and moves the next due time on, in one transaction. */
import { type Kysely, sql, type Transaction } from 'kysely';
import type { Due } from '../../domain/schedule.ts';
import type { Dialect } from '../dialect.ts';
import { subscriptionOf } from '../repositories/subscription-rows.ts';
import type { Tables } from '../tables/tables.ts';
import type { NewOccurrence, PlanOccurrences } from './occurrence.ts';
import { isInstalled } from './rows.ts';

type Place = { readonly team_id: string; readonly subscription_id: string; readonly channel_id: string };
type Planned = { readonly place: Place; readonly occurrences: readonly NewOccurrence[]; readonly next: Due };

/** Where the window of the last one ended, by the date and time that it is named after: what a person asked for is named otherwise. */
const toldTo = sql<number | null>`(select window_to from slot
  where slot.team_id = subscription.team_id and slot.subscription_id = subscription.id
    and slot.slot < 'a' and slot.state <> 'cancelled'
  order by slot.slot desc limit 1)`;

/** In one statement: SQLite takes 32,766 values. */
const rowsMax = 1000;

export async function plan(db: Kysely<Tables>, engine: Dialect, max: number, planOf: PlanOccurrences): Promise<number> {
  const problems: unknown[] = [];
  const planned = await db.transaction().execute(async (step) => {
    const now = await nowOf(step, engine);
    const due = step.selectFrom('subscription').selectAll().select(toldTo.as('told_to')).where('next_at', '<=', now);
    const first = due.where(isInstalled('subscription.team_id')).orderBy('next_at').orderBy('team_id').limit(max);
    const rows = await first.modifyEnd(engine.forUpdateSkipLocked('subscription')).execute();
    const all = rows.flatMap((row): readonly Planned[] => {
      try {
        const place = { team_id: row.team_id, subscription_id: row.id, channel_id: row.channel_id };
        return [{ place, ...planOf(subscriptionOf(row), now, row.told_to) }];
      } catch (problem) {
        problems.push(problem);
        return [];
      }
    });
    await insertOccurrences(
      step,
      all.flatMap(({ place, occurrences }) => occurrences.map((occurrence) => rowOf(place, occurrence))),
    );
    await moveOn(step, all);
    return all.length;
  });
  if (problems.length > 0) throw problems[0];
  return planned;
}

/** @returns false where there is a slot of that name, or no such subscription */
export async function addOccurrence(
  db: Kysely<Tables>,
  engine: Dialect,
  { teamId, subscriptionId }: { readonly teamId: string; readonly subscriptionId: string },
  slot: NewOccurrence,
): Promise<boolean> {
  return db.transaction().execute(async (step) => {
    const one = step
      .selectFrom('subscription')
      .select('channel_id')
      .where((is) => is.and({ team_id: teamId, id: subscriptionId }));
    const row = await one.where('removed_at', 'is', null).modifyEnd(engine.forUpdate).executeTakeFirst();
    if (!row) return false;
    const place = { team_id: teamId, subscription_id: subscriptionId, channel_id: row.channel_id };
    return (await insertOccurrences(step, [rowOf(place, slot)])) === 1;
  });
}

export async function nowOf(db: Kysely<Tables>, engine: Dialect): Promise<number> {
  const { rows } = await sql<{ readonly now: number }>`select ${engine.now()} as now`.execute(db);
  return rows[0]?.now ?? 0;
}

function rowOf(place: Place, { occurrenceId: slot, dueAt, window, state, error, isLate, notBefore }: NewOccurrence) {
  const times = { due_at: dueAt, window_from: window.from, window_to: window.to, claimable_at: notBefore ?? dueAt };
  return { ...place, slot, ...times, is_late: Number(isLate), state, error: error ?? null };
}

/** One that is there already stays as it is. @returns how many are new */
async function insertOccurrences(
  step: Transaction<Tables>,
  rows: readonly ReturnType<typeof rowOf>[],
): Promise<number> {
  let count = 0;
  for (let from = 0; from < rows.length; from += rowsMax) {
    const insert = step.insertInto('slot').values(rows.slice(from, from + rowsMax));
    const { numInsertedOrUpdatedRows } = await insert.onConflict((conflict) => conflict.doNothing()).executeTakeFirst();
    count += Number(numInsertedOrUpdatedRows ?? 0n);
  }
  return count;
}

async function moveOn(step: Transaction<Tables>, all: readonly Planned[]): Promise<void> {
  for (let from = 0; from < all.length; from += rowsMax) {
    const rows = all.slice(from, from + rowsMax).map(({ place, next }) => {
      return sql`(${place.team_id}, ${place.subscription_id}, cast(${next.at} as bigint), ${next.localTime}, ${next.shift})`;
    });
    await sql`
      with moved (team_id, id, at, slot, shift) as (values ${sql.join(rows)})
      update subscription set next_at = moved.at, next_slot = moved.slot, next_shift = moved.shift
      from moved where subscription.team_id = moved.team_id and subscription.id = moved.id`.execute(step);
  }
}
