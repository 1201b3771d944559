/**
 * Counts the facts of a digest a second time, from the raw lists of the query service and the definitions in docs/truth.md alone: it shares no
 * code with the bot.
 */
import type { TestService } from './service.ts';

type RawWorkflow = { readonly uuid: string; readonly name: string; readonly status: string };

type RawExecution = {
  readonly uuid: string;
  readonly workflowName: string;
  readonly status: string;
  readonly detailedStatus: string | null;
  readonly startedAt: string;
  readonly finishedAt: string | null;
  readonly creditUsed: string | null;
  readonly errors: readonly { readonly error: string }[] | null;
};

type RawDeployment = { readonly status: string; readonly deployedAt: string };

export type RawLists = {
  readonly workflows: readonly RawWorkflow[];
  readonly executions: readonly RawExecution[];
  readonly deployments: readonly (RawDeployment & { readonly workflowName: string })[];
};

type Window = { readonly from: number; readonly to: number };

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

export async function readRawLists(service: TestService, apiKey: string): Promise<RawLists> {
  const workflows = await everyRow<RawWorkflow>(service, apiKey, 'workflows', '', 'uuid name status');
  const fields = 'uuid workflowName status detailedStatus startedAt finishedAt creditUsed errors { error }';
  const executions = await everyRow<RawExecution>(service, apiKey, 'workflowExecutions', '', fields);
  const deployments = await Promise.all(
    workflows.map(async ({ uuid, name }) => {
      const input = `workflowUUID: "${uuid}"`;
      const own = await everyRow<RawDeployment>(service, apiKey, 'workflowDeployments', input, 'status deployedAt');
      return own.map((deployment) => ({ ...deployment, workflowName: name }));
    }),
  );
  return { workflows, executions, deployments: deployments.flat() };
}

const startOf = ({ startedAt }: RawExecution) => Date.parse(startedAt);
const isIn = ({ from, to }: Window, at: number) => at >= from && at < to;

/** The end; the start if there is no end, or one before the start. */
function endOf(run: RawExecution): number {
  return Math.max(startOf(run), Date.parse(run.finishedAt ?? run.startedAt));
}

/** Generated errors of one cause differ in their numbers only. */
function causeOf({ errors }: RawExecution): string {
  return (errors ?? []).map(({ error }) => error.replaceAll(/\d+/g, '#')).join(' | ');
}

type Counted = { readonly count: number; readonly first: number; readonly last: number };

function countOf(runs: readonly RawExecution[]): Counted {
  const starts = runs.map(startOf);
  return { count: runs.length, first: Math.min(...starts), last: Math.max(...starts) };
}

/** Facts in a form that both implementations can be brought to. */
export type Recount = {
  readonly failures: number;
  readonly failuresBefore: number;
  readonly successes: number;
  readonly successesBefore: number;
  readonly existingWorkflows: number;
  readonly failedExisting: number;
  readonly failedDeleted: number;
  /** Name, failures, first and last start, successes. */
  readonly workflows: readonly (readonly [string, number, number, number, number])[];
  /** Without their titles: count, first and last start, if it is new, and the workflows with their counts. */
  readonly causes: readonly string[];
  readonly causesResolved: number;
  readonly causesGone: number;
  readonly deployments: readonly string[];
  readonly creditMicros: number;
  readonly withErrors: number;
};

export function recount({ workflows, executions, deployments }: RawLists, window: Window): Recount {
  const before = { from: 2 * window.from - window.to, to: window.from };
  const failedIn = (span: Window) => executions.filter((run) => run.status === 'FAILURE' && isIn(span, endOf(run)));
  const startedIn = (span: Window) => executions.filter((run) => isIn(span, startOf(run)));
  const succeededIn = (span: Window) => startedIn(span).filter(({ status }) => status === 'SUCCESS');
  const [failed, failedBefore] = [failedIn(window), failedIn(before)];
  const byWorkflow = Map.groupBy(failed, ({ workflowName }) => workflowName);
  const byCause = Map.groupBy(failed, causeOf);
  const causesBefore = new Set(failedBefore.map(causeOf));
  const isBeforeKnown = failedBefore.length > 0 || succeededIn(before).length > 0;
  const existing = workflows.filter(({ status }) => status !== 'DELETED');
  const existingNames = new Set(existing.map(({ name }) => name));
  const failedExisting = [...byWorkflow.keys()].filter((name) => existingNames.has(name)).length;
  const gone = [...causesBefore].filter((cause) => !byCause.has(cause));
  const isResolved = (cause: string) => {
    const names = failedBefore.filter((run) => causeOf(run) === cause).map(({ workflowName }) => workflowName);
    return names.every((name) => {
      const own = executions.filter(({ workflowName }) => workflowName === name);
      const failedAt = Math.max(...[...failed, ...failedBefore].filter((run) => own.includes(run)).map(endOf));
      return own.some((run) => run.status === 'SUCCESS' && isIn(window, startOf(run)) && startOf(run) > failedAt);
    });
  };
  const flawed = executions.filter(({ detailedStatus }) => detailedStatus === 'COMPLETED_WITH_ERRORS');
  return {
    failures: failed.length,
    failuresBefore: failedBefore.length,
    successes: succeededIn(window).length,
    successesBefore: succeededIn(before).length,
    existingWorkflows: existing.length,
    failedExisting,
    failedDeleted: byWorkflow.size - failedExisting,
    workflows: [...byWorkflow]
      .map(([name, runs]) => {
        const { count, first, last } = countOf(runs);
        const succeeded = succeededIn(window).filter(({ workflowName }) => workflowName === name);
        return [name, count, first, last, succeeded.length] as const;
      })
      .sort(),
    causes: [...byCause]
      .map(([cause, runs]) => {
        const isNew = cause !== '' && isBeforeKnown && !causesBefore.has(cause);
        const names = [...Map.groupBy(runs, ({ workflowName }) => workflowName)].map(
          ([name, own]) => [name, own.length] as const,
        );
        return causeText(countOf(runs), isNew, names);
      })
      .sort(),
    causesResolved: gone.filter((cause) => isResolved(cause)).length,
    causesGone: gone.length,
    deployments: deployments
      .filter(({ workflowName, deployedAt }) => byWorkflow.has(workflowName) && isIn(window, Date.parse(deployedAt)))
      .map(({ workflowName, status, deployedAt }) => `${workflowName} ${status} ${Date.parse(deployedAt)}`)
      .sort(),
    creditMicros: startedIn(window).reduce((sum, { creditUsed }) => sum + Math.round(Number(creditUsed ?? 0) * 1e6), 0),
    withErrors: flawed.filter((run) => isIn(window, endOf(run))).length,
  };
}

export function causeText(
  { count, first, last }: Counted,
  isNew: boolean,
  workflows: readonly (readonly [string, number])[],
): string {
  const names = workflows.map(([name, own]) => `${name} ${own}`).sort();
  return `${isNew ? 'new' : 'not new'} ${count} ${first} ${last} ${names.join(', ')}`;
}
