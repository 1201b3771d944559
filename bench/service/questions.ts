/** The five queries for the service and for PostGraphile, and what their replies have in common. */
import { dayMs } from '../../src/query-service/records/reads/periods.ts';
import { domains, endAt, latestExecution, organizationId, workflows } from './data-set.ts';
import { asNumber, at, listAt } from './json.ts';

/** PostGraphile has its own schema; the hand-written server answers as the service does, with a path for each query. */
export type Dialect = 'service' | 'postgraphile' | 'hand-written';

type Variables = Readonly<Record<string, unknown>>;
type Asked = { readonly document: string; readonly variables: readonly Variables[] };

export type Question = {
  readonly name: string;
  readonly path: string;
  readonly service: Asked;
  readonly postgraphile: Asked;
  /** Facts that both answer in their own shape: ids in order, counts, statuses. @throws if one is missing */
  readonly facts: { readonly service: (data: unknown) => unknown; readonly postgraphile: (data: unknown) => unknown };
};

/** Requests are built before the measurement. @returns bodies, the workflows alternating */
export function bodiesOf(question: Question, dialect: Dialect): readonly Buffer[] {
  if (dialect === 'hand-written') return question.service.variables.map((each) => Buffer.from(JSON.stringify(each)));
  const { document: query, variables } = question[dialect];
  return variables.map((each) => Buffer.from(JSON.stringify({ query, variables: each })));
}

const iso = (instant: number) => new Date(instant).toISOString();
const since = (days: number) => endAt - days * dayMs;
const uuids = workflows.map(({ uuid }) => uuid);
const byUuid = (rows: readonly unknown[]) => rows.map((row) => at(row, 'uuid'));
/** PostGraphile omits days without executions. */
const isNotEmpty = ([, ...counts]: readonly unknown[]) => counts.some((count) => count !== 0);
const serviceDays = (rows: readonly unknown[]) =>
  rows
    .map((row) => [String(at(row, 'from')).slice(0, 10), at(row, 'successCount'), at(row, 'failureCount')])
    .filter(isNotEmpty);
const postgraphileDays = (rows: readonly unknown[]) =>
  rows.map((row) => [
    iso(asNumber(at(row, 'day'))).slice(0, 10),
    asNumber(at(row, 'successCount')),
    asNumber(at(row, 'failureCount')),
  ]);

const ownColumns = 'uuid rowId status classifiedStatus startedAt finishedAt';
const workflowOf = 'workflowByOrganizationIdAndWorkflowUuid { name }';
const inOrganization = `organizationId: "${organizationId}"`;

const list: Question = {
  name: '20 failures of a workflow with their errors, newest first, and their count',
  path: '/list',
  service: {
    document: `query($workflowUuid: String!) {
      workflowExecutions(input: { workflowUuid: $workflowUuid, status: [FAILURE], page: { number: 0, size: 20 },
        orderBy: { field: STARTED_AT, order: DESC } }) {
        data { uuid id workflowName status classifiedStatus startedAt finishedAt errors { error count } } count } }`,
    variables: uuids.map((workflowUuid) => ({ workflowUuid })),
  },
  postgraphile: {
    document: `query($workflowUuid: String!) {
      allExecutions(condition: { ${inOrganization}, workflowUuid: $workflowUuid, status: "FAILURE" },
        orderBy: [STARTED_AT_DESC, UUID_DESC], first: 20) {
        totalCount nodes { ${ownColumns} errors ${workflowOf} } } }`,
    variables: uuids.map((workflowUuid) => ({ workflowUuid })),
  },
  facts: {
    service: (data) => [
      at(data, 'workflowExecutions', 'count'),
      ...listAt(data, 'workflowExecutions', 'data').map((row) => [at(row, 'uuid'), at(row, 'errors')]),
    ],
    postgraphile: (data) => [
      at(data, 'allExecutions', 'totalCount'),
      ...listAt(data, 'allExecutions', 'nodes').map((row) => [at(row, 'uuid'), JSON.parse(String(at(row, 'errors')))]),
    ],
  },
};

