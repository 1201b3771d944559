/** Resolvers over whole records for graphql-js: the reference of what plans answer. They share with plans what reads the inputs and the records. */
import { type ExecutionResult, execute, type GraphQLFieldResolver, isObjectType, parse } from 'graphql';
import {
  readActivityInput,
  readDeploymentsInput,
  readEventsInput,
  readExecutionsInput,
  readText,
  readWorkflowsInput,
} from '../../../../src/query-service/graphql/inputs.ts';
import { bucketsOf } from '../../../../src/query-service/graphql/plans/roots/workflows.ts';
import { serviceSchema } from '../../../../src/query-service/graphql/schema.ts';
import type { EventRecord, LogRecord } from '../../../../src/query-service/records/record.ts';
import { printCredits, printInstant } from '../../../../src/query-service/scalar-text.ts';
import { AppError } from '../../../../src/shared/errors.ts';
import type { DeploymentRow, ExecutionRow, Records, WorkflowRow } from './records.ts';

type Reference = {
  readonly records: Records;
  readonly organizationId: string;
  readonly memberId: string;
  readonly clock: () => number;
};

type Resolver = GraphQLFieldResolver<never, Reference, never>;
type Given<Input> = { readonly input: Input };
type InputOf<Read extends (input: never, now: never) => unknown> = Given<Parameters<Read>[0]>;
type Uuid = Given<{ readonly uuid: string }>;
type ListOf<Read extends (input: never) => unknown> = ReturnType<Read>;

const tenant = {
  defaultDonFamily: 'default',
  vaultGatewayUrl: 'https://vault.invalid',
  capabilitiesRegistry: { chainSelector: '0', address: '0'.repeat(40) },
  registries: [
    {
      ...{ id: 'private', label: 'Private', type: 'OFF_CHAIN', chainSelector: null, address: null },
      secretsAuthFlows: ['BROWSER'],
    },
  ],
  forwarders: [],
};

const query = {
  getAccountDetails: (_: unknown, __: unknown, { records, organizationId, memberId }: Reference) =>
    records.account(organizationId, memberId),
  getOrganization: (_: unknown, __: unknown, { records, organizationId }: Reference) =>
    records.organization(organizationId),
  async getTenantConfig(_: unknown, __: unknown, { records, organizationId }: Reference) {
    const organization = await records.organization(organizationId);
    return organization && { tenantId: organization.tenantId, ...tenant };
  },
  /** Every organization of the tests has a workflow. */
  getCreOrganizationInfo: async (_: unknown, __: unknown, { records, organizationId }: Reference) => ({
    orgId: organizationId,
    derivedWorkflowOwners: await records.ownerAddresses(organizationId),
  }),
  workflows: (_: unknown, { input }: InputOf<typeof readWorkflowsInput>) => readWorkflowsInput(input),
  async workflow(
    _: unknown,
    { input }: Given<{ readonly uuid: string; readonly from: number }>,
    { records, organizationId }: Reference,
  ) {
    const uuid = readText('uuid', input.uuid);
    const data = await records.workflow(organizationId, uuid, { from: input.from, until: null });
    if (data === null) throw new AppError('not_found', 'workflow not found');
    return { data };
  },
  async workflowActivity(_: unknown, { input }: InputOf<typeof readActivityInput>, reference: Reference) {
    const { records, organizationId, clock } = reference;
    const { from, to, span, workflowUuid } = readActivityInput(input, clock());
    const isKnown = workflowUuid === null || (await records.hasWorkflow(organizationId, workflowUuid));
    const counts = await records.countsByDay(organizationId, workflowUuid, span);
    return { data: isKnown ? bucketsOf(from, to, counts) : [] };
  },
  workflowDeployments: (_: unknown, { input }: InputOf<typeof readDeploymentsInput>) => readDeploymentsInput(input),
  async workflowDeployment(_: unknown, { input }: Uuid, { records, organizationId }: Reference) {
    const data = await records.deployment(organizationId, readText('uuid', input.uuid));
    if (data === null) throw new AppError('not_found', 'workflow deployment not found');
    return { data };
  },
  workflowExecutions: (_: unknown, { input }: InputOf<typeof readExecutionsInput>) => readExecutionsInput(input),
  workflowExecution: async (_: unknown, { input }: Uuid, { records, organizationId }: Reference) => ({
    data: await records.execution(organizationId, readText('uuid', input.uuid)),
  }),
  async workflowExecutionLogs(
    _: unknown,
    { input }: Given<{ readonly workflowExecutionUUID: string }>,
    { records, organizationId }: Reference,
  ) {
    const uuid = readText('workflowExecutionUUID', input.workflowExecutionUUID);
    const { logs } = await records.executionDetail(organizationId, uuid, new Set(['logs']));
    return { data: logs };
  },
  async workflowExecutionEvents(
    _: unknown,
    { input }: InputOf<typeof readEventsInput>,
    { records, organizationId }: Reference,
  ) {
    const { uuid, isWanted } = readEventsInput(input);
    const { events } = await records.executionDetail(organizationId, uuid, new Set(['events']));
    const hasPassed = ({ capabilityId, status }: EventRecord) =>
      isWanted === null || isWanted({ capabilityID: capabilityId, status });
    return { data: events.filter(hasPassed) };
  },
} satisfies Readonly<Record<string, Resolver>>;

