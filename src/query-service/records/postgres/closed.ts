/** Organizations whose writes a server refuses, because another server has them or is about to. */
import { sql, type Transaction } from 'kysely';
import { AppError } from '../../../shared/errors.ts';
import type { Tables } from '../tables/tables.ts';

const closed = Symbol('closed');

/** @param transaction holds the lock of the organizations @throws AppError `unavailable` if one of them is closed */
export async function refuseClosed(
  transaction: Transaction<Tables>,
  organizationIds: readonly string[],
): Promise<void> {
  const { rows } = await sql<{ readonly id: string; readonly server: string }>`
    select organization_id as id, server from closed_organization
    where organization_id = any(${[...organizationIds]}::text[]) limit 1`.execute(transaction);
  const [row] = rows;
  if (row === undefined) return;
  throw new AppError(
    'unavailable',
    `The organization ${row.id} is on the server ${row.server}, or is being moved there.`,
    {
      ...{ cause: closed, isRetryable: true },
      hint: 'Wait until service:move has ended, let SERVICE_SERVERS name every server, then try again.',
    },
  );
}

/** @returns true for the error of a closed organization */
export function isClosed(error: unknown): boolean {
  return error instanceof AppError && error.cause === closed;
}
