/** What a slot posts is kept once, with its parts and with whom it tells of, all or nothing. */
import { type Kysely, sql, type Transaction } from 'kysely';
import type { Dialect } from '../dialect.ts';
import type { Tables } from '../tables/tables.ts';
import type { MissedOccurrence, OutboxMessage } from './occurrence.ts';
import { isTelling, type LeaseColumns, type OccurrenceColumns } from './rows.ts';
import { updateWithLease } from './update-held.ts';

export type Made = {
  readonly payload: string;
  readonly couldNotLook: string | null;
  /** In the order of sending. */
  readonly parts: readonly Pick<OutboxMessage, 'name' | 'opaqueId'>[];
  /** Of which it tells. */
  readonly missed: readonly MissedOccurrence[];
};

type Step = Transaction<Tables>;

/** @returns false where it is another's, something was kept before, or another digest tells of the missed ones by now */
export async function savePayload(
  db: Kysely<Tables>,
  engine: Dialect,
  columns: LeaseColumns,
  made: Made,
): Promise<boolean> {
  if (engine.hasWritableCte && made.missed.length === 0) return saveAtOnce(db, columns, made);
  const refused = new Error('refused');
  try {
    return await db.transaction().execute(async (step) => {
      if (await saveStepByStep(step, columns, made)) return true;
      throw refused;
    });
  } catch (error) {
    if (error === refused) return false;
    throw error;
  }
}

async function saveAtOnce(
  db: Kysely<Tables>,
  { team_id, subscription_id, slot, fence }: LeaseColumns,
  { payload, couldNotLook, parts }: Made,
): Promise<boolean> {
  const [names, opaqueIds] = [parts.map(({ name }) => name), parts.map(({ opaqueId }) => opaqueId)];
  const { rows } = await sql`
    with made as (
      update slot set payload = ${payload}, could_not_look = ${couldNotLook}
      where team_id = ${team_id} and subscription_id = ${subscription_id} and slot = ${slot} and fence = ${fence}
        and payload is null
      returning team_id, subscription_id, slot
    ), waiting as (
      insert into slot_part (team_id, subscription_id, slot, name, place, opaque_id, state)
      select made.*, part.name, part.place - 1, part.opaque_id, 'waiting'
      from made, unnest(${names}::text[], ${opaqueIds}::text[]) with ordinality as part (name, opaque_id, place)
    )
    select 1 from made`.execute(db);
  return rows.length === 1;
}

async function saveStepByStep(
  step: Step,
  { fence, ...columns }: LeaseColumns,
  { payload, couldNotLook, parts, missed }: Made,
): Promise<boolean> {
  const values = { payload, could_not_look: couldNotLook };
  if (!(await updateWithLease(step, { ...columns, fence }, values, sql<boolean>`payload is null`))) return false;
  const rows = parts.map(({ name, opaqueId }, place) => {
    return { ...columns, name, place, opaque_id: opaqueId, state: 'waiting' };
  });
  if (rows.length > 0) await step.insertInto('slot_part').values(rows).execute();
  return tell(step, columns, missed);
}

/** @returns false where another digest of the subscription tells of them by now */
async function tell(
  step: Step,
  { slot: told_in, ...mine }: OccurrenceColumns,
  missed: readonly MissedOccurrence[],
): Promise<boolean> {
  if (missed.length === 0) return true;
  const slots = missed.map(({ occurrenceId: slot }) => slot);
  const free = sql<boolean>`(told_in is null or not exists (
    select 1 from slot as teller where teller.team_id = ${mine.team_id}
      and teller.subscription_id = ${mine.subscription_id} and teller.slot = slot.told_in and ${isTelling('teller')}))`;
  const untold = step
    .updateTable('slot')
    .where((is) => is.and(mine))
    .where('slot', 'in', slots)
    .where(free);
  return Number((await untold.set({ told_in }).executeTakeFirst()).numUpdatedRows) === missed.length;
}
