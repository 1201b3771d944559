/** When there is something to do. */
import { type Kysely, sql } from 'kysely';
import type { Tables } from '../tables.ts';
import { isInstalled } from './rows.ts';

/** @returns epoch milliseconds; null where nothing is planned */
export async function nextAt(db: Kysely<Tables>): Promise<number | null> {
  const { rows } = await sql<{ readonly at: number | null }>`
    select min(at) as at from (
      select min(next_at) as at from subscription where ${isInstalled('subscription.team_id')}
      union all
      select min(case when lease_until > not_before then lease_until else not_before end) from slot
      where state = 'due' and ${isInstalled('slot.team_id')}
      union all
      select min(sweep_at) from slot_part where sweep_at is not null and ${isInstalled('slot_part.team_id')}
    ) as moments`.execute(db);
  return rows[0]?.at ?? null;
}
