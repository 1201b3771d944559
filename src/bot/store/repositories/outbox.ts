/** Repository of the outbox: due occurrences, their leases and messages. All times are the database's clock. */
import { type Kysely, sql } from 'kysely';
import { AppError } from '../../../shared/errors.ts';
import type { Dialect } from '../dialect.ts';
import { claim } from '../outbox/claim.ts';
import type {
  ClaimedOccurrence,
  ClaimOptions,
  DuplicateCheck,
  NewOccurrence,
  OccurrenceKey,
  OutboxEntry,
  PlanOccurrences,
} from '../outbox/occurrence.ts';
import { addOccurrence, nowOf, plan } from '../outbox/plan.ts';
import { type AcquireOptions, acquire, backOff, type Permit } from '../outbox/rate-limiter.ts';
import {
  columnsOf,
  isInstalled,
  keyOf,
  type MessageRow,
  messageOf,
  messagesOf,
  type OccurrenceRow,
  stateOf,
} from '../outbox/rows.ts';
import type { Tables } from '../tables/tables.ts';

export type Outbox = {
  /** The clock of all occurrences: the database's. @returns epoch milliseconds */
  now(): Promise<number>;
  /**
   * Plans up to `max` due subscriptions, longest due first, grouped by workspace. Concurrent processes plan different ones.
   * @param planOf returns the new occurrences and the next due time; if it throws, the other subscriptions are planned anyway
   * @returns how many were planned @throws the first error of `planOf`
   */
  plan(max: number, planOf: PlanOccurrences): Promise<number>;
  /** Adds an occurrence that a person asked for. @returns false if it exists, or there is no such subscription */
  add(teamId: string, subscriptionId: string, slot: NewOccurrence): Promise<boolean>;
  /** Claims round robin over workspaces, longest due first within each, from those that have waited longest. */
  claim(options: ClaimOptions): Promise<readonly ClaimedOccurrence[]>;
  /** Acquires a permit to send one message to a workspace, one at a time over all processes; else says when to try again. */
  acquire(teamId: string, options: AcquireOptions): Promise<Permit>;
  /** After Slack's 429: no process gets a permit for this long. */
  backOff(teamId: string, forMs: number): Promise<void>;
  /** Claims messages that took more than one attempt, 2 and 10 minutes after they ended. They are claimed again if `recordDuplicateCheck` does not follow. */
  claimDuplicateChecks(max: number): Promise<readonly DuplicateCheck[]>;
  /** @param looks as claimed: the same check counts once, however long it took */
  recordDuplicateCheck(key: OccurrenceKey, part: string, looks: number): Promise<void>;
  nextDueTimes(): Promise<NextDueTimes>;
  /** Newest first. @param before the cursor of the last entry of the page before */
  page(teamId: string, count: number, before?: string): Promise<readonly OutboxEntry[]>;
};

export function createOutbox(db: Kysely<Tables>, engine: Dialect): Outbox {
  return {
    now: () => nowOf(db, engine),
    plan: (max, planOf) => plan(db, engine, max, planOf),
    add: (teamId, subscriptionId, slot) => addOccurrence(db, engine, { teamId, subscriptionId }, slot),
    claim: (options) => claim(db, engine, options),
    acquire: (teamId, options) => acquire(db, engine, teamId, options),
    backOff: (teamId, forMs) => backOff(db, engine, teamId, forMs),
    claimDuplicateChecks: (max) => claimDuplicateChecks(db, engine, max),
    recordDuplicateCheck: (key, part, looks) => recordDuplicateCheck(db, engine, key, part, looks),
    nextDueTimes: () => nextDueTimes(db, engine),
    page: (teamId, count, before) => page(db, teamId, count, before),
  };
}

/** When the next work is due. Epoch milliseconds. */
type NextDueTimes = {
  readonly now: number;
  /** In the past if work is overdue; Infinity if nothing is planned. */
  readonly nextAt: number;
  /** Whether a subscription waits to be planned. */
  readonly isPlanDue: boolean;
};

type Moments = {
  readonly now: number;
  readonly plan_at: number | null;
  readonly claim_at: number | null;
  readonly sweep_at: number | null;
};

async function nextDueTimes(db: Kysely<Tables>, engine: Dialect): Promise<NextDueTimes> {
  const { rows } = await sql<Moments>`
    select ${engine.now()} as now,
      (select next_at from subscription
        where next_at is not null and ${isInstalled('subscription.team_id')} order by next_at limit 1) as plan_at,
      (select claimable_at from slot
        where state = 'due' and ${isInstalled('slot.team_id')} order by claimable_at limit 1) as claim_at,
      (select sweep_at from slot_part
        where sweep_at is not null and ${isInstalled('slot_part.team_id')} order by sweep_at limit 1) as sweep_at`.execute(
    db,
  );
  const { now = 0, plan_at = null, claim_at = null, sweep_at = null } = rows[0] ?? {};
  const nextAt = Math.min(...[plan_at, claim_at, sweep_at].map((at) => at ?? Number.POSITIVE_INFINITY));
  return { now, nextAt, isPlanDue: plan_at !== null && plan_at <= now };
}

/** @throws AppError `usage` for a cursor that is none */
async function page(
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
    checkError: row.could_not_look,
    nextAt: row.state === 'due' ? row.claimable_at : null,
    messages: Object.freeze(parts.map(messageOf)),
    cursor: `${row.due_at}.${row.subscription_id}.${row.slot}`,
  });
}

/** From the first look to the last, when whatever shows late has shown. */
const secondSweepMs = 480_000;
/** While somebody looks, nobody else does. */
const lookMs = 60_000;

type Row = MessageRow & { readonly channel_id: string; readonly root_ts: string | null };

async function claimDuplicateChecks(
  db: Kysely<Tables>,
  engine: Dialect,
  max: number,
): Promise<readonly DuplicateCheck[]> {
  const now = engine.now();
  const key = sql.raw('team_id, subscription_id, slot, name');
  const { rows } = await sql<Row>`
    with taken as materialized (
      select ${key} from slot_part where sweep_at <= ${now} and ${isInstalled('slot_part.team_id')}
      order by sweep_at limit ${sql.lit(max)} ${engine.forUpdateSkipLocked('slot_part')}
    )
    update slot_part set sweep_at = ${now} + ${sql.lit(lookMs)} where (${key}) in (select ${key} from taken)
    returning *,
      (select slot.channel_id from slot where slot.team_id = slot_part.team_id
        and slot.subscription_id = slot_part.subscription_id and slot.slot = slot_part.slot) as channel_id,
      (select root.ts from slot_part as root where root.team_id = slot_part.team_id
        and root.subscription_id = slot_part.subscription_id and root.slot = slot_part.slot and root.name = 'root') as root_ts`.execute(
    db,
  );
  return Object.freeze(
    rows.map((row) =>
      Object.freeze({
        key: keyOf(row),
        channelId: row.channel_id,
        rootTs: row.root_ts,
        message: messageOf(row),
        checksDone: row.sweeps,
      }),
    ),
  );
}

async function recordDuplicateCheck(
  db: Kysely<Tables>,
  engine: Dialect,
  key: OccurrenceKey,
  part: string,
  looks: number,
): Promise<void> {
  const next = sql<number | null>`case when sweeps = 0 then ${engine.now()} + ${sql.lit(secondSweepMs)} end`;
  await db
    .updateTable('slot_part')
    .where((is) => is.and({ ...columnsOf(key), name: part, sweeps: looks }))
    .where('sweep_at', 'is not', null)
    .set((is) => ({ sweep_at: next, sweeps: is('sweeps', '+', 1) }))
    .execute();
}
