/** Rows of occurrences and their messages, and conditions that several statements share. */
import { type Kysely, type RawBuilder, type Selectable, sql } from 'kysely';
import type { Dialect } from '../dialect.ts';
import type { SlotPartTable, SlotTable } from '../tables/digest-tables.ts';
import type { Tables } from '../tables/tables.ts';
import type { OccurrenceKey, OccurrenceState, OutboxMessage, OutboxMessageState } from './occurrence.ts';

export type OccurrenceRow = Selectable<SlotTable>;
export type MessageRow = Selectable<SlotPartTable>;
export type OccurrenceColumns = Pick<OccurrenceRow, 'team_id' | 'subscription_id' | 'slot'>;

/** A slot as whoever has claimed it knows it: once the fence has risen it is another's. */
export type LeaseColumns = OccurrenceColumns & Pick<OccurrenceRow, 'fence'>;

const slotStates: readonly OccurrenceState[] = ['due', 'posted', 'quiet', 'missed', 'cancelled', 'dead'];
const partStates: readonly OutboxMessageState[] = ['waiting', 'intent', 'unknown', 'uncertain', 'sent', 'dead'];

export function columnsOf({ teamId, subscriptionId, occurrenceId: slot }: OccurrenceKey): OccurrenceColumns {
  return { team_id: teamId, subscription_id: subscriptionId, slot };
}

export function keyOf({ team_id, subscription_id, slot }: OccurrenceColumns): OccurrenceKey {
  return Object.freeze({ teamId: team_id, subscriptionId: subscription_id, occurrenceId: slot });
}

/** Whatever a newer version may have written is nothing that this one sends. */
export function stateOf(text: string): OccurrenceState {
  return slotStates.find((state) => state === text) ?? 'dead';
}

export function messageOf(row: MessageRow): OutboxMessage {
  return Object.freeze({
    name: row.name,
    opaqueId: row.opaque_id,
    state: partStates.find((state) => state === row.state) ?? 'uncertain',
    attempts: row.attempts,
    firstIntentAt: row.first_intent_at,
    lastIntentAt: row.last_intent_at,
    ts: row.ts,
    error: row.error,
  });
}

/** @returns the parts of several slots, each in the order of sending */
export async function messagesOf(
  db: Kysely<Tables>,
  slots: readonly OccurrenceColumns[],
): Promise<(slot: OccurrenceColumns) => MessageRow[]> {
  if (slots.length === 0) return () => [];
  const { rows } = await sql<MessageRow>`
    select * from slot_part where (team_id, subscription_id, slot) in ${tuples(slots.map(tupleOf))} order by place`.execute(
    db,
  );
  const bySlot = Map.groupBy(rows, nameOf);
  return (slot) => bySlot.get(nameOf(slot)) ?? [];
}

export function tupleOf({ team_id, subscription_id, slot }: OccurrenceColumns): readonly string[] {
  return [team_id, subscription_id, slot];
}

/** Text to the database alike, on either engine. */
export function tuples(all: readonly (readonly string[])[]): RawBuilder<unknown> {
  return sql`(values ${sql.join(all.map((values) => sql`(${sql.join(values)})`))})`;
}

/** One text a slot, to find it by. */
export function nameOf(slot: OccurrenceColumns): string {
  return tupleOf(slot).join(' ');
}

/** Until the statement is done nobody takes the slot over or cancels it. */
export function holdsLease(
  engine: Dialect,
  { team_id, subscription_id, slot, fence }: LeaseColumns,
  condition = sql<boolean>`true`,
): RawBuilder<boolean> {
  return sql`exists (select 1 from slot
    where team_id = ${team_id} and subscription_id = ${subscription_id} and slot = ${slot} and fence = ${fence}
      and ${condition} ${engine.forUpdate})`;
}

/** Whether a message of it may have been sent. */
export const isBegun: RawBuilder<boolean> = sql`exists (select 1 from slot_part as begun
  where begun.team_id = slot.team_id and begun.subscription_id = slot.subscription_id and begun.slot = slot.slot
    and begun.attempts > 0)`;

/** Where the bot was taken away nothing is done: it may come back. */
export function isInstalled(teamId: string): RawBuilder<boolean> {
  return sql`not exists (select 1 from installation as gone
    where gone.team_id = ${sql.ref(teamId)} and gone.uninstalled_at is not null)`;
}

/** Whether people can read what it tells, or will. */
export function isTelling(slot: string): RawBuilder<boolean> {
  return sql`${sql.ref(`${slot}.state`)} in ('due', 'posted')`;
}
