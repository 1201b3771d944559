/** Rows of occurrences and their messages, and conditions that several statements share. */
import { type Kysely, type RawBuilder, type Selectable, sql } from 'kysely';
import type { Dialect } from '../dialect.ts';
import type { OccurrenceTable, OutboxMessageTable } from '../tables/digest-tables.ts';
import type { Tables } from '../tables/tables.ts';
import type { OccurrenceKey, OccurrenceState, OutboxMessage, OutboxMessageState } from './occurrence.ts';

export type OccurrenceRow = Selectable<OccurrenceTable>;
export type MessageRow = Selectable<OutboxMessageTable>;
export type OccurrenceColumns = Pick<OccurrenceRow, 'team_id' | 'subscription_id' | 'occurrence_id'>;

/** An occurrence as its lease identifies it: after the next claim the fence is higher. */
export type LeaseColumns = OccurrenceColumns & Pick<OccurrenceRow, 'fence'>;

const occurrenceStates: readonly OccurrenceState[] = ['due', 'posted', 'quiet', 'missed', 'cancelled', 'dead'];
const messageStates: readonly OutboxMessageState[] = ['waiting', 'intent', 'unknown', 'uncertain', 'sent', 'dead'];

export function columnsOf({ teamId, subscriptionId, occurrenceId }: OccurrenceKey): OccurrenceColumns {
  return { team_id: teamId, subscription_id: subscriptionId, occurrence_id: occurrenceId };
}

export function keyOf({ team_id, subscription_id, occurrence_id }: OccurrenceColumns): OccurrenceKey {
  return Object.freeze({ teamId: team_id, subscriptionId: subscription_id, occurrenceId: occurrence_id });
}

/** An unknown state, of a newer version, counts as `dead`: this version does not send it. */
export function stateOf(text: string): OccurrenceState {
  return occurrenceStates.find((state) => state === text) ?? 'dead';
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
    error: row.error,
  });
}

/** @returns the messages of several occurrences, each in the order of sending */
export async function messagesOf(
  db: Kysely<Tables>,
  occurrences: readonly OccurrenceColumns[],
): Promise<(occurrence: OccurrenceColumns) => MessageRow[]> {
  if (occurrences.length === 0) return () => [];
  const { rows } = await sql<MessageRow>`
    select * from outbox_message
    where (team_id, subscription_id, occurrence_id) in ${tuples(occurrences.map(tupleOf))} order by position`.execute(
    db,
  );
  const byOccurrence = Map.groupBy(rows, nameOf);
  return (occurrence) => byOccurrence.get(nameOf(occurrence)) ?? [];
}

function tupleOf({ team_id, subscription_id, occurrence_id }: OccurrenceColumns): readonly string[] {
  return [team_id, subscription_id, occurrence_id];
}

/** A `values` list that both engines take as text. */
export function tuples(all: readonly (readonly string[])[]): RawBuilder<unknown> {
  return sql`(values ${sql.join(all.map((values) => sql`(${sql.join(values)})`))})`;
}

/** @returns one text for each occurrence, as a map key */
function nameOf(occurrence: OccurrenceColumns): string {
  return tupleOf(occurrence).join(' ');
}

/**
 * Returns a condition that is true while the lease is valid. It locks the row, so that no other process claims or
 * cancels the occurrence during the statement.
 */
export function hasLease(
  { forUpdate }: Dialect,
  { team_id, subscription_id, occurrence_id, fence }: LeaseColumns,
  condition = sql<boolean>`true`,
): RawBuilder<boolean> {
  return sql`exists (select 1 from occurrence
    where team_id = ${team_id} and subscription_id = ${subscription_id} and occurrence_id = ${occurrence_id}
      and fence = ${fence} and ${condition} ${forUpdate})`;
}

/** True if one of its messages may have been sent. */
export const isStarted: RawBuilder<boolean> = sql`exists (select 1 from outbox_message as started
  where started.team_id = occurrence.team_id and started.subscription_id = occurrence.subscription_id
    and started.occurrence_id = occurrence.occurrence_id and started.attempts > 0)`;

/** Excludes uninstalled workspaces, whose occurrences wait because the bot may be installed again. */
export function isInstalled(teamId: string): RawBuilder<boolean> {
  return sql`not exists (select 1 from installation as gone
    where gone.team_id = ${sql.ref(teamId)} and gone.uninstalled_at is not null)`;
}

/** Returns true if people can or will read the digest of this occurrence. */
export function isReporting(occurrence: string): RawBuilder<boolean> {
  return sql`${sql.ref(`${occurrence}.state`)} in ('due', 'posted')`;
}
