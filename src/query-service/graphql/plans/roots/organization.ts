/** Plans of the root fields for the organization of the key, its account, and two records of a command-line client. */
import { readCosts } from '../../../records/read-cost.ts';
import {
  type AccountColumn,
  type OrganizationColumn,
  readAccount,
  readOrganization,
} from '../../../records/reads/read-people.ts';
import { readOwnerAddresses } from '../../../records/reads/read-workflows.ts';
import type { Steps } from '../../../records/reads/steps.ts';
import { organizationInfo, tenant } from '../../resolvers/organization.ts';
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
    return { read: 'organization', cost: 'bounded', steps: steps() };
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
    return { read: 'account', cost: 'bounded', steps: steps() };
  };
};

export const getTenantConfig: RootPlanner = (type, { fields }) => {
  const write = writeStoredObject(objectTypeOf(type), fields);
  return (_, { engine, organizationId }) => {
    const steps = function* (): Steps<string> {
      const row = yield* readOrganization(engine, ['tenantId'], organizationId);
      return row ? write({ tenantId: row[0], ...tenant }) : 'null';
    };
    return { read: 'organization', cost: 'bounded', steps: steps() };
  };
};

export const getCreOrganizationInfo: RootPlanner = (type, { fields }) => {
  const write = writeStoredObject(objectTypeOf(type), fields);
  return (_, { engine, organizationId }) => {
    const steps = function* (): Steps<string> {
      return write(organizationInfo(organizationId, yield* readOwnerAddresses(engine, organizationId)));
    };
    return { read: 'ownerAddresses', cost: readCosts.ownerAddresses(organizationId), steps: steps() };
  };
};
