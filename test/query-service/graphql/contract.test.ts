/** The rulings as the contract has them: names of types that clients declare variables with, values of enums, what may be null. */
import { getIntrospectionQuery, type IntrospectionQuery, type IntrospectionTypeRef } from 'graphql';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestService, type TestService } from '../../support/service/service.ts';
import { uuidOf } from '../../support/service/service-records.ts';

let service: TestService;
let types: Map<string, IntrospectionQuery['__schema']['types'][number]>;
beforeAll(async () => {
  service = await startTestService();
  const { body } = await service.ask<IntrospectionQuery>(getIntrospectionQuery());
  types = new Map(body.data?.__schema.types.map((type) => [type.name, type]));
});
afterAll(() => service.close());

test('the schema needs a key', async () => {
  const { status, body } = await service.ask(getIntrospectionQuery(), null, 'wrong');
  expect({ status, data: body.data }).toEqual({ status: 401, data: undefined });
});

const enums = {
  WorkflowDeploymentStatus: 'PENDING FAILED ACTIVE PAUSED DELETED',
  WorkflowExecutionStatus: 'UNKNOWN UNSPECIFIED TRIGGERED IN_PROGRESS SUCCESS FAILURE',
  WorkflowExecutionClassifiedStatus: 'UNSPECIFIED SUCCESS USER_ERROR SYSTEM_ERROR',
  WorkflowExecutionDetailedStatus: 'UNSPECIFIED COMPLETED COMPLETED_WITH_ERRORS FAILED FAILED_NO_DETAIL',
  SortingOrder: 'ASC DESC',
  WorkflowOrderByField: 'NAME STATUS EXECUTED_AT',
  WorkflowDeploymentOrderByField: 'WORKFLOW_ID DEPLOYED_AT',
  WorkflowExecutionOrderByField: 'ID STATUS STARTED_AT CREDIT_USED',
  OrganizationRestrictionStatus: 'GATED FULL_ACCESS',
  EntityActiveStatus: 'ACTIVE DELETED',
  MemberStatus: 'INVITED JOINED REMOVED',
  MemberType: 'ROOT ADMIN',
};

test.each(Object.entries(enums))('the values of %s are %s', (name, values) => {
  const type = types.get(name);
  expect(type?.kind === 'ENUM' && type.enumValues.map((value) => value.name)).toEqual(values.split(' '));
});

test('the scalars have their names', () => {
  const own = [...types.values()].filter(({ kind, name }) => kind === 'SCALAR' && !/^(String|Int|Boolean)$/.test(name));
  expect(own.map(({ name }) => name).sort()).toEqual(
    'CreditAmount Email LabelText MemberId OnchainAddress OrganizationId Time UserId WorkflowId'.split(' '),
  );
});

/** @returns as an operation's types begin */
const capital = (name: string) => name.charAt(0).toUpperCase() + name.slice(1);

function written(ref: IntrospectionTypeRef): string {
  if (ref.kind === 'NON_NULL') return `${written(ref.ofType)}!`;
  return ref.kind === 'LIST' ? `[${written(ref.ofType)}]` : ref.name;
}

test('every operation has its own required input and its own nullable output', () => {
  const query = types.get('Query');
  const fields = query?.kind === 'OBJECT' ? query.fields : [];
  const operations = fields.filter(({ args }) => args.length > 0);
  expect(fields).toHaveLength(13);
  expect(operations).toHaveLength(9);
  for (const { name, args, type } of operations) {
    const own = capital(name);
    expect([name, ...args.map((arg) => [arg.name, written(arg.type)]), written(type)]).toEqual([
      name,
      ['input', `${own}Input!`],
      `${own}Output`,
    ]);
  }
});

