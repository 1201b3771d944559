/** Resolvers for deployments: a workflow's history, and one deployment. */
import { AppError } from '../../../shared/errors.ts';
import type { DeploymentFilter, DeploymentOrder, DeploymentRow, Slice } from '../../records/port.ts';
import type { DeploymentStatus } from '../../records/record.ts';
import type { ServiceContext } from './context.ts';
import {
  type Optional,
  type PageInput,
  type RangeInput,
  readOrder,
  readPage,
  readRange,
  readSearch,
  readStatuses,
  readText,
} from './input.ts';

export type DeploymentsInput = RangeInput & {
  readonly workflowUUID: string;
  readonly page?: Optional<PageInput>;
  readonly status?: Optional<readonly DeploymentStatus[]>;
  readonly search?: Optional<string>;
  readonly orderBy?: Optional<{ readonly field: 'WORKFLOW_ID' | 'DEPLOYED_AT'; readonly order: 'ASC' | 'DESC' }>;
};

type DeploymentList = { readonly filter: DeploymentFilter; readonly order: DeploymentOrder; readonly slice: Slice };

function workflowDeployments(_: unknown, { input }: { readonly input: DeploymentsInput }): DeploymentList {
  return readDeploymentsInput(input);
}

/** @throws AppError `usage` */
export function readDeploymentsInput(input: DeploymentsInput): DeploymentList {
  return {
    filter: {
      workflowUuid: readText('workflowUUID', input.workflowUUID),
      statuses: readStatuses(input.status),
      span: readRange(input),
      search: readSearch(input.search),
    },
    order: readOrder(input.orderBy, 'DEPLOYED_AT'),
    slice: readPage(input.page),
  };
}

async function workflowDeployment(
  _: unknown,
  { input }: { readonly input: { readonly uuid: string } },
  { caller, records }: ServiceContext,
) {
  const row = await records.deployment(caller.organizationId, readText('uuid', input.uuid));
  if (row === null) throw new AppError('not_found', 'workflow deployment not found');
  return { data: row };
}

export const deploymentResolvers = {
  Query: { workflowDeployments, workflowDeployment },
  WorkflowDeploymentsOutput: {
    data: ({ filter, order, slice }: DeploymentList, _: unknown, { caller, records }: ServiceContext) =>
      records.deployments(caller.organizationId, filter, order, slice),
    count: ({ filter }: DeploymentList, _: unknown, { caller, records }: ServiceContext) =>
      records.deploymentCount(caller.organizationId, filter),
  },
  WorkflowDeployment: {
    binaryURL: (row: DeploymentRow) => row.binaryUrl,
    configURL: (row: DeploymentRow) => row.configUrl,
    workflowID: (row: DeploymentRow) => row.workflowId,
    executionCountByStatus: (row: DeploymentRow, _: unknown, { caller, records }: ServiceContext) =>
      records.counts(caller.organizationId, row.workflowUuid, { from: row.deployedAt, until: row.nextDeployedAt }),
  },
} as const;
