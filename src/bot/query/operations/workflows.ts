/** The organization's workflows: one page, a search by name, or all of them. */

import type { Found, Operation } from '../cache/answers.ts';
import type { Ask } from '../client/client.ts';
import { badAnswer, type Outcome } from '../client/fault.ts';
import type { Reply } from '../client/reply.ts';
import { WorkflowNamesDocument, WorkflowsDocument, type WorkflowsInput } from '../generated/operations.ts';
import type { WorkflowsFilter, WorkflowsSelection } from '../parameters.ts';
import type { Workflow, WorkflowName, WorkflowNamePage, WorkflowPage } from '../results.ts';
import {
  hasMore,
  isOwnPageSize,
  lackWords,
  lengthOf,
  pageSizeMax,
  type Rows,
  readRows,
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
      const outcome = await workflowPage(ask, input, size);
      if ('fault' in outcome) return outcome;
      const { rows, count } = outcome.value;
      const workflows = uniqueByUuid(rows.rows).filter(({ status }) => statuses?.includes(status) ?? true);
      return {
        value: {
          data: { workflows, hasMore: hasMore(rows, count, page * size, size) },
          missing: lackWords(rows, 'workflows'),
        },
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
      const outcome = await namePage(ask, { search, page: { number: 0, size: pageSizeMax } }, pageSizeMax);
      if ('fault' in outcome) return outcome;
      const { rows, count } = outcome.value;
      return {
        value: {
          data: { workflows: uniqueByUuid(rows.rows), hasMore: hasMore(rows, count, 0, pageSizeMax) },
          missing: lackWords(rows, 'workflows'),
        },
      };
    },
  };
}

export const allWorkflowsOperation: Operation<readonly WorkflowName[]> = {
  name: 'all workflows',
  parameters: [],
  subject: 'the names of all workflows',
  freshMs: () => allFreshMs,
  read: (ask) => readAll((input) => namePage(ask, input)),
};

export function everyWorkflowOperation({ search, statuses }: WorkflowsSelection): Operation<readonly Workflow[]> {
  const selection = { ...(search !== undefined && { search }), ...(statuses && { status: statuses }) };
  return {
    name: 'every workflow',
    parameters: [JSON.stringify(selection)],
    subject: 'the list of all workflows',
    freshMs: () => listFreshMs,
    read: async (ask) => {
      const outcome = await readAll((input) => workflowPage(ask, { ...input, ...selection }));
      if ('fault' in outcome || !statuses) return outcome;
      const { data, missing } = outcome.value;
      // A service may ignore the statuses.
      return { value: { data: data.filter(({ status }) => statuses.includes(status)), missing } };
    },
  };
}

type Page<Row> = { readonly rows: Rows<Row>; readonly count: unknown };
async function namePage(ask: Ask, input: WorkflowsInput, rowsMax?: number): Promise<Outcome<Page<WorkflowName>>> {
  return pageIn(rowTypes.workflowName, await ask(WorkflowNamesDocument, { input }), rowsMax);
}

async function workflowPage(ask: Ask, input: WorkflowsInput, rowsMax?: number): Promise<Outcome<Page<Workflow>>> {
  return pageIn(rowTypes.workflow, await ask(WorkflowsDocument, { input }), rowsMax);
}

function pageIn<Row>(
  schema: Parameters<typeof readRows<Row>>[0],
  outcome: Outcome<Reply<{ readonly workflows?: unknown }>>,
  rowsMax: number | undefined,
): Outcome<Page<Row>> {
  if ('fault' in outcome) return outcome;
  const part = outcome.value.part('workflows');
  const rows = readRows(schema, part?.['data'], rowsMax);
  return rows ? { value: { rows, count: part?.['count'] } } : badAnswer('no list of workflows in it');
}

/** Reads page by page until one is short or has nothing new. */
async function readAll<Row extends { readonly uuid: string }>(
  read: (input: WorkflowsInput) => Promise<Outcome<Page<Row>>>,
): Promise<Outcome<Found<readonly Row[]>>> {
  const found = new Map<string, Row>();
  let unreadable = 0;
  let fullLength = pageSizeMax;
  for (let number = 0; number < pagesMax; number += 1) {
    const outcome = await read({ page: { number, size: pageSizeMax } });
    if ('fault' in outcome && (number === 0 || outcome.fault.kind === 'unauthorized')) return outcome;
    if ('fault' in outcome) return cutShort(found);
    const { rows, count } = outcome.value;
    const before = found.size;
    for (const row of rows.rows) if (!found.has(row.uuid)) found.set(row.uuid, row);
    unreadable += rows.unreadable;
    const length = lengthOf(rows);
    if (number === 0 && isOwnPageSize(length)) fullLength = length;
    const isLast = length < fullLength && !(typeof count === 'number' && count > found.size);
    // Surplus rows that the next page does not repeat are lost.
    if ((isLast || found.size === before) && rows.surplus > 0) return cutShort(found);
    if (isLast || found.size === before) {
      return { value: { data: [...found.values()], missing: unreadableWords(unreadable, 'workflows') } };
    }
  }
  return cutShort(found);
}

function cutShort<Row>(found: ReadonlyMap<string, Row>) {
  return { value: { data: [...found.values()], missing: [`the workflows after the first ${found.size}`] } };
}
