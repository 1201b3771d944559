/** A workflow's deployments, and one of them. */

import type { Operation } from '../cache/answers.ts';
import { badAnswer, NoAnswer } from '../client/fault.ts';
import { isNotFound } from '../client/reply.ts';
import { WorkflowDeploymentDocument, WorkflowDeploymentsDocument } from '../generated/operations.ts';
import type { DeploymentsParameters } from '../parameters.ts';
import type { CountedDeployment, Deployment, DeploymentPage } from '../results.ts';
import { hasMore, lackWords, readPage, readRow, rowTypes, uniqueByUuid } from '../rows.ts';

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
      const part = (await ask(WorkflowDeploymentsDocument, { input })).part('workflowDeployments');
      const read = readPage(rowTypes.countedDeployment, part, 'deployments', size);
      return {
        data: { deployments: newestDeployedFirst(read.rows), hasMore: hasMore(read, page * size, size) },
        missing: lackWords(read, 'deployments'),
      };
    },
  };
}

/** A service may return another order. */
export function newestDeployedFirst<Row extends Deployment>(rows: readonly Row[]): readonly Row[] {
  return uniqueByUuid(rows).toSorted((a, b) => Date.parse(b.deployedAt) - Date.parse(a.deployedAt));
}

export function deploymentOperation(uuid: string): Operation<CountedDeployment | null> {
  return {
    name: 'deployment',
    parameters: [uuid],
    subject: 'this deployment',
    freshMs: (deployment) => (deployment ? freshMs : nothingFreshMs),
    read: async (ask) => {
      const { part, errors } = await ask(WorkflowDeploymentDocument, { input: { uuid } });
      const row = part('workflowDeployment')?.['data'] ?? null;
      const deployment = readRow(rowTypes.countedDeployment, row);
      if (deployment) return { data: deployment, missing: [] };
      if (row !== null) throw badAnswer('a deployment that cannot be read');
      if (errors.length === 0 || errors.some(isNotFound)) return { data: null, missing: [] };
      throw new NoAnswer({ kind: 'failed_answer', detail: 'no deployment in it, and an error about it' });
    },
  };
}
