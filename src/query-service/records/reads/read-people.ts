/** Reads the organization of a key, and its account. */
import type { AccountRecord, OrganizationRecord } from '../record.ts';
import { type Bind, type Engine, type Row, statement } from '../sql.ts';
import { hasWorkflow } from './read-workflows.ts';
import { namedRow, namesOf, rowsOf, type Steps, selectText } from './steps.ts';

export const organizationColumns = {
  organizationId: 'organization_id',
  displayName: 'display_name',
  restrictionStatus: 'restriction_status',
  activeStatus: 'active_status',
  createdAt: 'created_at',
  updatedAt: 'updated_at',
  tenantId: 'tenant_id',
} as const;

export type OrganizationColumn = keyof typeof organizationColumns;

export const accountColumns = {
  organizationId: 'organization_id',
  memberId: 'member_id',
  userId: 'user_id',
  displayName: 'display_name',
  emailAddress: 'email_address',
  memberStatus: 'member_status',
  memberType: 'member_type',
  createdAt: 'created_at',
  updatedAt: 'updated_at',
  invitedAt: 'invited_at',
  joinedAt: 'joined_at',
} as const;

export type AccountColumn = keyof typeof accountColumns;

export function* readOrganization(
  engine: Engine,
  columns: readonly OrganizationColumn[],
  organizationId: string,
): Steps<Row | undefined> {
  const text = (bind: Bind) =>
    `select ${selectText(organizationColumns, columns)} from organization where organization_id = ${bind(organizationId)}`;
  return (yield* rowsOf(statement(engine, text)))[0];
}

export function* readAccount(
  engine: Engine,
  columns: readonly AccountColumn[],
  organizationId: string,
  memberId: string,
): Steps<Row | undefined> {
  const text = (bind: Bind) => `select ${selectText(accountColumns, columns)} from account
    where organization_id = ${bind(organizationId)} and member_id = ${bind(memberId)}`;
  return (yield* rowsOf(statement(engine, text)))[0];
}

/** Single records as objects, for scripts. */
export type Lookups = {
  readonly organization: (organizationId: string) => Promise<OrganizationRecord | null>;
  readonly account: (organizationId: string, memberId: string) => Promise<AccountRecord | null>;
  readonly hasWorkflow: (organizationId: string, uuid: string) => Promise<boolean>;
};

const [ofOrganization, ofAccount] = [namesOf(organizationColumns), namesOf(accountColumns)];

export function createLookups(engine: Engine, read: <Result>(steps: Steps<Result>) => Promise<Result>): Lookups {
  return {
    async organization(organizationId) {
      const row = await read(readOrganization(engine, ofOrganization, organizationId));
      return row ? namedRow(ofOrganization, row) : null;
    },
    async account(organizationId, memberId) {
      const row = await read(readAccount(engine, ofAccount, organizationId, memberId));
      return row ? namedRow(ofAccount, row) : null;
    },
    hasWorkflow: (organizationId, uuid) => read(hasWorkflow(engine, organizationId, uuid)),
  };
}
