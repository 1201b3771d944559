/** When there is something to do. */
import { type Kysely, sql } from 'kysely';
import type { Dialect } from '../dialect.ts';
import type { Tables } from '../tables/tables.ts';
import { isInstalled } from './rows.ts';

/** What there is to do. Epoch milliseconds. */
export type NextDueTimes = {
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

export async function nextDueTimes(db: Kysely<Tables>, engine: Dialect): Promise<NextDueTimes> {
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
