/** The record of a move in the directory, which any process can continue. */
import { type Kysely, sql } from 'kysely';
import { AppError } from '../../../shared/errors.ts';
import type { Tables } from '../tables/tables.ts';
import { changeDirectory } from './changes.ts';
import { unknownOrganization } from './route.ts';

/**
 * `planned`: the new server may have rows of an earlier attempt. `copying`: it copies and follows. `switching`: the
 * organization's writes are refused. `switched`: the new server has the organization, the old one still has its rows.
 * `cancelling`: the new server's rows are being deleted.
 */
export type MoveStep = 'planned' | 'copying' | 'switching' | 'switched' | 'cancelling';

export type MoveRecord = { readonly from: string; readonly to: string; readonly step: MoveStep };

export async function findMove(directory: Kysely<Tables>, organizationId: string): Promise<MoveRecord | null> {
  const row = await directory
    .selectFrom('organization_move')
    .select(['from_server as from', 'to_server as to', 'step'])
    .where('organization_id', '=', organizationId)
    .executeTakeFirst();
  return row === undefined ? null : { ...row, step: row.step as MoveStep };
}

/** @returns the unfinished move, or a new one; null if the organization is on the server already */
export async function planMove(
  directory: Kysely<Tables>,
  organizationId: string,
  to: string,
): Promise<MoveRecord | null> {
  return changeDirectory(directory, async (transaction) => {
    const known = await findMove(transaction, organizationId);
    if (known !== null) return known;
    const row = await transaction
      .selectFrom('organization_server')
      .select('server')
      .where('organization_id', '=', organizationId)
      .executeTakeFirst();
    if (row === undefined) throw unknownOrganization(organizationId);
    if (row.server === to) return null;
    const step: MoveStep = 'planned';
    await transaction
      .insertInto('organization_move')
      .values({ organization_id: organizationId, from_server: row.server, to_server: to, step })
      .execute();
    return { from: row.server, to, step };
  });
}

/** @throws AppError `usage` if the move is in none of the steps before */
export async function setStep(
  directory: Kysely<Tables>,
  organizationId: string,
  before: readonly MoveStep[],
  step: MoveStep,
): Promise<void> {
  const { numUpdatedRows } = await directory
    .updateTable('organization_move')
    .set({ step })
    .where('organization_id', '=', organizationId)
    .where('step', 'in', before)
    .executeTakeFirstOrThrow();
  if (numUpdatedRows === 0n) throw new AppError('usage', `The move of ${organizationId} has changed meanwhile.`);
}

/** The new server has the organization from the commit of this transaction on. */
export async function switchServer(
  directory: Kysely<Tables>,
  organizationId: string,
  { from, to }: MoveRecord,
): Promise<void> {
  await changeDirectory(directory, async (transaction, version) => {
    await setStep(transaction, organizationId, ['switching'], 'switched');
    const { numUpdatedRows } = await transaction
      .updateTable('organization_server')
      .set({ server: to, version })
      .where('organization_id', '=', organizationId)
      .where('server', '=', from)
      .executeTakeFirstOrThrow();
    if (numUpdatedRows === 0n) throw new AppError('usage', `The organization ${organizationId} is not on ${from}.`);
  });
}

export async function endMove(directory: Kysely<Tables>, organizationId: string): Promise<void> {
  await directory.deleteFrom('organization_move').where('organization_id', '=', organizationId).execute();
}

/** Class of the advisory locks of moves. */
const lockClass = 724_500_914;

/** Taken for the session: it ends with the process, however that ends. */
export async function tryLock(directory: Kysely<Tables>, organizationId: string): Promise<boolean> {
  const { rows } = await sql<{ readonly isTaken: boolean }>`select
    pg_try_advisory_lock(${sql.lit(lockClass)}, hashtext(${organizationId})) as "isTaken"`.execute(directory);
  return rows[0]?.isTaken ?? false;
}
