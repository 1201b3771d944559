/** Everything that the query service has of one organization, as it returns it: the raw lists of a recount. */
import type { TestService } from '../service/service.ts';

export type RawWorkflow = {
  readonly uuid: string;
  readonly name: string;
  readonly status: string;
  readonly registeredAt: string;
  readonly executedAt: string | null;
  readonly executionCountByStatus: { readonly success: number; readonly failure: number };
};

export type RawExecution = {
  readonly uuid: string;
  readonly workflowUUID: string;
  readonly workflowName: string;
  readonly status: string;
  readonly classifiedStatus: string | null;
  readonly detailedStatus: string | null;
  readonly startedAt: string;
  readonly finishedAt: string | null;
  readonly creditUsed: string | null;
  readonly errors: readonly { readonly error: string }[] | null;
};

type Deployment = { readonly status: string; readonly deployedAt: string };

export type RawDeployment = Deployment & { readonly workflowUUID: string; readonly workflowName: string };

export type RawLists = {
  readonly workflows: readonly RawWorkflow[];
  readonly executions: readonly RawExecution[];
  readonly deployments: readonly RawDeployment[];
};

/** Epoch milliseconds, `to` excluded. */
export type Span = { readonly from: number; readonly to: number };

const pageSize = 100;

async function everyRow<Row>(
  service: TestService,
  apiKey: string,
  field: string,
  input: string,
  fields: string,
): Promise<readonly Row[]> {
  const rows: Row[] = [];
  for (let number = 0; ; number += 1) {
    const query = `{ ${field}(input: { ${input} page: { number: ${number}, size: ${pageSize} } }) { data { ${fields} } } }`;
    const { body } = await service.ask<Record<string, { readonly data: readonly Row[] }>>(query, null, apiKey);
    const page = body.data?.[field]?.data;
    if (page === undefined) throw new Error(JSON.stringify(body));
    rows.push(...page);
    if (page.length < pageSize) return rows;
  }
}

const workflowFields = 'uuid name status registeredAt executedAt executionCountByStatus { success failure }';
const executionFields =
  'uuid workflowName status classifiedStatus detailedStatus startedAt finishedAt creditUsed errors { error }';

export async function readRawLists(service: TestService, apiKey: string): Promise<RawLists> {
  const workflows = await everyRow<RawWorkflow>(service, apiKey, 'workflows', '', workflowFields);
  const executions: RawExecution[] = [];
  const deployments: RawDeployment[] = [];
  for (const { uuid: workflowUUID, name: workflowName } of workflows) {
    const input = `workflowUUID: "${workflowUUID}"`;
    const ofWorkflow = `workflowUuid: "${workflowUUID}"`;
    const runs = await everyRow<RawExecution>(service, apiKey, 'workflowExecutions', ofWorkflow, executionFields);
    executions.push(...runs.map((run) => ({ ...run, workflowUUID })));
    const own = await everyRow<Deployment>(service, apiKey, 'workflowDeployments', input, 'status deployedAt');
    deployments.push(...own.map((deployment) => ({ ...deployment, workflowUUID, workflowName })));
  }
  return { workflows, executions, deployments };
}

export const startOf = ({ startedAt }: RawExecution): number => Date.parse(startedAt);

/** The end; the start if there is no end, or one before the start. */
export function endOf(run: RawExecution): number {
  return Math.max(startOf(run), Date.parse(run.finishedAt ?? run.startedAt));
}

/** Generated errors of one cause differ in their numbers only. */
export function causeOf({ errors }: RawExecution): string {
  return (errors ?? []).map(({ error }) => error.replaceAll(/\d+/g, '#')).join(' | ');
}
