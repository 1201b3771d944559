/** Plans of the root fields for the organization of the key, and its account. */
import {
  type AccountColumn,
  type OrganizationColumn,
  readAccount,
  readOrganization,
} from '../../../records/reads/read-people.ts';
import type { Steps } from '../../../records/reads/steps.ts';
import { createColumns, objectTypeOf, writeObject } from '../objects.ts';
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
