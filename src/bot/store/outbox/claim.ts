/** Claims occurrences in one statement, so that each goes to one process. Their messages and subscriptions are read in bulk. */
import { type Kysely, sql } from 'kysely';
import type { Subscription } from '../../domain/subscription.ts';
import type { Dialect } from '../dialect.ts';
import { subscriptionOf } from '../repositories/subscriptions.ts';
import type { Tables } from '../tables.ts';
import type { ClaimedOccurrence, ClaimOptions, MissedOccurrence } from './delivery.ts';
import { StoredLease } from './lease.ts';
import { type DeliveryRow, isInstalled, isReporting, keyIn, keyOf, messagesOf, tuples, windowOf } from './rows.ts';

/**
 * Claims round robin over workspaces, starting with the ones that have waited longest, and within each the occurrence
 * that is longest due.
 */
export async function claim(
  db: Kysely<Tables>,
  dialect: Dialect,
  options: ClaimOptions,
): Promise<readonly ClaimedOccurrence[]> {
  const rows = (await take(db, dialect, options)).sort((a, b) => a.dueAt - b.dueAt);
  const subscriptions = await subscriptionsOf(db, rows);
  // An occurrence without a payload has no messages yet.
  const built = rows.filter(({ payload }) => payload !== null);
  const messages = await messagesOf(db, built);
  const missedOf = await readMissed(db, rows);
  return rows.flatMap((row): readonly ClaimedOccurrence[] => {
    const subscription = subscriptions.get(ownerOf(row));
    if (!subscription) return [];
    const { channelId, fence, claimedAt, dueAt, attempts, error, payload } = row;
    const missed = missedOf(row);
    const claimed: ClaimedOccurrence = {
      key: keyOf(row),
      channelId,
      subscription: { ...subscription, channelId },
      onUncertain: subscription.onUncertain,
      fencingToken: fence,
      claimedAt,
      dueAt,
      window: windowOf(row),
      isLate: row.isLate === 1,
      attempts,
      error,
      payload,
      messages: messages(row),
      files: [],
      missed,
      lease: new StoredLease(db, dialect, row, missed),
    };
    return [claimed];
  });
}

type ClaimedRow = DeliveryRow & { readonly claimedAt: number };

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

type Owner = Pick<DeliveryRow, 'teamId' | 'subject'>;

function ownerOf({ teamId, subject }: Owner): string {
  return `${teamId} ${subject}`;
}

function ownersOf(rows: readonly Owner[]) {
  return tuples(rows.map(({ teamId, subject }) => [teamId, subject]));
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
        return [[ownerOf({ teamId: row.teamId, subject: row.id }), subscriptionOf(row)]];
      } catch {
        return [];
      }
    }),
  );
}

/** @returns the missed occurrences that no posted or due digest reports */
async function readMissed(
  db: Kysely<Tables>,
  occurrences: readonly DeliveryRow[],
): Promise<(occurrence: DeliveryRow) => readonly MissedOccurrence[]> {
  if (occurrences.length === 0) return () => [];
  const { rows } = await sql<Owner & MissedOccurrence>`
    select missed.team_id, missed.subject, missed.occurrence_id, missed.due_at
    from delivery as missed left join delivery as reporter
      on reporter.team_id = missed.team_id and reporter.kind = 'digest' and reporter.subject = missed.subject
        and reporter.occurrence_id = missed.reported_in and ${isReporting('reporter')}
    where missed.state = 'missed' and reporter.occurrence_id is null
      and (missed.team_id, missed.subject) in ${ownersOf(occurrences)}
    order by missed.due_at`.execute(db);
  const byOwner = Map.groupBy(rows, ownerOf);
  return (occurrence) =>
    (byOwner.get(ownerOf(occurrence)) ?? []).map(({ occurrenceId, dueAt }) => ({ occurrenceId, dueAt }));
}
