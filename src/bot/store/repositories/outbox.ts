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
  /** The only clock of slots. @returns epoch milliseconds */
  now(): Promise<number>;
  /**
   * Takes up to `max` subscriptions that are due, the longest due first and those of a workspace together; several
   * processes take different ones.
   * @param planOf which slots come into being, and what it is due at next; where it throws, the others are planned all the same
   * @returns how many were planned @throws the first that `planOf` threw
   */
  plan(max: number, planOf: PlanOccurrences): Promise<number>;
  /** A slot that a person asked for. @returns false where there is one of that name, or no such subscription */
  add(teamId: string, subscriptionId: string, slot: NewOccurrence): Promise<boolean>;
  /** Workspaces in turn, of each the longest due first; whose turn it is is seen among those that have waited longest. */
  claim(options: ClaimOptions): Promise<readonly ClaimedOccurrence[]>;
  /** For one message to a workspace: of all processes together it gets one at a time. Whoever gets none is told a moment of its own. */
  acquire(teamId: string, options: AcquireOptions): Promise<Permit>;
  /** Slack said to come back later: nobody gets a turn before. */
  backOff(teamId: string, forMs: number): Promise<void>;
  /** Parts that were sent or given up after more than one attempt, 2 and 10 minutes later; others get them only where `swept` does not follow. */
  claimDuplicateChecks(max: number): Promise<readonly DuplicateCheck[]>;
  /** @param looks as it came: the same look counts once, however long it took */
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

/** What there is to do. Epoch milliseconds. */
type NextDueTimes = {
  readonly now: number;
  /** Over already where nobody has done it; Infinity: nothing is planned. */
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
    couldNotLook: row.could_not_look,
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
