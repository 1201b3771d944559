/** A workflow's deployments, and one of them. */

import type { Operation } from '../cache/answers.ts';
import { badAnswer } from '../client/fault.ts';
import { isNotFound } from '../client/reply.ts';
import { WorkflowDeploymentDocument, WorkflowDeploymentsDocument } from '../generated/operations.ts';
import type { DeploymentsParameters } from '../parameters.ts';
import type { CountedDeployment, DeploymentDetail, DeploymentPage } from '../results.ts';
import { hasMore, lackWords, readRow, readRows, rowTypes, uniqueByUuid } from '../rows.ts';

const freshMs = 30_000;
/** The deployment may just have been made. */
const nothingFreshMs = 5_000;

export function deploymentsOperation({ workflowUuid, page, size }: DeploymentsParameters): Operation<DeploymentPage> {
  return {
    name: 'deployments',
    parameters: [workflowUuid, page, size],
    subject: 'the deployments',
    freshMs: () => freshMs,
    read: async (ask) => {
      const input = { workflowUUID: workflowUuid, page: { number: page, size } };
      const outcome = await ask(WorkflowDeploymentsDocument, { input });
      if ('fault' in outcome) return outcome;
      const part = outcome.value.part('workflowDeployments');
      const rows = readRows(rowTypes.countedDeployment, part?.['data'], size);
      if (!rows) return badAnswer('no list of deployments in it');
      return {
        value: {
          data: {
            deployments: newestDeployedFirst(rows.rows),
            hasMore: hasMore(rows, part?.['count'], page * size, size),
          },
          missing: lackWords(rows, 'deployments'),
        },
      };
    },
  };
}

/** A service may return another order. */
export function newestDeployedFirst<Row extends DeploymentDetail>(rows: readonly Row[]): readonly Row[] {
  return uniqueByUuid(rows).toSorted((a, b) => Date.parse(b.deployedAt) - Date.parse(a.deployedAt));
}

export function deploymentOperation(uuid: string): Operation<CountedDeployment | null> {
  return {
    name: 'deployment',
    parameters: [uuid],
    subject: 'this deployment',
    freshMs: (deployment) => (deployment ? freshMs : nothingFreshMs),
    read: async (ask) => {
      const outcome = await ask(WorkflowDeploymentDocument, { input: { uuid } });
      if ('fault' in outcome) return outcome;
      const { part, errors } = outcome.value;
      const row = part('workflowDeployment')?.['data'] ?? null;
      const deployment = readRow(rowTypes.countedDeployment, row);
      if (deployment) return { value: { data: deployment, missing: [] } };
      if (row !== null) return badAnswer('a deployment that cannot be read');
      if (errors.length === 0 || errors.some(isNotFound)) return { value: { data: null, missing: [] } };
      return { fault: { kind: 'failed_answer', detail: 'no deployment in it, and an error about it' } };
    },
  };
}
