/** Rate limiter for posts: about one message a second per workspace, shared by all processes through the database. */
import { type Kysely, sql } from 'kysely';
import type { Dialect } from '../dialect.ts';
import type { Tables } from '../tables.ts';

export type AcquireOptions = {
  /** Time between two messages. */
  readonly everyMs: number;
  /** Longest wait for a permit. If it would be longer, there is no permit. */
  readonly withinMs: number;
};

/** `waitMs`: how long the caller waits before it uses the permit or, if it got none, before it tries again. */
export type Permit = { readonly isAcquired: boolean; readonly waitMs: number };

type Wait = { readonly waitMs: number };

/** Limits for a stored permit and a stored backoff. A later time was written before the clock was set back, and is ignored. */
const [aheadMsMax, backoffMsMax] = [60_000, 3_600_000];

export type PostPermits = ReturnType<typeof createPostPermits>;

export function createPostPermits(db: Kysely<Tables>, dialect: Dialect) {
  return {
    /** @returns a permit to send one message to a workspace; without a permit, a time to try again that no other caller got */
    async acquire(teamId: string, { everyMs, withinMs }: AcquireOptions): Promise<Permit> {
      const every = sql.lit(everyMs);
      const now = sql`(excluded.free_at - ${every})`;
      const isAhead = (at: string, fromMs: number, toMs: number) =>
        sql`${sql.ref(`send_rate.${at}`)} between ${now} + ${sql.lit(fromMs)} and ${now} + ${sql.lit(toMs)}`;
      const taken = await sql<Wait>`
        insert into send_rate (team_id, free_at) values (${teamId}, ${dialect.now()} + ${every})
        on conflict (team_id) do update set
          free_at = case when ${isAhead('free_at', 0, aheadMsMax)} then send_rate.free_at else ${now} end + ${every},
          retry_at = case when send_rate.free_at > ${now} + ${sql.lit(aheadMsMax)} then 0 else send_rate.retry_at end
        where not ${isAhead('backoff_until', 1, backoffMsMax)} and not ${isAhead('free_at', withinMs + 1, aheadMsMax)}
        returning free_at - ${every} - ${dialect.now()} as wait_ms`.execute(db);
      if (taken.rows[0]) return { isAcquired: true, waitMs: Math.max(0, taken.rows[0].waitMs) };
      const refused = await refuse(db, dialect, teamId, everyMs);
      return { isAcquired: false, waitMs: Math.max(0, refused.rows[0]?.waitMs ?? 0) };
    },
    /** For a message that a person waits for: it waits only for the end of a backoff. */
    async acquireUrgent(teamId: string): Promise<Permit> {
      const waitMs = sql`backoff_until - ${dialect.now()}`;
      const { rows } = await sql<Wait>`
        select ${waitMs} as wait_ms from send_rate
        where team_id = ${teamId} and ${waitMs} between 1 and ${sql.lit(backoffMsMax)}`.execute(db);
      return { isAcquired: rows.length === 0, waitMs: rows[0]?.waitMs ?? 0 };
    },
    /** After Slack's 429, no process gets a permit for this long. */
    async backOff(teamId: string, forMs: number): Promise<void> {
      const until = sql`${dialect.now()} + cast(${Math.ceil(forMs)} as bigint)`;
      await sql`
        insert into send_rate (team_id, free_at, backoff_until) values (${teamId}, 0, ${until})
        on conflict (team_id) do update set backoff_until = excluded.backoff_until
        where send_rate.backoff_until < excluded.backoff_until`.execute(db);
    },
  };
}

/** Gives each refused caller its own time to try again. */
function refuse(db: Kysely<Tables>, dialect: Dialect, teamId: string, everyMs: number) {
  const every = sql.lit(everyMs);
  const isPlausible = sql`backoff_until <= ${dialect.now()} + ${sql.lit(backoffMsMax)}`;
  const backoffUntil = sql`case when ${isPlausible} then backoff_until else 0 end`;
  return sql<Wait>`
    update send_rate set retry_at = case
      when retry_at + ${every} > free_at and retry_at + ${every} > ${backoffUntil} then retry_at + ${every}
      when free_at > ${backoffUntil} then free_at
      else ${backoffUntil} end
    where team_id = ${teamId} returning retry_at - ${dialect.now()} as wait_ms`.execute(db);
}
