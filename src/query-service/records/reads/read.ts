/** Reads the records through Kysely, in SQL that SQLite and PostgreSQL both understand. */
import type { Kysely } from 'kysely';
import type { Records } from '../port.ts';
import type { Tables } from '../tables/tables.ts';
import type { ConcurrencyLimit } from './parse-list.ts';
import { readCounts } from './read-counts.ts';
import { readDeployments } from './read-deployments.ts';
import { readExecutions } from './read-executions.ts';
import { readWorkflows } from './read-workflows.ts';

/** @param db an open database with the tables of migrations.ts @param limitLongText runs each read of a long text; no limit by default */
export function createRecords(db: Kysely<Tables>, limitLongText: ConcurrencyLimit = (work) => work()): Records {
  return {
    ...readPeople(db),
    ...readWorkflows(db),
    ...readDeployments(db),
    ...readExecutions(db, limitLongText),
    ...readCounts(db),
  };
}

function readPeople(db: Kysely<Tables>): Pick<Records, 'organization' | 'account'> {
  return {
    async organization(organizationId) {
      const row = await db
        .selectFrom('organization')
        .select(organizationColumns)
        .where('organization_id', '=', organizationId)
        .executeTakeFirst();
      return row ?? null;
    },
    async account(organizationId, memberId) {
      const row = await db
        .selectFrom('account')
        .select(accountColumns)
        .where('organization_id', '=', organizationId)
        .where('member_id', '=', memberId)
        .executeTakeFirst();
      return row ?? null;
    },
  };
}

export const organizationColumns = [
  'organization_id as organizationId',
  'display_name as displayName',
  'restriction_status as restrictionStatus',
  'active_status as activeStatus',
  'created_at as createdAt',
  'updated_at as updatedAt',
  'tenant_id as tenantId',
] as const;

export const accountColumns = [
  'organization_id as organizationId',
  'member_id as memberId',
  'user_id as userId',
  'display_name as displayName',
  'email_address as emailAddress',
  'member_status as memberStatus',
  'member_type as memberType',
  'created_at as createdAt',
  'updated_at as updatedAt',
  'invited_at as invitedAt',
  'joined_at as joinedAt',
] as const;
