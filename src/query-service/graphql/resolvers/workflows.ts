/** Resolvers for workflows: the list, and one workflow with its counts since an instant. */
import { AppError } from '../../../shared/errors.ts';
import type { Slice, WorkflowFilter, WorkflowOrder, WorkflowRow } from '../../records/port.ts';
import type { DeploymentStatus } from '../../records/record.ts';
import type { ServiceContext } from './context.ts';
import { type Optional, type PageInput, readOrder, readPage, readSearch, readStatuses, readText } from './input.ts';

export type WorkflowsInput = {
  readonly page?: Optional<PageInput>;
  readonly status?: Optional<readonly DeploymentStatus[]>;
  readonly search?: Optional<string>;
  readonly workflowOwnerAddress?: Optional<readonly string[]>;
  readonly orderBy?: Optional<{ readonly field: 'NAME' | 'STATUS' | 'EXECUTED_AT'; readonly order: 'ASC' | 'DESC' }>;
};

export type WorkflowInput = { readonly uuid: string; readonly from: number };

type WorkflowList = { readonly filter: WorkflowFilter; readonly order: WorkflowOrder; readonly slice: Slice };

const ownerAddressesMax = 100;

function workflows(_: unknown, { input }: { readonly input: WorkflowsInput }): WorkflowList {
  return readWorkflowsInput(input);
}

/** @throws AppError `usage` */
export function readWorkflowsInput(input: WorkflowsInput): WorkflowList {
  const ownerAddresses = input.workflowOwnerAddress ?? null;
  if (ownerAddresses && ownerAddresses.length > ownerAddressesMax) {
    throw new AppError('usage', `workflowOwnerAddress must have at most ${ownerAddressesMax} values`);
  }
  return {
    filter: { statuses: readStatuses(input.status), search: readSearch(input.search), ownerAddresses },
    order: readOrder(input.orderBy, 'REGISTERED_AT'),
    slice: readPage(input.page),
  };
}

async function workflow(_: unknown, { input }: { readonly input: WorkflowInput }, context: ServiceContext) {
  const span = { from: input.from, until: null };
  const row = await context.records.workflow(context.caller.organizationId, readText('uuid', input.uuid), span);
  if (row === null) throw new AppError('not_found', 'workflow not found');
  return { data: row };
}

export const workflowResolvers = {
  Query: { workflows, workflow },
  WorkflowsOutput: {
    data: ({ filter, order, slice }: WorkflowList, _: unknown, { caller, records }: ServiceContext) =>
      records.workflows(caller.organizationId, filter, order, slice),
    count: ({ filter }: WorkflowList, _: unknown, { caller, records }: ServiceContext) =>
      records.workflowCount(caller.organizationId, filter),
  },
  Workflow: {
    executionCount: ({ counts }: WorkflowRow) => counts.total,
    executionCountByStatus: ({ counts }: WorkflowRow) => counts,
    creditUsed: ({ counts }: WorkflowRow) => counts.creditMicros,
  },
} as const;
