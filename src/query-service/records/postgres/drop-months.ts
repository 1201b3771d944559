/** Drops whole months of executions that are older than the retention time. */
import { type Kysely, sql, type Transaction } from 'kysely';
import { dayMs, hourMs } from '../reads/periods.ts';
import { executionStatuses } from '../reads/read-counts.ts';
import { countedOfExecution, createChanges } from '../tables/roll-up.ts';
import type { Tables } from '../tables/tables.ts';
import { findMonths, type Month, monthAfter, monthLockClass, newestMonth } from './months.ts';
import { renewRevisions } from './revisions.ts';
import { addCounts, withOrganizationLock } from './writer.ts';

const dropLock = 2;

/**
 * A month is detached, then taken out of the roll-up, then dropped. Each step can be repeated, and begins from what the
 * database shows, so the next run finishes what a killed process left.
 * @returns the number of executions that are gone; 0 while another process does this
 */
export async function dropMonthsBefore(db: Kysely<Tables>, instant: number): Promise<number> {
  return db.transaction().execute(async (leader) => {
    const { rows } = await sql<{ readonly isLeader: boolean }>`
      select pg_try_advisory_xact_lock(${sql.lit(monthLockClass)}, ${sql.lit(dropLock)}) as "isLeader"`.execute(leader);
    if (!rows[0]?.isLeader) return 0;
    // Detaching waits for older reads, among them exports, and this connection only holds the lock.
    await sql`set local idle_in_transaction_session_timeout = 0`.execute(leader);
    await detachBefore(db, instant);
    const detached = (await findMonths(db)).filter(({ state }) => state === 'detached');
    let executions = 0;
    for (const month of new Set(detached.map((one) => one.month))) executions += await takeOutOfCounts(db, month);
    for (const { name } of detached) await sql`drop table ${sql.table(name)}`.execute(db);
    return executions;
  });
}

async function detachBefore(db: Kysely<Tables>, instant: number): Promise<void> {
  for (const month of await findMonths(db)) {
    const [parent, child] = [sql.table(month.table), sql.table(month.name)];
    if (month.state === 'detaching') await sql`alter table ${parent} detach partition ${child} finalize`.execute(db);
    else if (month.state === 'attached' && monthAfter(month.month) <= instant && !(await isNewest(db, month)))
      await sql`alter table ${parent} detach partition ${child} concurrently`.execute(db);
  }
}

/** The view of the newest month keeps its table; its rows are deleted one by one. */
async function isNewest(db: Kysely<Tables>, { name, table }: Month): Promise<boolean> {
  return (await newestMonth(db))?.replace('execution', table) === name;
}

/** Makes the roll-up of a month what its rows are. Usually there are none; an import may have made the month again. */
async function takeOutOfCounts(db: Kysely<Tables>, month: number): Promise<number> {
  const owned = await db.selectFrom('workflow').select('organization_id').distinct().execute();
  let executions = 0;
  for (const { organization_id: id } of owned) {
    executions += await withOrganizationLock(db, [id], async (transaction) => {
      const gone = await dropCounts(transaction, id, month);
      if (gone === 0) return 0;
      const left = await countAgain(transaction, id, month);
      await renewRevisions(transaction, [id]);
      return gone - left;
    });
  }
  return executions;
}

/** @returns the number of executions that the month counted */
async function dropCounts(transaction: Transaction<Tables>, organizationId: string, month: number): Promise<number> {
  const { rows } = await sql<{ readonly executions: number }>`
    with gone as (
      delete from execution_count where organization_id = ${organizationId}
        and period_ms in (${sql.lit(dayMs)}, ${sql.lit(hourMs)})
        and period_start >= ${month} and period_start < ${monthAfter(month)} returning *
    ), lost as (
      select workflow_uuid, status, sum(executions) as executions, sum(credit_micros) as credit_micros,
        sum(credited) as credited, sum(tee) as tee, sum(non_tee) as non_tee
      from gone where period_ms = ${sql.lit(dayMs)} group by workflow_uuid, status
    ), changed as (
      update execution_count as c set executions = c.executions - lost.executions,
        credit_micros = c.credit_micros - lost.credit_micros, credited = c.credited - lost.credited,
        tee = c.tee - lost.tee, non_tee = c.non_tee - lost.non_tee
      from lost where c.organization_id = ${organizationId} and c.workflow_uuid = lost.workflow_uuid
        and c.status = lost.status and c.period_ms = 0
    )
    select cast(coalesce(sum(executions), 0) as bigint) as executions from lost where workflow_uuid <> ''`.execute(
    transaction,
  );
  await sql`delete from execution_count where organization_id = ${organizationId} and period_ms = 0
    and executions = 0`.execute(transaction);
  return rows[0]?.executions ?? 0;
}

/** @returns the number of executions that the month has now */
async function countAgain(transaction: Transaction<Tables>, organizationId: string, month: number): Promise<number> {
  const rows = await transaction
    .selectFrom('execution')
    .select(countedOfExecution)
    .where('organization_id', '=', organizationId)
    .where('status', 'in', executionStatuses)
    .where('started_at', '>=', month)
    .where('started_at', '<', monthAfter(month))
    .execute();
  const changes = createChanges();
  for (const row of rows) changes.count(row, 1);
  await addCounts(transaction, changes);
  return rows.length;
}
