/** What is read of organizations and accounts, under the names that their records have. */

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
