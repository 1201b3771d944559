/** Plans of the root fields for executions: the list, one execution, its logs and its events. */
import { readCosts } from '../../../records/read-cost.ts';
import type { ExecutionColumn } from '../../../records/reads/execution-list.ts';
import { readShortLists } from '../../../records/reads/read-detail.ts';
import {
  countExecutionList,
  type ExecutionQuery,
  listExecutions,
  readExecution,
  readExecutionPage,
} from '../../../records/reads/read-executions.ts';
import type { Steps } from '../../../records/reads/steps.ts';
import type { Engine } from '../../../records/sql.ts';
import type { StoredEvent } from '../../../records/tables/details.ts';
import {
  type EventsInput,
  type ExecutionsInput,
  type LogsInput,
  readEventsInput,
  readExecutionsInput,
} from '../../resolvers/executions.ts';
import { readText } from '../../resolvers/input.ts';
import { createColumns } from '../objects.ts';
import { type Output, type PlanCaller, type PlannedDetail, planOutput, type RootPlanner } from '../root-plan.ts';

export const workflowExecutions: RootPlanner = (type, selected) => {
  const columns = createColumns<ExecutionColumn>();
  const output = planOutput(type, selected, columns);
  return (input: ExecutionsInput, { engine, organizationId }) => {
    const { filter, order, slice } = readExecutionsInput(input);
    const query = { organizationId, filter, order, slice };
    const steps = executionsText(engine, columns.names, query, output);
    if (!output.hasData)
      return { read: 'executionCount', cost: readCosts.executionCount(organizationId, filter), steps };
    const read = output.hasCount ? 'executionPage' : 'executions';
    return { read, cost: readCosts[read](organizationId, filter, order, slice), steps };
  };
};

function* executionsText(
  engine: Engine,
  columns: readonly ExecutionColumn[],
  query: ExecutionQuery,
  { hasData, hasCount, write }: Output,
): Steps<string> {
  if (!hasData)
    return write({ count: hasCount ? yield* countExecutionList(engine, query.organizationId, query.filter) : 0 });
  if (!hasCount) return write({ data: yield* listExecutions(engine, columns, query) });
  const { rows, count } = yield* readExecutionPage(engine, columns, query);
  return write({ data: rows, count });
}

export const workflowExecution: RootPlanner = (type, selected) => {
  const columns = createColumns<ExecutionColumn>();
  const output = planOutput(type, selected, columns);
  return ({ uuid: given }: { readonly uuid: string }, { engine, organizationId }) => {
    const uuid = readText('uuid', given);
    const steps = function* (): Steps<string> {
      return output.write({ data: (yield* readExecution(engine, columns.names, organizationId, uuid)) ?? null });
    };
    return { read: 'execution', cost: 'bounded', steps: steps() };
  };
};

export const workflowExecutionLogs: RootPlanner = (type, selected) => {
  const { write } = planOutput(type, selected, 'stored');
  return ({ workflowExecutionUUID }: LogsInput) => ({
    detailOf: readText('workflowExecutionUUID', workflowExecutionUUID),
    list: 'logs',
    write: (stored) => write({ data: stored ?? [] }),
  });
};

export const workflowExecutionEvents: RootPlanner = (type, selected) => {
  const { write } = planOutput(type, selected, 'stored');
  return (input: EventsInput) => {
    const { uuid, isFiltered, isWanted } = readEventsInput(input);
    const filtered = (stored: string) => (JSON.parse(stored) as readonly StoredEvent[]).filter(isWantedEvent);
    const isWantedEvent = ({ capabilityID, status }: StoredEvent) => isWanted({ capabilityId: capabilityID, status });
    return {
      detailOf: uuid,
      list: 'events',
      write: (stored) => write({ data: stored === null ? [] : isFiltered ? filtered(stored) : stored }),
    };
  };
};

/** Reads lists of one execution. @returns a text for each, or null if one is long: the resolvers parse it in slices */
export function* detailTexts(
  { engine, organizationId }: PlanCaller,
  uuid: string,
  wanted: readonly PlannedDetail[],
): Steps<readonly string[] | null> {
  const lists = [...new Set(wanted.map(({ list }) => list))];
  const stored = yield* readShortLists(engine, organizationId, uuid, lists);
  if (stored.some(({ isLong }) => isLong)) return null;
  return wanted.map(({ list, write }) => write(stored[lists.indexOf(list)]?.text ?? null));
}
