/** Which messages may stand twice, and are looked for after a while. */
import { type Kysely, sql } from 'kysely';
import type { Dialect } from '../dialect.ts';
import type { Tables } from '../tables/tables.ts';
import type { DuplicateCheck, OccurrenceKey } from './occurrence.ts';
import { columnsOf, isInstalled, keyOf, type MessageRow, messageOf } from './rows.ts';

/** From the first look to the last, when whatever shows late has shown. */
const secondSweepMs = 480_000;
/** While somebody looks, nobody else does. */
const lookMs = 60_000;

type Row = MessageRow & { readonly channel_id: string; readonly root_ts: string | null };

export async function claimDuplicateChecks(
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

export async function recordDuplicateCheck(
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
