/** The organization's workflows: one page, a search by name, or all of them. */

import type { Found, Operation } from '../cache/answers.ts';
import type { Ask } from '../client/client.ts';
import { faultOf } from '../client/fault.ts';
import { WorkflowNamesDocument, WorkflowsDocument, type WorkflowsInput } from '../generated/operations.ts';
import type { WorkflowsFilter, WorkflowsSelection } from '../parameters.ts';
import type { Workflow, WorkflowName, WorkflowNamePage, WorkflowPage } from '../results.ts';
import {
  hasMore,
  lackWords,
  type Page,
  pageSizeMax,
  readPage,
  readPages,
  rowTypes,
  uniqueByUuid,
  unreadableWords,
} from '../rows.ts';

/** A list shows the last executions. */
const listFreshMs = 30_000;
/** A name keeps its uuid. */
const namesFreshMs = 5 * 60_000;
/** A workflow may have been deployed since. */
const nothingFreshMs = 15_000;
const allFreshMs = 60_000;

const pagesMax = 50;

export function workflowsOperation({ search, statuses, page, size }: WorkflowsFilter): Operation<WorkflowPage> {
  const input: WorkflowsInput = {
    page: { number: page, size },
    ...(search !== undefined && { search }),
    ...(statuses && { status: statuses }),
  };
  return {
    name: 'workflows',
    parameters: [JSON.stringify(input)],
    subject: 'the list of workflows',
    freshMs: () => listFreshMs,
    read: async (ask) => {
      const read = await workflowPage(ask, input, size);
      const workflows = uniqueByUuid(read.rows).filter(({ status }) => statuses?.includes(status) ?? true);
      return {
        data: { workflows, hasMore: hasMore(read, page * size, size) },
        missing: lackWords(read, 'workflows'),
      };
    },
  };
}

export function workflowNamesOperation(search: string): Operation<WorkflowNamePage> {
  return {
    name: 'workflow names',
    parameters: [search],
    subject: 'the workflows by name',
    freshMs: ({ workflows }) => (workflows.length > 0 ? namesFreshMs : nothingFreshMs),
    read: async (ask) => {
      const page = await namePage(ask, { search, page: { number: 0, size: pageSizeMax } }, pageSizeMax);
      return {
        data: { workflows: uniqueByUuid(page.rows), hasMore: hasMore(page, 0, pageSizeMax) },
        missing: lackWords(page, 'workflows'),
      };
    },
  };
}

export const allWorkflowsOperation: Operation<readonly WorkflowName[]> = {
  name: 'all workflows',
  parameters: [],
  subject: 'the names of all workflows',
  freshMs: () => allFreshMs,
  read: (ask) => readAll((page) => namePage(ask, { page })),
};

export function everyWorkflowOperation({ search, statuses }: WorkflowsSelection): Operation<readonly Workflow[]> {
  const selection = { ...(search !== undefined && { search }), ...(statuses && { status: statuses }) };
  return {
    name: 'every workflow',
    parameters: [JSON.stringify(selection)],
    subject: 'the list of all workflows',
    freshMs: () => listFreshMs,
    read: async (ask) => {
      const { data, missing } = await readAll((page) => workflowPage(ask, { page, ...selection }));
      // A service may ignore the statuses.
      return { data: data.filter(({ status }) => statuses?.includes(status) ?? true), missing };
    },
  };
}

async function namePage(ask: Ask, input: WorkflowsInput, rowsMax?: number): Promise<Page<WorkflowName>> {
  const reply = await ask(WorkflowNamesDocument, { input });
  return readPage(rowTypes.workflowName, reply.part('workflows'), 'workflows', rowsMax);
}

async function workflowPage(ask: Ask, input: WorkflowsInput, rowsMax?: number): Promise<Page<Workflow>> {
  const reply = await ask(WorkflowsDocument, { input });
  return readPage(rowTypes.workflow, reply.part('workflows'), 'workflows', rowsMax);
}

/** If a page fails, those before it are returned. */
async function readAll<Row extends { readonly uuid: string }>(
  read: Parameters<typeof readPages<Row>>[0],
): Promise<Found<readonly Row[]>> {
  const found = new Map<string, Row>();
  let unreadable = 0;
  try {
    for await (const { page, isLast } of readPages(read, pagesMax)) {
      for (const row of page.rows) if (!found.has(row.uuid)) found.set(row.uuid, row);
      unreadable += page.unreadable;
      // Surplus rows that the next page does not repeat are lost.
      if (isLast && page.surplus === 0) {
        return { data: [...found.values()], missing: unreadableWords(unreadable, 'workflows') };
      }
    }
  } catch (error) {
    if (found.size === 0 || faultOf(error).kind === 'unauthorized') throw error;
  }
  return { data: [...found.values()], missing: [`the workflows after the first ${found.size}`] };
}