const nullable = {
  Query: `getAccountDetails getOrganization workflows workflow workflowActivity workflowDeployments workflowDeployment
    workflowExecutions workflowExecution workflowExecutionLogs workflowExecutionEvents getTenantConfig getCreOrganizationInfo`,
  OrganizationAccount: 'userId memberType updatedAt invitedAt joinedAt',
  Organization: 'updatedAt',
  WorkflowExecution: 'finishedAt creditUsed errors executedInTee classifiedStatus detailedStatus',
  Workflow: 'executedAt creditUsed',
  WorkflowDeployment: 'errorMessage txHash binaryURL configURL executionCountByStatus',
  WorkflowExecutionEvent: 'finishedAt errors method',
  WorkflowActivityOutput: 'data',
  WorkflowExecutionLogsOutput: 'data',
  WorkflowExecutionEventsOutput: 'data',
  WorkflowExecutionOutput: 'data',
  WorkflowsOutput: '',
  WorkflowDeploymentsOutput: '',
  WorkflowExecutionsOutput: '',
  WorkflowOutput: '',
  WorkflowDeploymentOutput: '',
  WorkflowExecutionLog: '',
  CapabilityExecutionError: '',
  ExecutionError: '',
};

test.each(Object.entries(nullable))('of %s may be null: %s', (name, expected) => {
  const type = types.get(name);
  const fields = type?.kind === 'OBJECT' ? type.fields : [];
  expect(fields.length).toBeGreaterThan(0);
  const found = fields.filter(({ type: ref }) => ref.kind !== 'NON_NULL').map((field) => field.name);
  expect(found.sort()).toEqual(expected.split(/\s+/).filter(Boolean).sort());
  // Nor what a list holds.
  expect(fields.filter(({ type: ref }) => /\w\]/.test(written(ref)))).toEqual([]);
});

const [workflow, deployment, execution] = [uuidOf('workflow', 1), uuidOf('deployment', 2), uuidOf('execution', 5)];
const from = '2026-11-19T00:00:00Z';
const to = '2026-11-20T12:00:00Z';
const page = { number: 0, size: 5 };
const orderBy = (field: string) => ({ field, order: 'DESC' });

/** The variables of a client that uses every input. */
const variables = {
  workflows: {
    ...{ page, status: ['ACTIVE'], search: 'pay' },
    ...{ workflowOwnerAddress: ['ab'.repeat(20)], orderBy: orderBy('EXECUTED_AT') },
  },
  workflow: { uuid: workflow, from },
  workflowActivity: { workflowUUID: workflow, from, to },
  workflowDeployments: {
    ...{ workflowUUID: workflow, page, status: ['FAILED', 'ACTIVE'], from, to },
    ...{ search: 'F', orderBy: orderBy('DEPLOYED_AT') },
  },
  workflowDeployment: { uuid: deployment },
  workflowExecutions: {
    ...{ workflowUuid: workflow, status: ['FAILURE'], from, to },
    ...{ orderBy: orderBy('CREDIT_USED'), page, search: 'f' },
  },
  workflowExecution: { uuid: execution },
  workflowExecutionLogs: { workflowExecutionUUID: execution },
  workflowExecutionEvents: { workflowExecutionUUID: execution, capabilityID: 'http@1.0.0', status: 'FAILURE' },
};

/** Every field of a type, and of the types of its fields. */
function everything(name: string): string {
  const type = types.get(name);
  if (type?.kind !== 'OBJECT') return '';
  return `{ ${type.fields.map((field) => `${field.name} ${everything(written(field.type).replace(/[[\]!]/g, ''))}`).join(' ')} }`;
}

function documentOfEverything(): string {
  const query = types.get('Query');
  const fields = query?.kind === 'OBJECT' ? query.fields : [];
  const declared = Object.keys(variables).map((name) => `$${name}: ${capital(name)}Input!`);
  const selection = fields.map(
    ({ name, args, type }) => `${name}${args.length > 0 ? `(input: $${name})` : ''} ${everything(written(type))}`,
  );
  return `query Everything(${declared}) { ${selection.join(' ')} }`;
}

/** Not in the specification. */
const beyond = {
  Workflow: 'workflowSource',
  WorkflowExecution: 'workflowUUID workflowId creditUsed detailedStatus',
  WorkflowDeployment: 'workflowID workflowSource hasTeeExecutions hasNonTeeExecutions executionCountByStatus',
  OrganizationAccount: 'userId memberType updatedAt invitedAt joinedAt',
  Organization: 'createdAt updatedAt tenantId',
};

