/** When there is something to do. */
import { type Kysely, sql } from 'kysely';
import type { Tables } from '../tables.ts';
import { isInstalled } from './rows.ts';

/** @returns epoch milliseconds; null where nothing is planned */
export async function nextAt(db: Kysely<Tables>): Promise<number | null> {
  const { rows } = await sql<{ readonly at: number | null }>`
    select min(at) as at from (
      select * from (select next_at as at from subscription
        where next_at is not null and ${isInstalled('subscription.team_id')} order by next_at limit 1) as planned
      union all
      select * from (select claimable_at from slot
        where state = 'due' and ${isInstalled('slot.team_id')} order by claimable_at limit 1) as claimable
      union all
      select * from (select sweep_at from slot_part
        where sweep_at is not null and ${isInstalled('slot_part.team_id')} order by sweep_at limit 1) as sweepable
    ) as moments`.execute(db);
  return rows[0]?.at ?? null;
}
