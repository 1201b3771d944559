/** Executions: the list, one of them, its logs and its events. */
import type { ExecutionFilter, ExecutionOrder, ExecutionRow, Slice } from '../records/port.ts';
import type { EventRecord, ExecutionStatus, LogRecord } from '../records/record.ts';
import type { ServiceContext } from './context.ts';
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

type ExecutionsInput = RangeInput & {
  readonly workflowUuid?: Optional<string>;
  readonly status?: Optional<readonly ExecutionStatus[]>;
  readonly orderBy?: Optional<{ readonly field: ExecutionOrder['field']; readonly order: 'ASC' | 'DESC' }>;
  readonly page?: Optional<PageInput>;
  readonly search?: Optional<string>;
};

type LogsInput = { readonly workflowExecutionUUID: string };

type EventsInput = LogsInput & { readonly capabilityID?: Optional<string>; readonly status?: Optional<string> };

type ExecutionList = { readonly filter: ExecutionFilter; readonly order: ExecutionOrder; readonly slice: Slice };

function workflowExecutions(_: unknown, { input }: { readonly input: ExecutionsInput }): ExecutionList {
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
  { caller, records }: ServiceContext,
) {
  const uuid = readText('workflowExecutionUUID', input.workflowExecutionUUID);
  return { data: await records.executionLogs(caller.organizationId, uuid) };
}

async function workflowExecutionEvents(
  _: unknown,
  { input }: { readonly input: EventsInput },
  { caller, records }: ServiceContext,
) {
  const uuid = readText('workflowExecutionUUID', input.workflowExecutionUUID);
  const capabilityId = readOptionalText('capabilityID', input.capabilityID);
  const status = readOptionalText('status', input.status)?.toLowerCase();
  const events = await records.executionEvents(caller.organizationId, uuid);
  const data = events
    .filter((event) => capabilityId === null || event.capabilityId === capabilityId)
    .filter((event) => status === undefined || event.status.toLowerCase() === status);
  return { data };
}

export const executionResolvers = {
  Query: { workflowExecutions, workflowExecution, workflowExecutionLogs, workflowExecutionEvents },
  WorkflowExecutionsOutput: {
    data: ({ filter, order, slice }: ExecutionList, _: unknown, { caller, records }: ServiceContext) =>
      records.executions(caller.organizationId, filter, order, slice),
    count: ({ filter }: ExecutionList, _: unknown, { caller, records }: ServiceContext) =>
      records.executionCount(caller.organizationId, filter),
  },
  WorkflowExecution: {
    workflowUUID: (row: ExecutionRow) => row.workflowUuid,
    creditUsed: (row: ExecutionRow) => row.creditMicros,
  },
  WorkflowExecutionLog: { nodeID: (line: LogRecord) => line.nodeId },
  WorkflowExecutionEvent: { capabilityID: (event: EventRecord) => event.capabilityId },
} as const;
