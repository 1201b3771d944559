/** Plans of the root fields for the organization of the key, its account, and two records that a command-line client reads first. */
import { createHash } from 'node:crypto';
import {
  type AccountColumn,
  type OrganizationColumn,
  readAccount,
  readOrganization,
} from '../../../records/reads/read-people.ts';
import { readOwnerAddresses } from '../../../records/reads/read-workflows.ts';
import type { Steps } from '../../../records/reads/steps.ts';
import { createColumns, objectTypeOf, writeObject, writeStoredObject } from '../objects.ts';
import type { RootPlanner } from '../root-plan.ts';

export const getOrganization: RootPlanner = (type, { fields }) => {
  const columns = createColumns<OrganizationColumn>();
  const write = writeObject(objectTypeOf(type), fields, columns);
  return (_, { engine, organizationId }) => {
    const steps = function* (): Steps<string> {
      const row = yield* readOrganization(engine, columns.names, organizationId);
      return row ? write(row) : 'null';
    };
    return { kind: 'steps', read: 'organization', steps: steps() };
  };
};

export const getAccountDetails: RootPlanner = (type, { fields }) => {
  const columns = createColumns<AccountColumn>();
  const write = writeObject(objectTypeOf(type), fields, columns);
  return (_, { engine, organizationId, memberId }) => {
    const steps = function* (): Steps<string> {
      const row = memberId === null ? undefined : yield* readAccount(engine, columns.names, organizationId, memberId);
      return row ? write(row) : 'null';
    };
    return { kind: 'steps', read: 'account', steps: steps() };
  };
};

export const getTenantConfig: RootPlanner = (type, { fields }) => {
  const write = writeStoredObject(objectTypeOf(type), fields);
  return (_, { engine, organizationId }) => {
    const steps = function* (): Steps<string> {
      const row = yield* readOrganization(engine, ['tenantId'], organizationId);
      return row ? write({ tenantId: row[0], ...tenant }) : 'null';
    };
    return { kind: 'steps', read: 'organization', steps: steps() };
  };
};

export const getCreOrganizationInfo: RootPlanner = (type, { fields }) => {
  const write = writeStoredObject(objectTypeOf(type), fields);
  return (_, { engine, organizationId }) => {
    const steps = function* (): Steps<string> {
      const owners = yield* readOwnerAddresses(engine, organizationId);
      const derivedWorkflowOwners = owners.length > 0 ? owners : [derivedOwner(organizationId)];
      return write({ orgId: organizationId, derivedWorkflowOwners });
    };
    return { kind: 'steps', read: 'ownerAddresses', steps: steps() };
  };
};

/**
 * Facts about the platform for a command-line client. This service runs no chain and no vault: the only
 * registry is its own, and the other addresses are placeholders.
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

/** The owner address of an organization without workflows; clients need one before the first workflow exists. */
function derivedOwner(organizationId: string): string {
  return createHash('sha256').update(`workflow-owner:${organizationId}`).digest('hex').slice(0, 40);
}
