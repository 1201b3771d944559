/** Claims occurrences in one statement, so that each goes to one process. Their messages and subscriptions are read in bulk. */
import { type Kysely, sql } from 'kysely';
import type { Subscription } from '../../domain/subscription.ts';
import type { Dialect } from '../dialect.ts';
import { subscriptionOf } from '../repositories/subscription-rows.ts';
import type { Tables } from '../tables/tables.ts';
import { createOccurrenceLease } from './lease.ts';
import type { ClaimedOccurrence, ClaimOptions, MissedOccurrence } from './occurrence.ts';
import {
  isInstalled,
  isTelling,
  keyOf,
  type MessageRow,
  messageOf,
  messagesOf,
  type OccurrenceRow,
  tuples,
} from './rows.ts';

export async function claim(
  db: Kysely<Tables>,
  engine: Dialect,
  options: ClaimOptions,
): Promise<readonly ClaimedOccurrence[]> {
  const slots = (await take(db, engine, options)).sort((a, b) => a.due_at - b.due_at);
  const [subscriptions, parts, missed] = [
    await subscriptionsOf(db, slots),
    // What was not made yet has none.
    await messagesOf(
      db,
      slots.filter(({ payload }) => payload !== null),
    ),
    await missedOf(db, slots),
  ];
  const claimed = slots.map((slot) => {
    const subscription = subscriptions.get(ownerOf(slot));
    const details = { parts: parts(slot), missed: missed(slot) };
    return subscription && claimedSlot(db, engine, { slot, subscription, ...details });
  });
  return Object.freeze(claimed.filter((one) => one !== undefined));
}

type TakenRow = OccurrenceRow & { readonly claimed_at: number };

/** Of how many it is seen whose turn it is, as a multiple of what is wanted. */
const candidatesPerSlot = 10;

/**
 * Workspaces in turn, among those that have waited longest. Every step takes few rows, however many are due and whatever the
 * outbox keeps; the statistics of the server may be of before they came. That nobody had it meanwhile is seen by its fence.
 */
async function take(db: Kysely<Tables>, engine: Dialect, options: ClaimOptions): Promise<TakenRow[]> {
  const { max, leaseMs, perTeam, exceptTeams } = options;
  const now = engine.now();
  const others = exceptTeams.length > 0 ? sql`and team_id not in (${sql.join(exceptTeams)})` : sql``;
  const { rows } = await sql<TakenRow>`
    with candidate as (
      select team_id, subscription_id, slot, due_at, fence from slot
      where state = 'due' and claimable_at <= ${now} ${others} and ${isInstalled('slot.team_id')}
      order by claimable_at limit ${sql.lit(max * candidatesPerSlot)}
    ), turned as (
      select candidate.*,
        row_number() over (partition by team_id order by due_at, subscription_id, slot) as turn
      from candidate
    ), chosen as (
      select * from turned where turn <= ${sql.lit(perTeam)} order by turn, due_at limit ${sql.lit(max * 2)}
    ), taken as materialized (
      select slot.team_id, slot.subscription_id, slot.slot
      from chosen join slot
        on slot.team_id = chosen.team_id and slot.subscription_id = chosen.subscription_id and slot.slot = chosen.slot
          and slot.fence = chosen.fence
      order by chosen.turn, chosen.due_at limit ${sql.lit(max)} ${engine.forUpdateSkipLocked('slot')}
    )
    update slot set fence = fence + 1, claimable_at = ${now} + ${sql.lit(leaseMs)}
    where (team_id, subscription_id, slot) in (select team_id, subscription_id, slot from taken)
    returning *, ${now} as claimed_at`.execute(db);
  return rows;
}

function claimedSlot(
  db: Kysely<Tables>,
  engine: Dialect,
  claimed: {
    readonly slot: TakenRow;
    readonly subscription: Subscription;
    readonly parts: readonly MessageRow[];
    readonly missed: readonly MissedOccurrence[];
  },
): ClaimedOccurrence {
  const { slot, subscription, parts, missed } = claimed;
  const { team_id, subscription_id, fence } = slot;
  const columns = { team_id, subscription_id, slot: slot.slot, fence };
  return Object.freeze({
    key: keyOf(slot),
    subscription: Object.freeze({ ...subscription, channelId: slot.channel_id }),
    fencingToken: fence,
    claimedAt: slot.claimed_at,
    dueAt: slot.due_at,
    window: Object.freeze({ from: slot.window_from, to: slot.window_to }),
    isLate: slot.is_late === 1,
    attempts: slot.attempts,
    error: slot.error,
    payload: slot.payload,
    messages: Object.freeze(parts.map(messageOf)),
    missed,
    lease: createOccurrenceLease(db, engine, columns, missed),
  });
}

type Owner = Pick<OccurrenceRow, 'team_id' | 'subscription_id'>;

function ownerOf({ team_id, subscription_id }: Owner): string {
  return `${team_id} ${subscription_id}`;
}

function ownersOf(slots: readonly Owner[]) {
  return tuples(slots.map(({ team_id, subscription_id }) => [team_id, subscription_id]));
}

/** Removed ones, too: what was begun for them is ended. One in a form that this version does not know is left to its lease. */
async function subscriptionsOf(
  db: Kysely<Tables>,
  slots: readonly OccurrenceRow[],
): Promise<Map<string, Subscription>> {
  if (slots.length === 0) return new Map();
  const mine = sql<boolean>`(team_id, id) in ${ownersOf(slots)}`;
  const rows = await db.selectFrom('subscription').selectAll().where(mine).execute();
  return new Map(
    rows.flatMap((row) => {
      try {
        return [[ownerOf({ ...row, subscription_id: row.id }), subscriptionOf(row)]];
      } catch {
        return [];
      }
    }),
  );
}

/** Of which no digest has told that stands or will stand. */
async function missedOf(
  db: Kysely<Tables>,
  slots: readonly OccurrenceRow[],
): Promise<(slot: OccurrenceRow) => readonly MissedOccurrence[]> {
  if (slots.length === 0) return () => [];
  const { rows } = await sql<Owner & Pick<OccurrenceRow, 'slot' | 'due_at'>>`
    select missed.team_id, missed.subscription_id, missed.slot, missed.due_at
    from slot as missed left join slot as teller
      on teller.team_id = missed.team_id and teller.subscription_id = missed.subscription_id
        and teller.slot = missed.told_in and ${isTelling('teller')}
    where missed.state = 'missed' and teller.slot is null and (missed.team_id, missed.subscription_id) in ${ownersOf(slots)}
    order by missed.due_at`.execute(db);
  const byOwner = Map.groupBy(rows, ownerOf);
  return (slot) => {
    const mine = byOwner.get(ownerOf(slot)) ?? [];
    return Object.freeze(mine.map(({ slot: name, due_at }) => Object.freeze({ occurrenceId: name, dueAt: due_at })));
  };
}
