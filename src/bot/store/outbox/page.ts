/** The outbox as a person reads it. */
import { type Kysely, sql } from 'kysely';
import { AppError } from '../../../shared/errors.ts';
import type { Tables } from '../tables/tables.ts';
import type { OutboxEntry } from './occurrence.ts';
import { keyOf, type MessageRow, messageOf, messagesOf, type OccurrenceRow, stateOf } from './rows.ts';

/** @throws AppError `usage` for a cursor that is none */
export async function page(
  db: Kysely<Tables>,
  teamId: string,
  count: number,
  before?: string,
): Promise<readonly OutboxEntry[]> {
  const all = db.selectFrom('slot').selectAll().where('team_id', '=', teamId);
  const older = before === undefined ? all : all.where(isBefore(before));
  const newest = older.orderBy('due_at', 'desc').orderBy('subscription_id', 'desc').orderBy('slot', 'desc');
  const slots = await newest.limit(count).execute();
  const parts = await messagesOf(db, slots);
  return Object.freeze(slots.map((slot) => entryOf(slot, parts(slot))));
}

function isBefore(cursor: string) {
  const [, dueAt, subscriptionId, slot] = /^(\d{1,15})\.([^.]+)\.(.+)$/.exec(cursor) ?? [];
  if (dueAt === undefined) throw new AppError('usage', 'This is no place in the list of deliveries.');
  return sql<boolean>`(due_at, subscription_id, slot) < (cast(${dueAt} as bigint), ${subscriptionId}, ${slot})`;
}

function entryOf(row: OccurrenceRow, parts: readonly MessageRow[]): OutboxEntry {
  return Object.freeze({
    key: keyOf(row),
    channelId: row.channel_id,
    dueAt: row.due_at,
    window: Object.freeze({ from: row.window_from, to: row.window_to }),
    isLate: row.is_late === 1,
    state: stateOf(row.state),
    attempts: row.attempts,
    error: row.error,
    couldNotLook: row.could_not_look,
    nextAt: row.state === 'due' ? row.claimable_at : null,
    messages: Object.freeze(parts.map(messageOf)),
    cursor: `${row.due_at}.${row.subscription_id}.${row.slot}`,
  });
}