/** @param executions their number */
function oneExecution(executions: number): Question {
  const latest = workflows.map((_, index) => ({ uuid: latestExecution(index, 0, executions).uuid }));
  return {
    name: 'one execution with its 200 logs and 10 events',
    path: '/one',
    service: {
      document: `query($uuid: String!) {
        workflowExecution(input: { uuid: $uuid }) {
          data { uuid id workflowName status classifiedStatus startedAt finishedAt errors { error count } } }
        workflowExecutionLogs(input: { workflowExecutionUUID: $uuid }) { data { nodeID message timestamp } }
        workflowExecutionEvents(input: { workflowExecutionUUID: $uuid }) {
          data { capabilityID status method startedAt finishedAt errors { error count } } } }`,
      variables: latest,
    },
    postgraphile: {
      document: `query($uuid: String!) {
        executionByOrganizationIdAndUuid(${inOrganization}, uuid: $uuid) { ${ownColumns} errors ${workflowOf} }
        executionDetailByOrganizationIdAndUuid(${inOrganization}, uuid: $uuid) { logs events } }`,
      variables: latest,
    },
    facts: {
      service: (data) => [
        at(data, 'workflowExecution', 'data', 'uuid'),
        listAt(data, 'workflowExecutionLogs', 'data').map((line) => at(line, 'message')),
        listAt(data, 'workflowExecutionEvents', 'data').map((event) => at(event, 'capabilityID')),
      ],
      postgraphile: (data) => {
        const kept = (column: string): readonly unknown[] =>
          JSON.parse(String(at(data, 'executionDetailByOrganizationIdAndUuid', column)));
        return [
          at(data, 'executionByOrganizationIdAndUuid', 'uuid'),
          kept('logs').map((line) => at(line, 'message')),
          kept('events').map((event) => at(event, 'capabilityID')),
        ];
      },
    },
  };
}

const activity: Question = {
  name: 'activity of a workflow over 30 days',
  path: '/activity',
  service: {
    document: `query($workflowUUID: String!, $from: Time!, $to: Time!) {
      workflowActivity(input: { workflowUUID: $workflowUUID, from: $from, to: $to }) {
        data { from to successCount failureCount } } }`,
    variables: uuids.map((workflowUUID) => ({ workflowUUID, from: iso(since(30)), to: iso(endAt) })),
  },
  postgraphile: {
    document: `query($workflow: String!, $from: BigInt!, $to: BigInt!) {
      activity(organization: "${organizationId}", workflow: $workflow, from: $from, to: $to) {
        nodes { day successCount failureCount } } }`,
    variables: uuids.map((workflow) => ({ workflow, from: String(since(30)), to: String(endAt) })),
  },
  facts: {
    service: (data) => serviceDays(listAt(data, 'workflowActivity', 'data')),
    postgraphile: (data) => postgraphileDays(listAt(data, 'activity', 'nodes')),
  },
};

const search: Question = {
  name: '10 workflows found by a part of their names, with their counts by status',
  path: '/search',
  service: {
    document: `query($search: String!) {
      workflows(input: { search: $search, page: { number: 0, size: 10 } }) {
        data { uuid name status executionCount executionCountByStatus { success failure } } count } }`,
    variables: domains.map((domain) => ({ search: domain.slice(1) })),
  },
  postgraphile: {
    document: `query($search: String!) {
      searchWorkflows(organization: "${organizationId}", search: $search, first: 10) {
        totalCount nodes { uuid name status counts { total success failure } } } }`,
    variables: domains.map((domain) => ({ search: domain.slice(1) })),
  },
  facts: {
    service: (data) => [
      at(data, 'workflows', 'count'),
      ...listAt(data, 'workflows', 'data').map((row) => {
        const counts = at(row, 'executionCountByStatus');
        return [at(row, 'uuid'), at(row, 'executionCount'), at(counts, 'success'), at(counts, 'failure')];
      }),
    ],
    postgraphile: (data) => [
      at(data, 'searchWorkflows', 'totalCount'),
      ...listAt(data, 'searchWorkflows', 'nodes').map((row) => [
        at(row, 'uuid'),
        ...['total', 'success', 'failure'].map((name) => asNumber(at(row, 'counts', name))),
      ]),
    ],
  },
};

