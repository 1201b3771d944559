/** Rate limiter for posts: about one message a second per workspace, shared by all processes through the database. */
import { type Kysely, sql } from 'kysely';
import type { Dialect } from '../dialect.ts';
import type { Tables } from '../tables/tables.ts';

export type AcquireOptions = {
  /** Between two messages. */
  readonly everyMs: number;
  /** A turn that is further away is not taken. */
  readonly withinMs: number;
};

/** `waitMs`: until the turn, for which the caller waits; where it was not taken, how long to stay away. */
export type Permit = { readonly isAcquired: boolean; readonly waitMs: number };

type Wait = { readonly wait_ms: number };

/** What lies further ahead was written by a clock that has been set back since: a turn, and the longest that Slack is left alone. */
const [aheadMsMax, heldMsMax] = [60_000, 3_600_000];

/** @returns a turn that is soon enough, or a moment at which to come back that nobody else was given */
export async function acquire(
  db: Kysely<Tables>,
  engine: Dialect,
  teamId: string,
  { everyMs, withinMs }: AcquireOptions,
): Promise<Permit> {
  const every = sql.lit(everyMs);
  const asked = sql`(excluded.free_at - ${every})`;
  const isAhead = (at: string, fromMs: number, toMs: number) =>
    sql`${sql.ref(`pace.${at}`)} between ${asked} + ${sql.lit(fromMs)} and ${asked} + ${sql.lit(toMs)}`;
  const taken = await sql<Wait>`
    insert into pace (team_id, free_at) values (${teamId}, ${engine.now()} + ${every})
    on conflict (team_id) do update set
      free_at = case when ${isAhead('free_at', 0, aheadMsMax)} then pace.free_at else ${asked} end + ${every},
      back_at = case when pace.free_at > ${asked} + ${sql.lit(aheadMsMax)} then 0 else pace.back_at end
    where not ${isAhead('held_until', 1, heldMsMax)} and not ${isAhead('free_at', withinMs + 1, aheadMsMax)}
    returning free_at - ${every} - ${engine.now()} as wait_ms`.execute(db);
  if (taken.rows[0]) return { isAcquired: true, waitMs: Math.max(0, taken.rows[0].wait_ms) };
  const heldUntil = sql`case when held_until > ${engine.now()} + ${sql.lit(heldMsMax)} then 0 else held_until end`;
  const back = await sql<Wait>`
    update pace set back_at = case
      when back_at + ${every} > free_at and back_at + ${every} > ${heldUntil} then back_at + ${every}
      when free_at > ${heldUntil} then free_at
      else ${heldUntil} end
    where team_id = ${teamId} returning back_at - ${engine.now()} as wait_ms`.execute(db);
  return { isAcquired: false, waitMs: Math.max(0, back.rows[0]?.wait_ms ?? 0) };
}

/** Slack said to come back later. */
export async function backOff(db: Kysely<Tables>, engine: Dialect, teamId: string, forMs: number): Promise<void> {
  const until = sql`${engine.now()} + cast(${Math.ceil(forMs)} as bigint)`;
  await sql`
    insert into pace (team_id, free_at, held_until) values (${teamId}, 0, ${until})
    on conflict (team_id) do update set held_until = excluded.held_until where pace.held_until < excluded.held_until`.execute(
    db,
  );
}
