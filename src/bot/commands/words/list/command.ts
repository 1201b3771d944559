/** `list`: a page of the organization's workflows with their health, the most urgent first. */
import { z } from 'zod';
import { combinedProvenance } from '../../../domain/provenance.ts';
import { isIdLike } from '../../../domain/reference.ts';
import { type JudgedRow, judgedMax, lastToRun, queryHealth } from '../../../health/workflow-health.ts';
import { byUrgency } from '../../../insight/health/health.ts';
import type { WorkflowsSelection } from '../../../query/parameters.ts';
import type { QueryClient } from '../../../query/query-client.ts';
import type { Answered, Workflow } from '../../../query/results.ts';
import { leftOutWords } from '../../../views/notices/pick.ts';
import { pageNumber, searchText, statusReader } from '../../framework/arguments.ts';
import { defineCommand, ephemeral } from '../../framework/command.ts';
import { unknownWorkflow } from '../../lookup/find-workflow.ts';
import { readBeside, readTyped } from '../../lookup/typed-words.ts';
import {
  cutPage,
  deploymentStatusesOf,
  type ListedStatus,
  type ListFilter,
  listedStatuses,
  listedStatusLabel,
  listMessage,
  type WorkflowList,
} from './view.ts';

const notGood = ['not ok', 'not okay', 'not fine', 'not good', 'not healthy', 'not green', 'unhealthy', 'bad'];

const listStatuses = statusReader(listedStatuses, listedStatusLabel, {
  failing: ['failed', 'broken', 'down', 'red', ...notGood],
  silent: ['not running', ...notGood],
  never_ran: notGood,
  unstable: ['yellow', ...notGood],
  with_errors: notGood,
  healthy: ['ok', 'green'],
});

export const list = defineCommand({
  name: 'list',
  group: 'look',
  summary: 'the workflows with their health, last run and failures, most urgent first',
  usage: '[text] [--status failing,silent,paused,…] [--page n]',
  examples: ['list', 'list pay', 'list failing', 'list --status silent,never-ran'],
  arguments: z.strictObject({
    text: searchText,
    status: listStatuses.schema,
    page: pageNumber,
  }),
  run: async ({ text, status, page }, context) => {
    const ask = context.ask();
    const now = context.clock();
    const of = async (filter: ListFilter): Promise<WorkflowList> => ({
      ...(await judge(ask, await ask.everyWorkflow(selectionOf(filter)), { ...filter, page, now })),
      ...{ ...filter, page, now },
    });
    // `red` is a status before it is a part of “carbon-credits”.
    const isStatus = status === undefined && listStatuses.schema.safeParse(text).data !== undefined;
    const named = isStatus ? null : await of({ text, statuses: status });
    if (named && (text === undefined || named.total > 0)) return ephemeral(listMessage(named));
    const { lead, ...read } = readSentence(text ?? '', status);
    if (readTyped(text ?? '').words.some(isIdLike)) throw unknownWorkflow();
    return ephemeral(listMessage(await of(read)), lead);
  },
});

/** Words that are in no name are a status such as `failing`, a window, or words of a sentence. */
function readSentence(text: string, typed: ListFilter['statuses']) {
  const { unusedWindow, others } = readBeside(readTyped(text).words, { takesWindow: false });
  const read = typed === undefined ? listStatuses.among(others) : { statuses: typed, others };
  const lead = leftOutWords({ unusedWindow, unread: '' }, null);
  const rest = readBeside(read.others).unread;
  return { text: rest || undefined, statuses: read.statuses.length === 0 ? undefined : read.statuses, lead };
}

/** The health is not known to the service: it is looked at afterwards. */
function selectionOf({ text, statuses }: ListFilter): WorkflowsSelection {
  const ofService = statuses?.flatMap(deploymentStatusesOf) ?? [];
  const isOfService = statuses !== undefined && ofService.length === statuses.length;
  return { ...(text !== undefined && { search: text }), ...(isOfService && { statuses: ofService }) };
}

type Wanted = ListFilter & { readonly page: number; readonly now: number };

/**
 * If there are more workflows than are judged, pages are cut by name, and only the workflows of this page are judged; those with a
 * health are looked for among the last that ran.
 */
async function judge(
  ask: QueryClient,
  { data, provenance }: Answered<readonly Workflow[]>,
  { statuses, page, now }: Wanted,
) {
  const isAll = data.length <= judgedMax;
  const byHealth = statuses?.some((status) => deploymentStatusesOf(status).length === 0) ?? false;
  const byName = data.toSorted((one, other) => one.name.localeCompare(other.name));
  const looked = isAll ? byName : byHealth ? lastToRun(data) : cutPage(byName, page);
  const health = await queryHealth(ask, looked, Math.min(now, provenance.asOf));
  const judged = byUrgency(health.data).filter(
    (row) => !byHealth || statuses?.some((status) => hasStatus(row, status)),
  );
  const combined = combinedProvenance(provenance, health.provenance);
  const left = byHealth ? data.length - looked.length : 0;
  const missing = [...combined.missing, ...(left > 0 ? [`the health of ${left} of the workflows`] : [])];
  return { judged, total: byHealth ? judged.length : data.length, provenance: { ...combined, missing } };
}

function hasStatus({ workflow, health }: JudgedRow, status: ListedStatus): boolean {
  return health.verdict === status || deploymentStatusesOf(status).some((one) => one === workflow.status);
}
