/** Plans of the root fields for executions: the list, one execution, its logs and its events. */
import { readCosts } from '../../../records/read-cost.ts';
import type { ExecutionColumn } from '../../../records/reads/execution-list.ts';
import { type DetailList, readShortLists } from '../../../records/reads/read-detail.ts';
import {
  countExecutionList,
  type ExecutionQuery,
  listExecutions,
  readExecution,
  readExecutionPage,
} from '../../../records/reads/read-executions.ts';
import type { Steps } from '../../../records/reads/steps.ts';
import type { EventRecord } from '../../../records/record.ts';
import type { Engine } from '../../../records/sql.ts';
import {
  type EventsInput,
  type ExecutionsInput,
  type LogsInput,
  readEventsInput,
  readExecutionsInput,
} from '../../resolvers/executions.ts';
import { readText } from '../../resolvers/input.ts';
import { byName, createColumns, type Source } from '../objects.ts';
import { type Found, type Output, planOutput, type RootPlanner } from '../root-plan.ts';
import { NotPlanned } from '../write.ts';

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
  const output = planOutput(type, selected, byName);
  return ({ workflowExecutionUUID }: LogsInput, { engine, organizationId }) => {
    const uuid = readText('workflowExecutionUUID', workflowExecutionUUID);
    const steps = detailText(engine, organizationId, uuid, 'logs', (data) => output.write({ data }));
    return { read: 'executionDetail', cost: 'bounded', steps };
  };
};

export const workflowExecutionEvents: RootPlanner = (type, selected) => {
  const output = planOutput(type, selected, byName);
  return (input: EventsInput, { engine, organizationId }) => {
    const { uuid, isWanted } = readEventsInput(input);
    const write = (events: readonly Source[]) =>
      output.write({ data: (events as unknown as readonly EventRecord[]).filter(isWanted) as Found['data'] });
    return {
      read: 'executionDetail',
      cost: 'bounded',
      steps: detailText(engine, organizationId, uuid, 'events', write),
    };
  };
};

function* detailText(
  engine: Engine,
  organizationId: string,
  uuid: string,
  list: DetailList,
  write: (items: readonly Source[]) => string,
): Steps<string> {
  const [stored] = yield* readShortLists(engine, organizationId, uuid, [list]);
  // The resolvers read and parse a long text in slices.
  if (stored?.isLong) throw new NotPlanned(`The ${list} are long.`);
  return write(stored?.text ? JSON.parse(stored.text) : []);
}
