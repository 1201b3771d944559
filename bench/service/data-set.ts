/** The data set of the benchmark: one organization, fifty workflows, any number of executions; deterministic. */
import { dayMs, hourMs } from '../../src/query-service/records/reads/periods.ts';
import type {
  DeploymentRecord,
  ErrorRecord,
  EventRecord,
  ExecutionRecord,
  LogRecord,
  OrganizationRecord,
  WorkflowRecord,
} from '../../src/query-service/records/record.ts';
import { createRandom, type Random, uuidFrom } from '../../src/query-service/sample/random.ts';

export const organizationId = 'org_bench';
/** Start of the last execution; not at the beginning of a day, an hour or a second. */
export const endAt = Date.UTC(2026, 10, 20, 10, 37, 12, 345);
const spanMs = 90 * dayMs;

/** Every name is a domain and a task: a search for a domain finds ten. */
export const domains = ['payments', 'ledger', 'pricing', 'custody', 'identity'] as const;
const tasks = ['sync', 'audit', 'export', 'reconcile', 'alerts', 'backfill', 'refresh', 'report', 'settle', 'watch'];

const detailedLatest = 20;
const detailedOf = 1_000;
const nodes = 10;
const logsPerNode = 20;
const failurePercent = 6;

/** The first number of each kind of record seeds it. */
const seeds = { workflow: 1, deployment: 2, execution: 3 } as const;

export const organization: OrganizationRecord = {
  organizationId,
  displayName: 'Bench',
  restrictionStatus: 'FULL_ACCESS',
  activeStatus: 'ACTIVE',
  createdAt: endAt - 2 * spanMs,
  updatedAt: null,
  tenantId: 1,
};

export const workflows: readonly WorkflowRecord[] = domains
  .flatMap((domain) => tasks.map((task) => `${domain}-${task}`))
  .map((name, index) => {
    const random = createRandom(seeds.workflow, index);
    return {
      organizationId,
      uuid: uuidFrom(random),
      name,
      workflowId: random.hex(64),
      status: index % 10 === 9 ? 'PAUSED' : 'ACTIVE',
      ownerAddress: random.hex(40),
      registeredAt: endAt - spanMs - index * hourMs,
      workflowSource: 'PRIVATE',
    };
  });

export const deployments: readonly DeploymentRecord[] = workflows.flatMap((workflow, index) =>
  Array.from({ length: 6 }, (_, nth): DeploymentRecord => {
    const random = createRandom(seeds.deployment, index, nth);
    return {
      organizationId,
      uuid: uuidFrom(random),
      workflowUuid: workflow.uuid,
      workflowId: workflow.workflowId,
      status: nth === 2 ? 'FAILED' : nth % 2 === 1 ? 'PAUSED' : 'ACTIVE',
      deployedAt: endAt - (nth + 1) * 14 * dayMs - index * hourMs,
      txHash: random.hex(64),
      errorMessage: nth === 2 ? 'The binary could not be fetched: the artifact store answered 503.' : null,
      binaryUrl: `https://artifacts.example.com/${random.hex(32)}/binary.wasm`,
      configUrl: `https://artifacts.example.com/${random.hex(32)}/config.yaml`,
      workflowSource: workflow.workflowSource,
      hasTeeExecutions: true,
      hasNonTeeExecutions: true,
    };
  }),
);

/** @param back 0 for the workflow's latest execution, 1 for the one before @param of the number of executions */
export function latestExecution(workflowIndex: number, back: number, of: number): ExecutionRecord {
  const last = of - 1 - ((of - 1 - workflowIndex) % workflows.length);
  return execution(last - back * workflows.length, of);
}

/** @returns the execution with a number below `of`, oldest first, the workflows alternating */
export function execution(index: number, of: number): ExecutionRecord {
  const random = createRandom(seeds.execution, index);
  const workflow = workflows[index % workflows.length];
  const startedAt = Math.round(endAt - spanMs + ((index + 1) * spanMs) / of);
  const isFailed = random.between(0, 99) < failurePercent;
  const isUserError = random.between(0, 2) > 0;
  const isDetailed = index >= of - detailedLatest * workflows.length || random.between(1, detailedOf) === 1;
  return {
    organizationId,
    uuid: uuidFrom(random),
    id: random.hex(64),
    workflowUuid: workflow?.uuid ?? '',
    status: isFailed ? 'FAILURE' : 'SUCCESS',
    classifiedStatus: isFailed ? (isUserError ? 'USER_ERROR' : 'SYSTEM_ERROR') : 'SUCCESS',
    detailedStatus: isFailed ? 'FAILED' : 'COMPLETED',
    startedAt,
    finishedAt: startedAt + random.between(400, 9_000),
    creditMicros: random.between(1_000, 90_000),
    executedInTee: random.between(0, 2) === 0,
    errors: isFailed ? errorsOf(random) : null,
    logs: isDetailed ? logsOf(random, startedAt) : null,
    events: isDetailed ? eventsOf(random, startedAt, isFailed) : null,
  };
}

function errorsOf(random: Random): readonly ErrorRecord[] {
  const refused = {
    error: `failed to execute capability http-actions@1.0.0-alpha: POST https://api.example.com/v2/quotes answered 429 after ${random.between(3, 9)} attempts`,
    count: random.between(1, nodes),
  };
  const lost = {
    error: `consensus failed: ${random.between(4, 6)} of ${nodes} nodes answered before the deadline of 20000 ms (request ${random.hex(16)})`,
    count: nodes,
  };
  return random.between(0, 2) === 0 ? [refused, lost] : [random.pick([refused, lost])];
}

function logsOf(random: Random, startedAt: number): readonly LogRecord[] {
  return Array.from({ length: nodes * logsPerNode }, (_, index) => ({
    nodeId: `node-${(index % nodes) + 1}`,
    message: `level=info msg="step ${Math.floor(index / nodes) + 1} done" request=${random.hex(16)} attempt=1 latency=${random.between(2, 900)}ms`,
    timestamp: startedAt + index * 17,
  }));
}

function eventsOf(random: Random, startedAt: number, isFailed: boolean): readonly EventRecord[] {
  const capabilities = ['http-trigger', 'http-actions', 'consensus', 'confidential-http', 'evm'] as const;
  return Array.from({ length: 10 }, (_, index) => ({
    capabilityId: `${random.pick(capabilities)}@1.0.0-alpha`,
    status: isFailed && index === 9 ? 'FAILURE' : 'COMPLETED',
    method: index === 0 ? 'Trigger' : 'SendRequest',
    startedAt: startedAt + index * 300,
    finishedAt: startedAt + index * 300 + random.between(20, 290),
    errors: isFailed && index === 9 ? errorsOf(random) : null,
  }));
}
