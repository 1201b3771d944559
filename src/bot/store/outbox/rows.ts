/** Rows of deliveries and their messages, and conditions that several statements share. */
import { type Kysely, type RawBuilder, type Selectable, sql } from 'kysely';
import type { Dialect } from '../dialect.ts';
import type { DeliveryTable, PostedMessageTable } from '../tables/delivery-tables.ts';
import type { Tables } from '../tables/tables.ts';
import type { DeliveryKey, OccurrenceState, OccurrenceWindow, OutboxMessage, OutboxMessageState } from './delivery.ts';

export type DeliveryRow = Selectable<DeliveryTable>;
export type MessageRow = Selectable<PostedMessageTable>;
export type DeliveryColumns = Pick<DeliveryRow, 'team_id' | 'kind' | 'subject' | 'occurrence_id'>;

/** A delivery as its lease identifies it: after the next claim the fence is higher. */
export type LeaseColumns = DeliveryColumns & Pick<DeliveryRow, 'fence'>;

const occurrenceStates: readonly OccurrenceState[] = ['due', 'posted', 'quiet', 'missed', 'cancelled', 'dead'];
const messageStates: readonly OutboxMessageState[] = ['waiting', 'intent', 'unknown', 'uncertain', 'sent', 'dead'];

export function columnsOf({ teamId, kind, subject, occurrenceId }: DeliveryKey): DeliveryColumns {
  return { team_id: teamId, kind, subject, occurrence_id: occurrenceId };
}

export function keyOf({ team_id, kind, subject, occurrence_id }: DeliveryColumns): DeliveryKey {
  return Object.freeze({ teamId: team_id, kind, subject, occurrenceId: occurrence_id });
}

/** An unknown state, of a newer version, counts as `dead`: this version does not send it. */
export function stateOf(text: string): OccurrenceState {
  return occurrenceStates.find((state) => state === text) ?? 'dead';
}

/** Only digests have a window. */
export function windowOf({ window_from: from, window_to: to }: DeliveryRow): OccurrenceWindow {
  return Object.freeze({ from: from ?? 0, to: to ?? 0 });
}

export function messageOf(row: MessageRow): OutboxMessage {
  return Object.freeze({
    name: row.name,
    opaqueId: row.opaque_id,
    state: messageStates.find((state) => state === row.state) ?? 'uncertain',
    attempts: row.attempts,
    firstIntentAt: row.first_intent_at,
    lastIntentAt: row.last_intent_at,
    ts: row.ts,
    contentHash: row.content_hash,
    error: row.error,
  });
}

/** @returns the messages of several deliveries, each in the order of sending */
export async function messagesOf(
  db: Kysely<Tables>,
  deliveries: readonly DeliveryColumns[],
): Promise<(delivery: DeliveryColumns) => MessageRow[]> {
  if (deliveries.length === 0) return () => [];
  const { rows } = await sql<MessageRow>`
    select * from posted_message
    where (team_id, kind, subject, occurrence_id) in ${tuples(deliveries.map(tupleOf))} order by position`.execute(db);
  const byDelivery = Map.groupBy(rows, nameOf);
  return (delivery) => byDelivery.get(nameOf(delivery)) ?? [];
}

function tupleOf({ team_id, kind, subject, occurrence_id }: DeliveryColumns): readonly string[] {
  return [team_id, kind, subject, occurrence_id];
}

/** As text with a table's alias in front of each column: joins and subqueries compare whole keys. */
export function keyIn(alias: string): RawBuilder<unknown> {
  return sql.join(['team_id', 'kind', 'subject', 'occurrence_id'].map((column) => sql.ref(`${alias}.${column}`)));
}

/** A `values` list that both engines take as text. */
export function tuples(all: readonly (readonly string[])[]): RawBuilder<unknown> {
  return sql`(values ${sql.join(all.map((values) => sql`(${sql.join(values)})`))})`;
}

/** @returns one text for each delivery, as a map key */
function nameOf(delivery: DeliveryColumns): string {
  return tupleOf(delivery).join(' ');
}

/**
 * Returns a condition that is true while the lease is valid. It locks the row, so that no other process claims or
 * cancels the delivery during the statement.
 */
export function hasLease(
  { forUpdate }: Dialect,
  { team_id, kind, subject, occurrence_id, fence }: LeaseColumns,
  condition = sql<boolean>`true`,
): RawBuilder<boolean> {
  return sql`exists (select 1 from delivery
    where team_id = ${team_id} and kind = ${kind} and subject = ${subject} and occurrence_id = ${occurrence_id}
      and fence = ${fence} and ${condition} ${forUpdate})`;
}

/** True if one of its messages may have been sent. */
export const isStarted: RawBuilder<boolean> = sql`exists (select 1 from posted_message as started
  where (${keyIn('started')}) = (${keyIn('delivery')}) and started.attempts > 0)`;

/** Excludes uninstalled workspaces, whose deliveries wait because the bot may be installed again. */
export function isInstalled(teamId: string): RawBuilder<boolean> {
  return sql`not exists (select 1 from installation as gone
    where gone.team_id = ${sql.ref(teamId)} and gone.uninstalled_at is not null)`;
}

/** Returns true if people can or will read the digest of this occurrence. */
export function isReporting(alias: string): RawBuilder<boolean> {
  return sql`${sql.ref(`${alias}.state`)} in ('due', 'posted')`;
}
