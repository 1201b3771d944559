/** Resolvers for executions: the list, one execution, its logs and its events. */

import { setImmediate as nextIteration } from 'node:timers/promises';
import type { ExecutionOrder, ExecutionPage, ExecutionRow } from '../../records/port.ts';
import type { EventRecord, ExecutionStatus, LogRecord } from '../../records/record.ts';
import { batchFields, type FieldLoader, type ServiceContext } from './context.ts';
import {
  type Optional,
  type PageInput,
  type RangeInput,
  readOptionalText,
  readOrder,
  readPage,
  readRange,
  readSearch,
  readStatuses,
  readText,
} from './input.ts';

export type ExecutionsInput = RangeInput & {
  readonly workflowUuid?: Optional<string>;
  readonly status?: Optional<readonly ExecutionStatus[]>;
  readonly orderBy?: Optional<{ readonly field: ExecutionOrder['field']; readonly order: 'ASC' | 'DESC' }>;
  readonly page?: Optional<PageInput>;
  readonly search?: Optional<string>;
};

export type LogsInput = { readonly workflowExecutionUUID: string };

export type EventsInput = LogsInput & { readonly capabilityID?: Optional<string>; readonly status?: Optional<string> };

type ExecutionList = FieldLoader<keyof ExecutionPage, Partial<ExecutionPage>>;

/** @throws AppError `usage` */
export function readExecutionsInput(input: ExecutionsInput) {
  return {
    filter: {
      workflowUuid: readOptionalText('workflowUuid', input.workflowUuid),
      statuses: readStatuses(input.status),
      span: readRange(input),
      search: readSearch(input.search),
    },
    order: readOrder(input.orderBy, 'STARTED_AT'),
    slice: readPage(input.page),
  };
}

function workflowExecutions(
  _: unknown,
  { input }: { readonly input: ExecutionsInput },
  { caller, records }: ServiceContext,
): ExecutionList {
  const { organizationId } = caller;
  const { filter, order, slice } = readExecutionsInput(input);
  return batchFields(async (wanted) => {
    if (wanted.size > 1) return records.executionPage(organizationId, filter, order, slice);
    if (wanted.has('rows')) return { rows: await records.executions(organizationId, filter, order, slice) };
    return { count: await records.executionCount(organizationId, filter) };
  });
}

async function workflowExecution(
  _: unknown,
  { input }: { readonly input: { readonly uuid: string } },
  { caller, records }: ServiceContext,
) {
  return { data: await records.execution(caller.organizationId, readText('uuid', input.uuid)) };
}

async function workflowExecutionLogs(
  _: unknown,
  { input }: { readonly input: LogsInput },
  { details }: ServiceContext,
) {
  const { logs } = await details(readText('workflowExecutionUUID', input.workflowExecutionUUID))('logs');
  return { data: inSlices(logs) };
}

async function workflowExecutionEvents(
  _: unknown,
  { input }: { readonly input: EventsInput },
  { details }: ServiceContext,
) {
  const { uuid, isWanted } = readEventsInput(input);
  const { events } = await details(uuid)('events');
  return { data: inSlices(events.filter(isWanted)) };
}

/** @throws AppError `usage` */
export function readEventsInput(input: EventsInput) {
  const uuid = readText('workflowExecutionUUID', input.workflowExecutionUUID);
  const capabilityId = readOptionalText('capabilityID', input.capabilityID);
  const status = readOptionalText('status', input.status)?.toLowerCase();
  const isFiltered = capabilityId !== null || status !== undefined;
  const isWanted = (event: Pick<EventRecord, 'capabilityId' | 'status'>) =>
    (capabilityId === null || event.capabilityId === capabilityId) &&
    (status === undefined || event.status.toLowerCase() === status);
  return { uuid, isFiltered, isWanted };
}

export const executionResolvers = {
  Query: { workflowExecutions, workflowExecution, workflowExecutionLogs, workflowExecutionEvents },
  WorkflowExecutionsOutput: {
    data: async (list: ExecutionList) => (await list('rows')).rows,
    count: async (list: ExecutionList) => (await list('count')).count,
  },
  WorkflowExecution: {
    workflowUUID: (row: ExecutionRow) => row.workflowUuid,
    creditUsed: (row: ExecutionRow) => row.creditMicros,
  },
  WorkflowExecutionLog: { nodeID: (line: LogRecord) => line.nodeId },
  WorkflowExecutionEvent: { capabilityID: (event: EventRecord) => event.capabilityId },
} as const;

const sliceLength = 500;

/**
 * GraphQL engines complete all available items of a list without yielding.
 * @returns the items; those after the first slice as promises, one slice per iteration of the event loop
 */
function inSlices<Item>(items: readonly Item[]): readonly (Item | Promise<Item>)[] {
  if (items.length <= sliceLength) return items;
  let sliceDue = Promise.resolve();
  return items.map((item, index) => {
    if (index < sliceLength) return item;
    if (index % sliceLength === 0) sliceDue = sliceDue.then(() => nextIteration());
    return sliceDue.then(() => item);
  });
}
