/** The heaviest documents that the limits of the service allow, built from each operation. */

/** The records that the documents read: a workflow, and executions with the most possible logs and events. */
export type HeavyData = { readonly workflowUuid: string; readonly executionUuids: readonly string[] };

export type HeavyDocument = { readonly name: string; readonly query: string };

const aliasesMax = 15;
const recordsMax = 1_000;
const searches = ['a', 'ab', '0f9', 'abcdef', 'zz', 'f'.repeat(63)];
const orders = ['ID', 'STATUS', 'STARTED_AT', 'CREDIT_USED'].flatMap((field) => [
  { field, order: 'ASC' },
  { field, order: 'DESC' },
]);
const workflowOrders = ['NAME', 'STATUS', 'EXECUTED_AT'];
const everyField = `uuid id workflowName status classifiedStatus startedAt finishedAt executedInTee errors { error count }
  workflowUUID workflowId creditUsed detailedStatus`;
const everyWorkflowField = `uuid name workflowId status ownerAddress registeredAt executedAt executionCount
  executionCountByStatus { success failure } creditUsed hasTeeExecutions hasNonTeeExecutions workflowSource`;
const range = '2025-11-20T00:30:00Z';
const until = '2026-11-21T00:00:00Z';

/** @returns every document, named after its load */
export function heavyDocuments(data: HeavyData): readonly HeavyDocument[] {
  return [
    ...searches.map((search) =>
      aliased(`searches for “${search.slice(0, 6)}”`, aliasesMax, (n) =>
        executions(`search: "${search}", page: { number: ${n}, size: 1 }`, 'uuid'),
      ),
    ),
    ...orders.map(({ field, order }) =>
      aliased(`pages in the order of ${field} ${order}`, 10, (n) =>
        executions(`orderBy: { field: ${field}, order: ${order} }, page: { number: ${n}, size: 100 }`, everyField),
      ),
    ),
    aliased('pages deep down', 10, (n) => executions(`page: { number: ${9_000 + n}, size: 100 }`, everyField)),
    aliased('totals of a span with edges', aliasesMax, (n) =>
      executions(`from: "${range}", page: { size: ${n + 1} }`, 'id'),
    ),
    ...workflowOrders.map((field) =>
      aliased(`workflows in the order of ${field}`, 10, () =>
        workflows(`search: "a", orderBy: { field: ${field}, order: DESC }`),
      ),
    ),
    aliased(
      'a year of days',
      10,
      () => `workflowActivity(input: { from: "${range}", to: "${until}" }) { data { from successCount } }`,
    ),
    aliased('deployments with counts', 10, () => deployments(data.workflowUuid)),
    logsOf(data),
    aliased('events of executions', aliasesMax, (n) =>
      details(
        'Events',
        data.executionUuids[n % data.executionUuids.length],
        'capabilityID status startedAt errors { error count }',
      ),
    ),
    { name: 'as many fields as there may be', query: `{ ${manyFields()} }` },
  ];
}

function aliased(name: string, count: number, field: (index: number) => string): HeavyDocument {
  const fields = Array.from({ length: count }, (_, index) => `a${index}: ${field(index)}`);
  return { name, query: `{ ${fields.join(' ')} }` };
}

function executions(input: string, fields: string): string {
  return `workflowExecutions(input: { ${input} }) { count data { ${fields} } }`;
}

function workflows(input: string): string {
  return `workflows(input: { ${input}, page: { size: 100 } }) { count data { ${everyWorkflowField} } }`;
}

function deployments(workflowUuid: string): string {
  const input = `workflowUUID: "${workflowUuid}", page: { size: 100 }, orderBy: { field: WORKFLOW_ID, order: ASC }`;
  return `workflowDeployments(input: { ${input} }) { count data { uuid executionCountByStatus { success failure } } }`;
}

function details(of: 'Logs' | 'Events', uuid: string | undefined, fields: string): string {
  return `workflowExecution${of}(input: { workflowExecutionUUID: "${uuid}" }) { data { ${fields} } }`;
}

/** The most logs that the weight limit allows in one document. */
function logsOf({ executionUuids }: HeavyData): HeavyDocument {
  const count = Math.floor(recordsMax / logsWeight);
  return aliased('logs of executions', count, (n) =>
    details('Logs', executionUuids[n % executionUuids.length], 'nodeID message timestamp'),
  );
}

/** The same limit as in src/query-service/graphql/inputs.ts. */
const logsWeight = 750;

function manyFields(): string {
  const list = (n: number) => `a${n}: ${executions(`page: { size: 60 }`, `${everyField} `.repeat(1))}`;
  return Array.from({ length: aliasesMax }, (_, index) => list(index)).join(' ');
}