const resolvers: Readonly<Record<string, Readonly<Record<string, Resolver>>>> = {
  Query: query,
  WorkflowsOutput: {
    data: (list: ListOf<typeof readWorkflowsInput>, _: unknown, { records, organizationId }: Reference) =>
      records.workflows(organizationId, list.filter, list.order, list.slice),
    count: (list: ListOf<typeof readWorkflowsInput>, _: unknown, { records, organizationId }: Reference) =>
      records.workflowCount(organizationId, list.filter),
  },
  Workflow: {
    executionCount: ({ counts }: WorkflowRow) => counts.total,
    executionCountByStatus: ({ counts }: WorkflowRow) => counts,
    creditUsed: ({ counts }: WorkflowRow) => counts.creditMicros,
  },
  WorkflowDeploymentsOutput: {
    data: (list: ListOf<typeof readDeploymentsInput>, _: unknown, { records, organizationId }: Reference) =>
      records.deployments(organizationId, list.filter, list.order, list.slice),
    count: (list: ListOf<typeof readDeploymentsInput>, _: unknown, { records, organizationId }: Reference) =>
      records.deploymentCount(organizationId, list.filter),
  },
  WorkflowDeployment: {
    binaryURL: (row: DeploymentRow) => row.binaryUrl,
    configURL: (row: DeploymentRow) => row.configUrl,
    workflowID: (row: DeploymentRow) => row.workflowId,
    executionCountByStatus: (row: DeploymentRow, _: unknown, { records, organizationId }: Reference) =>
      records.counts(organizationId, row.workflowUuid, { from: row.deployedAt, until: row.nextDeployedAt }),
  },
  WorkflowExecutionsOutput: {
    data: (list: ListOf<typeof readExecutionsInput>, _: unknown, { records, organizationId }: Reference) =>
      records.executions(organizationId, list.filter, list.order, list.slice),
    count: (list: ListOf<typeof readExecutionsInput>, _: unknown, { records, organizationId }: Reference) =>
      records.executionCount(organizationId, list.filter),
  },
  WorkflowExecution: {
    workflowUUID: (row: ExecutionRow) => row.workflowUuid,
    creditUsed: (row: ExecutionRow) => row.creditMicros,
  },
  WorkflowExecutionLog: { nodeID: (line: LogRecord) => line.nodeId },
  WorkflowExecutionEvent: { capabilityID: (event: EventRecord) => event.capabilityId },
};

/** @returns a function that runs a valid document */
export function createReference(
  reference: Reference,
): (query: string, variables: Readonly<Record<string, unknown>>) => Promise<ExecutionResult> {
  const schema = serviceSchema();
  Object.assign(schema.getType('Time') ?? {}, { serialize: printInstant });
  Object.assign(schema.getType('CreditAmount') ?? {}, { serialize: printCredits });
  for (const [typeName, fields] of Object.entries(resolvers)) {
    const type = schema.getType(typeName);
    for (const [name, resolve] of Object.entries(fields)) {
      const field = isObjectType(type) ? type.getFields()[name] : undefined;
      if (!field) throw new Error(`the contract has no field ${typeName}.${name}`);
      field.resolve = resolve as GraphQLFieldResolver<unknown, Reference>;
    }
  }
  return async (text, variableValues) =>
    execute({ schema, document: parse(text), contextValue: reference, variableValues });
}
