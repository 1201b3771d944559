/** A query service with a test's own records, whose types are loosened so that any value is possible. */
import { readFileSync } from 'node:fs';
import { buildSchema, type DocumentNode, execute, parse, validate } from 'graphql';
import { type Behaviour, type HostileHttp, type HostileRequest, startHostileHttp } from './hostile-http.ts';

export const worldNow = Date.parse('2026-11-21T10:30:00Z');
export const worldKey = 'wfq_world_4c1f7a20b9d8e6f5';
export const worldUuids = {
  workflow: '0b6f6a1e-5b7c-4d1e-9a6f-3c2b1a0d9e8f',
  failure: 'e0000000-0000-4000-8000-000000000001',
  success: 'e0000000-0000-4000-8000-000000000002',
  deployment: 'd0000000-0000-4000-8000-000000000001',
} as const;

/** The addresses of a deployment's artifacts, the only ones of the service that an answer may link to. */
export const artifactUrls = ['https://artifacts.example/binary', 'https://artifacts.example/config'] as const;

const minuteMs = 60_000;
/** @param minutes before `worldNow` */
export const worldTime = (minutes: number) => new Date(worldNow - minutes * minuteMs).toISOString();

type Row = Readonly<Record<string, unknown>>;

/** Texts of a tenant or the platform, by their field. */
export type WorldTexts = {
  readonly workflowName: string;
  readonly executionError: string;
  readonly logMessage: string;
  readonly nodeId: string;
  readonly capabilityId: string;
  readonly deploymentError: string;
  readonly organizationName: string;
  readonly accountName: string;
};

/** Overrides, by the kind of record. */
export type WorldRows = {
  readonly workflow?: Row;
  readonly failure?: Row;
  readonly event?: Row;
  readonly log?: readonly Row[];
  /** Replaces the failure and the success. */
  readonly executions?: readonly Row[];
};

/** The published schema without enums and non-null types. */
const schema = buildSchema(
  readFileSync(new URL('../../../queries/schema.graphql', import.meta.url), 'utf8')
    .replace(/enum (\w+) \{[^}]*\}/g, 'scalar $1')
    .replace(/!(?=[\s\])])/g, ''),
);

export function sameText(text: string): WorldTexts {
  return {
    workflowName: text,
    executionError: text,
    logMessage: text,
    nodeId: text,
    capabilityId: text,
    deploymentError: text,
    organizationName: text,
    accountName: text,
  };
}

export const plainTexts: WorldTexts = {
  workflowName: 'payments',
  executionError: 'connection refused',
  logMessage: 'sent the payout',
  nodeId: 'node-1',
  capabilityId: 'http-actions@1.0.0',
  deploymentError: 'artifact not found',
  organizationName: 'Acme',
  accountName: 'Ada',
};

/** @param textsOf returns the texts of the answer to a request, and may echo the request */
export async function startWorld(
  textsOf: (request: HostileRequest) => WorldTexts = () => plainTexts,
  rows: WorldRows = {},
): Promise<HostileHttp> {
  return startHostileHttp(worldOf(textsOf, rows));
}

export function worldOf(textsOf: (request: HostileRequest) => WorldTexts, rows: WorldRows = {}): Behaviour {
  return async (request, response) => {
    const result = await answerInWorld(request, textsOf(request), rows);
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(result));
  };
}

/** @returns GraphQL's result */
export function answerInWorld({ body }: HostileRequest, texts: WorldTexts, rows: WorldRows = {}) {
  const { query, variables } = JSON.parse(body);
  const document = documentOf(query);
  return execute({ schema, document, variableValues: variables, rootValue: rootOf(texts, rows) });
}

const documents = new Map<string, DocumentNode>();

/** The bot sends few documents, each many times, so each is validated once. @throws Error if it violates the contract */
function documentOf(query: string): DocumentNode {
  const known = documents.get(query);
  if (known) return known;
  const document = parse(query);
  const [problem] = validate(schema, document);
  if (problem) throw problem;
  documents.set(query, document);
  return document;
}

type Given = { readonly input: Row & { readonly page?: { readonly number?: number } } };

