/** `list`: a page of the organization's workflows with their health, the most urgent first. */
import { z } from 'zod';
import { combinedProvenance } from '../../../domain/provenance.ts';
import { judgedMax, queryHealth } from '../../../health/workflow-health.ts';
import { byUrgency } from '../../../insight/health/health-summary.ts';
import type { QueryClient } from '../../../query/query-client.ts';
import type { Answered, Workflow } from '../../../query/results.ts';
import { deploymentStatusLabel } from '../../../views/format/status-labels.ts';
import { pageNumber, searchText, statusList } from '../../framework/arguments.ts';
import { defineCommand, ephemeral } from '../../framework/command.ts';
import { cutPage, listMessage, type WorkflowList } from './view.ts';

export const list = defineCommand({
  name: 'list',
  group: 'look',
  summary: 'the workflows with their health, last run and failures, most urgent first',
  usage: '[text] [--status active,paused,…] [--page n]',
  examples: ['list', 'list pay', 'list --status paused'],
  arguments: z.strictObject({
    text: searchText,
    status: statusList(['ACTIVE', 'PAUSED', 'PENDING', 'FAILED', 'DELETED'], deploymentStatusLabel),
    page: pageNumber,
  }),
  run: async ({ text, status: statuses, page }, context) => {
    const ask = context.ask();
    const selection = { ...(text !== undefined && { search: text }), ...(statuses && { statuses }) };
    const listed = await ask.everyWorkflow(selection);
    const now = context.clock();
    return ephemeral(listMessage({ ...(await judge(ask, listed, page, now)), text, statuses, page, now }));
  },
});

/** If there are more workflows than are judged, pages are cut by name, and only the workflows of this page are judged. */
async function judge(
  ask: QueryClient,
  { data, provenance }: Answered<readonly Workflow[]>,
  page: number,
  now: number,
): Promise<Pick<WorkflowList, 'judged' | 'total' | 'provenance'>> {
  const byName = data.toSorted((one, other) => one.name.localeCompare(other.name));
  const looked = data.length <= judgedMax ? byName : cutPage(byName, page);
  const health = await queryHealth(ask, looked, { now: Math.min(now, provenance.asOf), hasDeployments: false });
  return {
    judged: byUrgency(health.data),
    total: data.length,
    provenance: combinedProvenance(provenance, health.provenance),
  };
}
