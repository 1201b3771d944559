/** A query service built only from the specification (test/fixtures/specification.graphql), awkward wherever that allows it. */
import { readFileSync } from 'node:fs';
import { buildSchema, graphql } from 'graphql';
import { type HostileHttp, startHostileHttp } from './hostile-http.ts';

export const specificationKey = 'key-of-the-specification-service';
/** The largest page that it returns, whatever the request. */
const pageSizeCut = 20;

export const specificationNow = Date.parse('2026-11-20T12:00:00Z');
const minuteMs = 60_000;

const startedMinutesAgo = [300, 200, 100, 30, 3];

/** Not a multiple of its page size. */
export const specificationWorkflows = Array.from({ length: 47 }, (_, index) => ({
  uuid: `w-${index}`,
  name: index === 40 ? 'payments' : `workflow ${index}`,
  workflowId: 'f'.repeat(64),
  status: index === 40 ? 'HIBERNATING' : 'ACTIVE',
  ownerAddress: 'a'.repeat(40),
  registeredAt: time(index),
  executedAt: time(3),
  executionCountByStatus: { success: 10, failure: 3 },
  executionCount: 14,
  creditUsed: { amount: '1', unit: 'gold' },
  hasTeeExecutions: false,
  hasNonTeeExecutions: true,
}));

/** Oldest first, with an unknown status. */
const executions = startedMinutesAgo.map((minutes, index) => ({
  uuid: `e-${index}`,
  id: String(index).padStart(64, 'e'),
  workflowName: 'payments',
  status: index === 4 ? 'TERMINATED' : index % 2 === 0 ? 'SUCCESS' : 'FAILURE',
  classifiedStatus: null,
  startedAt: time(minutes),
  finishedAt: index === 4 ? '0001-01-01T00:00:00Z' : time(minutes - 1),
  executedInTee: false,
  errors: null,
}));

function time(minutesAgo: number): string {
  return new Date(specificationNow - minutesAgo * minuteMs).toISOString();
}

type Input = { readonly input: Readonly<Record<string, unknown>> & { readonly page?: { readonly number?: number } } };

/** Out of order, with statuses in mixed case. */
const events = [
  {
    capabilityID: 'http@1.0.0',
    status: 'failure',
    method: null,
    startedAt: time(29.5),
    finishedAt: null,
    errors: null,
  },
  { capabilityID: 'cron@1.0.0', status: 'Completed', startedAt: time(30), finishedAt: time(29.5), errors: null },
];

const deployments = [
  {
    uuid: 'd-1',
    status: 'ACTIVE',
    deployedAt: time(9000),
    errorMessage: null,
    txHash: null,
    binaryURL: 'https://a.example/b',
  },
  { uuid: 'd-2', status: 'HIBERNATING', deployedAt: time(50), errorMessage: null },
];

const executionOf = ({ input }: Input) => executions.find(({ uuid }) => uuid === input['uuid']) ?? null;
const isThird = ({ input }: Input) => input['workflowExecutionUUID'] === 'e-3';

/** `count` is the size of the page. */
function page(rows: readonly unknown[], { input }: Input) {
  const start = (input.page?.number ?? 0) * pageSizeCut;
  const data = rows.slice(start, start + pageSizeCut);
  return { data, count: data.length };
}

const root = {
  getOrganization: {
    organizationId: 'o-1',
    displayName: 'Specified',
    restrictionStatus: 'FULL_ACCESS',
    activeStatus: 'DORMANT',
  },
  workflows: (given: Input) => {
    const { search } = given.input;
    const found = specificationWorkflows.filter(({ name }) => typeof search !== 'string' || name.includes(search));
    return page(found, given);
  },
  workflow: ({ input }: Input) => ({ data: specificationWorkflows.find(({ uuid }) => uuid === input['uuid']) ?? null }),
  // Every six hours, newest first.
  workflowActivity: () => ({
    data: [6, 12, 18, 24].map((hours) => ({
      from: time(hours * 60),
      to: time((hours - 6) * 60),
      successCount: hours,
      failureCount: 1,
    })),
  }),
  // Order and filters are ignored.
  workflowExecutions: (given: Input) => page(executions, given),
  workflowDeployments: () => ({ data: deployments, count: deployments.length }),
  workflowDeployment: ({ input }: Input) => ({ data: deployments.find(({ uuid }) => uuid === input['uuid']) ?? null }),
  workflowExecution: (given: Input) => ({ data: executionOf(given) }),
  // Filters are ignored; missing records are null.
  workflowExecutionEvents: (given: Input) => ({ data: isThird(given) ? events : null }),
  workflowExecutionLogs: (given: Input) => ({
    data: isThird(given) ? [{ nodeID: 'n-1', message: 'hello', timestamp: time(29) }] : null,
  }),
  getAccountDetails: null,
};

export async function startSpecificationService(): Promise<HostileHttp> {
  const schema = buildSchema(readFileSync(new URL('../../fixtures/specification.graphql', import.meta.url), 'utf8'));
  return startHostileHttp(async ({ headers, body }, response) => {
    const isKnown = headers.authorization === `Apikey ${specificationKey}`;
    const { query, variables } = JSON.parse(body);
    const result = isKnown
      ? await graphql({ schema, source: query, variableValues: variables, rootValue: root })
      : { errors: [{ message: 'Invalid API key' }] };
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(result));
  });
}