function page(rows: readonly Row[], { input }: Given) {
  const statuses = input['status'];
  const wanted = Array.isArray(statuses) ? rows.filter(({ status }) => statuses.includes(status)) : rows;
  return { data: (input.page?.number ?? 0) > 0 ? [] : wanted, count: wanted.length };
}

function rootOf(texts: WorldTexts, rows: WorldRows): unknown {
  const workflow = workflowOf(texts, rows);
  const executions = rows.executions ?? executionsOf(texts, rows);
  const deployment = deploymentOf(texts);
  const own = { capabilityID: texts.capabilityId, method: texts.capabilityId, startedAt: worldTime(2) };
  const failed = { error: texts.executionError, count: 9 };
  const events = [
    { ...own, status: 'COMPLETED', finishedAt: worldTime(1.95), errors: [] },
    {
      ...own,
      status: 'FAILED',
      startedAt: worldTime(1.95),
      finishedAt: worldTime(1.9),
      errors: [failed],
      ...rows.event,
    },
  ];
  return {
    getOrganization: {
      organizationId: 'o-1',
      displayName: texts.organizationName,
      restrictionStatus: 'FULL_ACCESS',
      activeStatus: 'ACTIVE',
      createdAt: worldTime(90_000),
    },
    getAccountDetails: {
      memberId: 'm-1',
      displayName: texts.accountName,
      emailAddress: 'ada@acme.example',
      organizationId: 'o-1',
      memberStatus: 'JOINED',
      memberType: 'ADMIN',
      createdAt: worldTime(90_000),
    },
    workflows: (given: Given) => page([workflow], given),
    workflow: { data: workflow },
    workflowActivity: {
      data: [{ from: worldTime(1440), to: worldTime(0), successCount: 3, failureCount: 1 }],
    },
    workflowExecutions: (given: Given) => page(executions, given),
    workflowExecution: ({ input }: Given) => ({ data: executions.find(({ uuid }) => uuid === input['uuid']) ?? null }),
    workflowExecutionEvents: { data: events },
    workflowExecutionLogs: { data: rows.log ?? logOf(texts) },
    workflowDeployments: (given: Given) => page([deployment], given),
    workflowDeployment: { data: deployment },
  };
}

function workflowOf({ workflowName }: WorldTexts, rows: WorldRows): Row {
  return {
    uuid: worldUuids.workflow,
    name: workflowName,
    workflowId: 'a'.repeat(64),
    status: 'ACTIVE',
    ownerAddress: 'a'.repeat(40),
    registeredAt: worldTime(90_000),
    executedAt: worldTime(2),
    executionCount: 4,
    executionCountByStatus: { success: 3, failure: 1 },
    creditUsed: '0.5',
    ...rows.workflow,
  };
}

function executionsOf(texts: WorldTexts, rows: WorldRows): readonly Row[] {
  const own = { id: 'b'.repeat(64), workflowName: texts.workflowName, workflowUUID: worldUuids.workflow };
  const failed = [{ error: texts.executionError, count: 9 }];
  return [
    {
      ...own,
      uuid: worldUuids.failure,
      status: 'FAILURE',
      classifiedStatus: 'USER_ERROR',
      startedAt: worldTime(2),
      finishedAt: worldTime(1.9),
      errors: failed,
      ...rows.failure,
    },
    {
      ...own,
      uuid: worldUuids.success,
      status: 'SUCCESS',
      classifiedStatus: 'SUCCESS',
      startedAt: worldTime(12),
      finishedAt: worldTime(11.9),
      errors: [],
    },
  ];
}

function deploymentOf({ deploymentError }: WorldTexts): Row {
  return {
    uuid: worldUuids.deployment,
    status: 'FAILED',
    deployedAt: worldTime(5),
    txHash: 'c'.repeat(64),
    errorMessage: deploymentError,
    binaryURL: artifactUrls[0],
    configURL: artifactUrls[1],
    workflowID: 'a'.repeat(64),
  };
}

/** One node with the name, and two others. */
function logOf({ nodeId, logMessage }: WorldTexts): readonly Row[] {
  const at = { timestamp: worldTime(1.95) };
  return [
    { nodeID: nodeId, message: logMessage, ...at },
    { nodeID: 'node-2', message: 'fine', ...at },
    { nodeID: 'node-3', message: 'fine', ...at },
  ];
}
