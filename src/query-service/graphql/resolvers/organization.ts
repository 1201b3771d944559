/** The organization behind the key, its account, and the two records one command-line client asks for first. */
import { createHash } from 'node:crypto';
import type { ServiceContext } from './context.ts';

/**
 * What a command-line client needs to know of the platform it talks to. This service runs no chain and no vault: the one
 * registry is its own, and addresses that nothing answers at are written as such.
 */
const tenant = {
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
  const owners = await records.ownerAddresses(organizationId);
  return { orgId: organizationId, derivedWorkflowOwners: owners.length > 0 ? owners : [derivedOwner(organizationId)] };
}

/** The address an organization's first workflow would belong to: there has to be one before there is a workflow. */
function derivedOwner(organizationId: string): string {
  return createHash('sha256').update(`workflow-owner:${organizationId}`).digest('hex').slice(0, 40);
}

export const organizationResolvers = {
  Query: { getAccountDetails, getOrganization, getTenantConfig, getCreOrganizationInfo },
} as const;
