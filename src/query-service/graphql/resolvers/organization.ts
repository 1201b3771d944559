/** Resolvers for the organization of the key, its account, and two records that a command-line client reads first. */
import { createHash } from 'node:crypto';
import type { ServiceContext } from './context.ts';

/**
 * Facts about the platform for a command-line client. This service runs no chain and no vault: the only
 * registry is its own, and the other addresses are placeholders.
 */
export const tenant = {
  defaultDonFamily: 'default',
  vaultGatewayUrl: 'https://vault.invalid',
  capabilitiesRegistry: { chainSelector: '0', address: '0'.repeat(40) },
  registries: [
    {
      id: 'private',
      label: 'Private',
      type: 'OFF_CHAIN',
      chainSelector: null,
      address: null,
      secretsAuthFlows: ['BROWSER'],
    },
  ],
  forwarders: [],
} as const;

async function getAccountDetails(_: unknown, __: unknown, { caller, records }: ServiceContext) {
  return caller.memberId === null ? null : records.account(caller.organizationId, caller.memberId);
}

async function getOrganization(_: unknown, __: unknown, { caller, records }: ServiceContext) {
  return records.organization(caller.organizationId);
}

async function getTenantConfig(_: unknown, __: unknown, { caller, records }: ServiceContext) {
  const organization = await records.organization(caller.organizationId);
  return organization && { tenantId: organization.tenantId, ...tenant };
}

async function getCreOrganizationInfo(_: unknown, __: unknown, { caller, records }: ServiceContext) {
  const { organizationId } = caller;
  return organizationInfo(organizationId, await records.ownerAddresses(organizationId));
}

/** @param owners every address that owns a workflow */
export function organizationInfo(organizationId: string, owners: readonly string[]) {
  return { orgId: organizationId, derivedWorkflowOwners: owners.length > 0 ? owners : [derivedOwner(organizationId)] };
}

/** The owner address of an organization without workflows; clients need one before the first workflow exists. */
function derivedOwner(organizationId: string): string {
  return createHash('sha256').update(`workflow-owner:${organizationId}`).digest('hex').slice(0, 40);
}

export const organizationResolvers = {
  Query: { getAccountDetails, getOrganization, getTenantConfig, getCreOrganizationInfo },
} as const;