test('a document with every field and every input is answered', async () => {
  for (const [name, fields] of Object.entries(beyond)) {
    expect(everything(name).split(' ')).toEqual(expect.arrayContaining(fields.split(' ')));
  }
  const { body } = await service.ask<Record<string, unknown>>(documentOfEverything(), variables);
  expect(body.errors).toBeUndefined();
  expect(Object.keys(body.data ?? {})).toHaveLength(13);
  expect(body.data).toMatchObject({
    workflows: { count: 1, data: [{ workflowSource: 'GIT', creditUsed: '0.6' }] },
    workflowDeployments: {
      data: [{ workflowID: expect.any(String), hasNonTeeExecutions: true }, { status: 'FAILED' }],
    },
    workflowExecutions: {
      count: 2,
      data: [{ detailedStatus: 'FAILED', creditUsed: '0.05' }, { workflowUUID: workflow }],
    },
    workflowExecutionEvents: { data: [{ errors: [{ count: 4 }] }] },
    getTenantConfig: { registries: [{ id: 'private' }] },
  });
});

/** The names of what may be left out of an input. */
function optionalOf(name: string): readonly string[] {
  const type = types.get(name);
  const fields = type?.kind === 'INPUT_OBJECT' ? type.inputFields : [];
  return fields.filter((field) => field.type.kind !== 'NON_NULL' || field.defaultValue).map((field) => field.name);
}

test('a null for an optional input is the same as no value', async () => {
  const nulls = (names: readonly string[]) => Object.fromEntries(names.map((name) => [name, null]));
  const emptyPage = nulls(optionalOf('Page'));
  expect(emptyPage).toEqual({ number: null, size: null });
  for (const [name, input] of Object.entries(variables)) {
    const optional = optionalOf(`${capital(name)}Input`);
    const given = Object.fromEntries(Object.entries(input).filter(([field]) => !optional.includes(field)));
    const query = `query ($input: ${capital(name)}Input!) { ${name}(input: $input) ${everything(`${capital(name)}Output`)} }`;
    const left = await service.ask(query, { input: given });
    expect(left.body.errors).toBeUndefined();
    const more = [nulls(optional), ...(optional.includes('page') ? [{ page: emptyPage }] : [])];
    for (const same of more) expect((await service.ask(query, { input: { ...given, ...same } })).text).toBe(left.text);
  }
});

test('NUL and half a surrogate pair are refused in every text of every input', async () => {
  const texts = Object.entries(variables).flatMap(([name, input]) =>
    Object.entries(input).flatMap(([field, value]) =>
      typeof value === 'string' && !/^(from|to)$/.test(field) ? [[name, input, field] as const] : [],
    ),
  );
  expect(texts).toHaveLength(13);
  for (const [name, input, field] of texts) {
    for (const bad of ['a\0', '\ud800', '\udc00b']) {
      const query = `query ($input: ${capital(name)}Input!) { ${name}(input: $input) { data { __typename } } }`;
      const { body } = await service.ask(query, { input: { ...input, [field]: bad } });
      const message = `${field} must not contain NUL or half a surrogate pair`;
      expect(body).toMatchObject({ errors: [{ message, extensions: { code: 'BAD_USER_INPUT' } }] });
    }
  }
});

test.each([
  ['workflowDeployments', { status: Array(11).fill('ACTIVE') }, 'status must have at most 10 values'],
  ['workflowDeployments', { page: { size: 0 } }, 'page.size must be at least 1'],
  ['workflowDeployments', { page: { number: -1 } }, 'page.number must not be negative'],
  ['workflowDeployments', { search: 'x'.repeat(257) }, 'search must be at most 256 characters'],
  ['workflowExecutions', { page: { size: 0 } }, 'page.size must be at least 1'],
] as const)('%s refuses %j', async (name, wrong, message) => {
  const type = `${capital(name)}Input!`;
  const input = { ...variables[name], ...wrong };
  const { body } = await service.ask(`query ($input: ${type}) { ${name}(input: $input) { count } }`, { input });
  expect(body).toMatchObject({ errors: [{ message, extensions: { code: 'BAD_USER_INPUT' } }] });
});