const card: Question = {
  name: 'a status card: five root fields',
  path: '/card',
  service: {
    document: `query($uuid: String!, $from: Time!, $to: Time!) {
      workflow(input: { uuid: $uuid, from: $from }) {
        data { uuid name status executedAt executionCount executionCountByStatus { success failure } } }
      workflowActivity(input: { workflowUUID: $uuid, from: $from, to: $to }) {
        data { from to successCount failureCount } }
      failures: workflowExecutions(input: { workflowUuid: $uuid, status: [FAILURE], page: { size: 5 } }) {
        data { uuid status startedAt errors { error count } } }
      recent: workflowExecutions(input: { workflowUuid: $uuid, page: { size: 10 } }) {
        data { uuid status startedAt finishedAt } }
      workflowDeployments(input: { workflowUUID: $uuid, page: { size: 5 } }) {
        data { uuid status deployedAt errorMessage } } }`,
    variables: uuids.map((uuid) => ({ uuid, from: iso(since(1)), to: iso(endAt) })),
  },
  postgraphile: {
    document: `query($uuid: String!, $from: BigInt!, $to: BigInt!) {
      workflow: workflowByOrganizationIdAndUuid(${inOrganization}, uuid: $uuid) {
        uuid name status counts(from: $from) { total success failure }
        latest: executionsByOrganizationIdAndWorkflowUuid(orderBy: [STARTED_AT_DESC], first: 1) { nodes { startedAt } } }
      activity(organization: "${organizationId}", workflow: $uuid, from: $from, to: $to) {
        nodes { day successCount failureCount } }
      failures: allExecutions(condition: { ${inOrganization}, workflowUuid: $uuid, status: "FAILURE" },
        orderBy: [STARTED_AT_DESC, UUID_DESC], first: 5) { nodes { uuid status startedAt errors } }
      recent: allExecutions(condition: { ${inOrganization}, workflowUuid: $uuid },
        orderBy: [STARTED_AT_DESC, UUID_DESC], first: 10) { nodes { uuid status startedAt finishedAt } }
      deployments: allDeployments(condition: { ${inOrganization}, workflowUuid: $uuid },
        orderBy: [DEPLOYED_AT_DESC, UUID_DESC], first: 5) { nodes { uuid status deployedAt errorMessage } } }`,
    variables: uuids.map((uuid) => ({ uuid, from: String(since(1)), to: String(endAt) })),
  },
  facts: {
    service: (data) => [
      at(data, 'workflow', 'data', 'executedAt'),
      at(data, 'workflow', 'data', 'executionCount'),
      serviceDays(listAt(data, 'workflowActivity', 'data')),
      ...['failures', 'recent', 'workflowDeployments'].map((name) => byUuid(listAt(data, name, 'data'))),
    ],
    postgraphile: (data) => [
      iso(asNumber(at(data, 'workflow', 'latest', 'nodes', '0', 'startedAt'))),
      asNumber(at(data, 'workflow', 'counts', 'total')),
      postgraphileDays(listAt(data, 'activity', 'nodes')),
      ...['failures', 'recent', 'deployments'].map((name) => byUuid(listAt(data, name, 'nodes'))),
    ],
  },
};

/** The list first. @param executions their number */
export function questionsOf(executions: number): readonly [Question, ...Question[]] {
  return [list, oneExecution(executions), activity, search, card];
}
