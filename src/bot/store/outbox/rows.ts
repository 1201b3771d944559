/** Rows of deliveries and their messages, and conditions that several statements share. */
import { type Kysely, type RawBuilder, type Selectable, sql } from 'kysely';
import type { DeliveryKey, DeliveryTable, PostedMessageTable, Tables } from '../tables.ts';
import type { OccurrenceState, OccurrenceWindow, OutboxMessage, OutboxMessageState } from './delivery.ts';

export type DeliveryRow = Selectable<DeliveryTable>;
export type MessageRow = Selectable<PostedMessageTable>;

const occurrenceStates: readonly OccurrenceState[] = ['due', 'posted', 'quiet', 'missed', 'cancelled', 'dead'];
const messageStates: readonly OutboxMessageState[] = ['waiting', 'intent', 'unknown', 'uncertain', 'sent', 'dead'];

/** @param row of a delivery, or of one of its messages */
export function keyOf({ teamId, kind, subject, occurrenceId }: DeliveryKey): DeliveryKey {
  return { teamId, kind, subject, occurrenceId };
}

/** An unknown state, of a newer version, counts as `dead`: this version does not send it. */
export function stateOf(text: string): OccurrenceState {
  return occurrenceStates.find((state) => state === text) ?? 'dead';
}

/** Only digests have a window. */
export function windowOf({ windowFrom, windowTo }: DeliveryRow): OccurrenceWindow {
  return { from: windowFrom ?? 0, to: windowTo ?? 0 };
}

export function messageOf(row: MessageRow): OutboxMessage {
  const { name, opaqueId, attempts, firstIntentAt, lastIntentAt, ts, contentHash, error } = row;
  const state = messageStates.find((known) => known === row.state) ?? 'uncertain';
  return { name, opaqueId, state, attempts, firstIntentAt, lastIntentAt, ts, contentHash, error };
}

/** @returns the messages of several deliveries, each in the order of sending */
export async function messagesOf(
  db: Kysely<Tables>,
  deliveries: readonly DeliveryKey[],
): Promise<(delivery: DeliveryKey) => readonly OutboxMessage[]> {
  if (deliveries.length === 0) return () => [];
  const { rows } = await sql<MessageRow>`
    select * from posted_message
    where (team_id, kind, subject, occurrence_id) in ${tuples(deliveries.map(tupleOf))} order by position`.execute(db);
  const byDelivery = Map.groupBy(rows, nameOf);
  return (delivery) => (byDelivery.get(nameOf(delivery)) ?? []).map(messageOf);
}

function tupleOf({ teamId, kind, subject, occurrenceId }: DeliveryKey): readonly string[] {
  return [teamId, kind, subject, occurrenceId];
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
function nameOf(delivery: DeliveryKey): string {
  return tupleOf(delivery).join(' ');
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
