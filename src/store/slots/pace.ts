/** Slack takes about one message a second from a workspace, whichever process sends it: they take turns here, and wait for each other. */
import { type Kysely, sql } from 'kysely';
import type { Engine } from '../engine.ts';
import type { Turn, TurnOptions } from '../ledger.ts';
import type { Tables } from '../tables.ts';

type Wait = { readonly wait_ms: number };

/** A turn further ahead was given by a clock that has been set back since. */
const aheadMsMax = 60_000;

/** @returns a turn that is soon enough, or a moment at which to come back that nobody else was given */
export async function takeTurn(
  db: Kysely<Tables>,
  engine: Engine,
  teamId: string,
  { everyMs, withinMs }: TurnOptions,
): Promise<Turn> {
  const every = sql.lit(everyMs);
  const asked = sql`(excluded.free_at - ${every})`;
  const ahead = (fromMs: number) =>
    sql`pace.free_at between ${asked} + ${sql.lit(fromMs)} and ${asked} + ${sql.lit(aheadMsMax)}`;
  const taken = await sql<Wait>`
    insert into pace (team_id, free_at) values (${teamId}, ${engine.now()} + ${every})
    on conflict (team_id) do update set free_at = case when ${ahead(0)} then pace.free_at else ${asked} end + ${every}
    where pace.held_until <= ${asked} and not ${ahead(withinMs + 1)}
    returning free_at - ${every} - ${engine.now()} as wait_ms`.execute(db);
  if (taken.rows[0]) return { isTaken: true, waitMs: Math.max(0, taken.rows[0].wait_ms) };
  const back = await sql<Wait>`
    update pace set back_at = case
      when back_at + ${every} > free_at and back_at + ${every} > held_until then back_at + ${every}
      when free_at > held_until then free_at
      else held_until end
    where team_id = ${teamId} returning back_at - ${engine.now()} as wait_ms`.execute(db);
  return { isTaken: false, waitMs: Math.max(0, back.rows[0]?.wait_ms ?? 0) };
}

/** Slack said to come back later. */
export async function holdOff(db: Kysely<Tables>, engine: Engine, teamId: string, forMs: number): Promise<void> {
  const until = sql`${engine.now()} + cast(${Math.ceil(forMs)} as bigint)`;
  await sql`
    insert into pace (team_id, free_at, held_until) values (${teamId}, 0, ${until})
    on conflict (team_id) do update set held_until = excluded.held_until where pace.held_until < excluded.held_until`.execute(
    db,
  );
}
