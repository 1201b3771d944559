/** Claims occurrences in one statement, so that each goes to one process. Their messages and subscriptions are read in bulk. */
import { type Kysely, sql } from 'kysely';
import type { Subscription } from '../../domain/subscription.ts';
import type { Dialect } from '../dialect.ts';
import { subscriptionOf } from '../repositories/subscriptions.ts';
import type { Tables } from '../tables/tables.ts';
import type { ClaimedOccurrence, ClaimOptions, MissedOccurrence } from './delivery.ts';
import { createOccurrenceLease } from './lease.ts';
import {
  type DeliveryRow,
  isInstalled,
  isReporting,
  keyIn,
  keyOf,
  type MessageRow,
  messageOf,
  messagesOf,
  tuples,
  windowOf,
} from './rows.ts';

export function createClaim(db: Kysely<Tables>, dialect: Dialect) {
  /**
   * Claims round robin over workspaces, starting with the ones that have waited longest, and within each the occurrence
   * that is longest due.
   */
  return async (options: ClaimOptions): Promise<readonly ClaimedOccurrence[]> => {
    const rows = (await take(db, dialect, options)).sort((a, b) => a.due_at - b.due_at);
    const subscriptions = await subscriptionsOf(db, rows);
    // An occurrence without a payload has no messages yet.
    const built = rows.filter(({ payload }) => payload !== null);
    const messages = await messagesOf(db, built);
    const missed = await missedOf(db, rows);
    const claimed = rows.map((row) => {
      const subscription = subscriptions.get(ownerOf(row));
      const details = { messages: messages(row), missed: missed(row) };
      return subscription && claimedOccurrence(db, dialect, { row, subscription, ...details });
    });
    return Object.freeze(claimed.filter((one) => one !== undefined));
  };
}

type ClaimedRow = DeliveryRow & { readonly claimed_at: number };

/** Number of candidates ranked for each occurrence wanted. */
const candidatesPerOccurrence = 10;

/**
 * Round robin over workspaces, among the occurrences that have waited longest. Every step takes few rows, however many are due
 * and however large the outbox is, because the server's statistics may be older than the rows. The comparison of the fence
 * excludes an occurrence that another process claimed meanwhile.
 */
async function take(db: Kysely<Tables>, dialect: Dialect, options: ClaimOptions): Promise<ClaimedRow[]> {
  const { max, leaseMs, perTeam, exceptTeams } = options;
  const now = dialect.now();
  const others = exceptTeams.length > 0 ? sql`and team_id not in (${sql.join(exceptTeams)})` : sql``;
  const { rows } = await sql<ClaimedRow>`
    with candidate as (
      select team_id, kind, subject, occurrence_id, due_at, fence from delivery
      where state = 'due' and claimable_at <= ${now} ${others} and ${isInstalled('delivery.team_id')}
      order by claimable_at limit ${sql.lit(max * candidatesPerOccurrence)}
    ), ranked as (
      select candidate.*,
        row_number() over (partition by team_id order by due_at, subject, occurrence_id) as rank
      from candidate
    ), selected as (
      select * from ranked where rank <= ${sql.lit(perTeam)} order by rank, due_at limit ${sql.lit(max * 2)}
    ), locked as materialized (
      select ${keyIn('delivery')}
      from selected join delivery on (${keyIn('delivery')}) = (${keyIn('selected')}) and delivery.fence = selected.fence
      order by selected.rank, selected.due_at limit ${sql.lit(max)} ${dialect.forUpdateSkipLocked('delivery')}
    )
    update delivery set fence = fence + 1, claimable_at = ${now} + ${sql.lit(leaseMs)}
    where (team_id, kind, subject, occurrence_id) in (select * from locked)
    returning *, ${now} as claimed_at`.execute(db);
  return rows;
}

function claimedOccurrence(
  db: Kysely<Tables>,
  dialect: Dialect,
  claimed: {
    readonly row: ClaimedRow;
    readonly subscription: Subscription;
    readonly messages: readonly MessageRow[];
    readonly missed: readonly MissedOccurrence[];
  },
): ClaimedOccurrence {
  const { row, subscription, messages, missed } = claimed;
  const { team_id, kind, subject, occurrence_id, fence } = row;
  return Object.freeze({
    key: keyOf(row),
    channelId: row.channel_id,
    subscription: Object.freeze({ ...subscription, channelId: row.channel_id }),
    onUncertain: subscription.onUncertain,
    fencingToken: fence,
    claimedAt: row.claimed_at,
    dueAt: row.due_at,
    window: windowOf(row),
    isLate: row.is_late === 1,
    attempts: row.attempts,
    error: row.error,
    payload: row.payload,
    messages: Object.freeze(messages.map(messageOf)),
    files: [],
    missed,
    lease: createOccurrenceLease(db, dialect, { team_id, kind, subject, occurrence_id, fence }, missed),
  });
}

type Owner = Pick<DeliveryRow, 'team_id' | 'subject'>;

function ownerOf({ team_id, subject }: Owner): string {
  return `${team_id} ${subject}`;
}

function ownersOf(rows: readonly Owner[]) {
  return tuples(rows.map(({ team_id, subject }) => [team_id, subject]));
}

/**
 * Includes removed subscriptions, whose started occurrences are finished. Excludes one in a form that this version does not
 * know: the occurrence waits for the end of its lease.
 */
async function subscriptionsOf(
  db: Kysely<Tables>,
  occurrences: readonly DeliveryRow[],
): Promise<Map<string, Subscription>> {
  if (occurrences.length === 0) return new Map();
  const isOwner = sql<boolean>`(team_id, id) in ${ownersOf(occurrences)}`;
  const rows = await db.selectFrom('subscription').selectAll().where(isOwner).execute();
  return new Map(
    rows.flatMap((row) => {
      try {
        return [[ownerOf({ team_id: row.team_id, subject: row.id }), subscriptionOf(row)]];
      } catch {
        return [];
      }
    }),
  );
}

/** @returns the missed occurrences that no posted or due digest reports */
async function missedOf(
  db: Kysely<Tables>,
  occurrences: readonly DeliveryRow[],
): Promise<(occurrence: DeliveryRow) => readonly MissedOccurrence[]> {
  if (occurrences.length === 0) return () => [];
  const { rows } = await sql<Owner & Pick<DeliveryRow, 'occurrence_id' | 'due_at'>>`
    select missed.team_id, missed.subject, missed.occurrence_id, missed.due_at
    from delivery as missed left join delivery as reporter
      on reporter.team_id = missed.team_id and reporter.kind = 'digest' and reporter.subject = missed.subject
        and reporter.occurrence_id = missed.reported_in and ${isReporting('reporter')}
    where missed.state = 'missed' and reporter.occurrence_id is null
      and (missed.team_id, missed.subject) in ${ownersOf(occurrences)}
    order by missed.due_at`.execute(db);
  const byOwner = Map.groupBy(rows, ownerOf);
  return (occurrence) => {
    const missed = byOwner.get(ownerOf(occurrence)) ?? [];
    return Object.freeze(
      missed.map(({ occurrence_id, due_at }) => Object.freeze({ occurrenceId: occurrence_id, dueAt: due_at })),
    );
  };
}
