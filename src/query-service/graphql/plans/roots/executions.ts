/** Plans of the root fields for executions: the list, one execution, its logs and its events. */
import type { ExecutionFilter } from '../../../records/port.ts';
import type { ExecutionColumn } from '../../../records/reads/execution-list.ts';
import { type DetailList, readLists, readShortLists } from '../../../records/reads/read-detail.ts';
import {
  countExecutionList,
  type ExecutionQuery,
  listExecutions,
  readExecution,
  readExecutionPage,
} from '../../../records/reads/read-executions.ts';
import { workflowStatement } from '../../../records/reads/read-workflows.ts';
import { rowsOf, type Steps } from '../../../records/reads/steps.ts';
import type { RequestReads } from '../../../records/request-reads.ts';
import type { Engine } from '../../../records/sql.ts';
import type { StoredEvent } from '../../../records/tables/details.ts';
import {
  type EventsInput,
  type ExecutionsInput,
  type LogsInput,
  readEventsInput,
  readExecutionsInput,
  readText,
} from '../../inputs.ts';
import { createColumns } from '../objects.ts';
import {
  createLongWriter,
  type Output,
  type PlanCaller,
  type PlannedDetail,
  planOutput,
  type RootPlanner,
} from '../root-plan.ts';

/** Values that a filter fixes are not read in each row. */
type ListPlan = { readonly columns: ReturnType<typeof createColumns<ExecutionColumn>>; readonly output: Output };

export const workflowExecutions: RootPlanner = (type, selected) => {
  const plans = new Map<string, ListPlan>();
  const planOf = (fixed: readonly string[]): ListPlan => {
    const known = plans.get(fixed.join());
    if (known) return known;
    const columns = createColumns<ExecutionColumn>(fixed);
    const made = { columns, output: planOutput(type, selected, columns) };
    plans.set(fixed.join(), made);
    return made;
  };
  const { hasData, hasCount } = planOf([]).output;
  return (input: ExecutionsInput, { engine, organizationId }) => {
    const { filter, order, slice } = readExecutionsInput(input);
    const query = { organizationId, filter, order, slice };
    const read = hasData ? (hasCount ? 'executionPage' : 'executions') : 'executionCount';
    return { kind: 'steps', read, steps: executionsText(engine, planOf(fixedNames(engine, filter)), query) };
  };
};

/** A server joins the only workflow once, which takes less time than another statement. */
function fixedNames(engine: Engine, { workflowUuid, statuses }: ExecutionFilter): readonly string[] {
  return [
    ...(statuses?.length === 1 ? ['status'] : []),
    ...(workflowUuid === null ? [] : ['workflowUuid']),
    ...(workflowUuid === null || engine === 'postgresql' ? [] : ofWorkflow),
  ];
}

const ofWorkflow = ['workflowName', 'workflowId'] as const;

function* executionsText(engine: Engine, { columns, output }: ListPlan, query: ExecutionQuery): Steps<string> {
  const { organizationId, filter } = query;
  const { hasData, hasCount, write } = output;
  const values = hasData ? yield* fixedValues(engine, columns.fixedNames(), query) : undefined;
  if (values === undefined)
    return write({ data: [], count: hasCount ? yield* countExecutionList(engine, organizationId, filter) : 0 });
  const fixed = columns.fixedTexts(values);
  if (!hasCount) return write({ data: yield* listExecutions(engine, columns.names, query) }, fixed);
  const { rows, count } = yield* readExecutionPage(engine, columns.names, query);
  return write({ data: rows, count }, fixed);
}

/** @returns undefined if there is no such workflow, and so no execution */
function* fixedValues(
  engine: Engine,
  names: readonly string[],
  { organizationId, filter: { workflowUuid, statuses } }: ExecutionQuery,
): Steps<Readonly<Record<string, unknown>> | undefined> {
  const given = { workflowUuid, status: statuses?.[0] };
  if (workflowUuid === null || !ofWorkflow.some((name) => names.includes(name))) return given;
  const [row] = yield* rowsOf(workflowStatement(engine, ['name', 'workflowId'], organizationId, workflowUuid));
  return row && { ...given, workflowName: row[0], workflowId: row[1] };
}

export const workflowExecution: RootPlanner = (type, selected) => {
  const columns = createColumns<ExecutionColumn>();
  const output = planOutput(type, selected, columns);
  return ({ uuid: given }: { readonly uuid: string }, { engine, organizationId }) => {
    const uuid = readText('uuid', given);
    const steps = function* (): Steps<string> {
      return output.write({ data: (yield* readExecution(engine, columns.names, organizationId, uuid)) ?? null });
    };
    return { kind: 'steps', read: 'execution', steps: steps() };
  };
};

export const workflowExecutionLogs: RootPlanner = (type, selected) => {
  const output = planOutput(type, selected, 'stored');
  const writeLong = createLongWriter(type, selected, output);
  return ({ workflowExecutionUUID }: LogsInput) => ({
    kind: 'detail',
    detailOf: readText('workflowExecutionUUID', workflowExecutionUUID),
    list: 'logs',
    write: (stored) => output.write({ data: stored ?? [] }),
    writeLong: (stored) => writeLong(stored),
  });
};

export const workflowExecutionEvents: RootPlanner = (type, selected) => {
  const output = planOutput(type, selected, 'stored');
  const writeLong = createLongWriter<StoredEvent>(type, selected, output);
  return (input: EventsInput) => {
    const { uuid, isWanted } = readEventsInput(input);
    const wanted = (stored: string) =>
      isWanted === null ? stored : (JSON.parse(stored) as readonly StoredEvent[]).filter(isWanted);
    return {
      kind: 'detail',
      detailOf: uuid,
      list: 'events',
      write: (stored) => output.write({ data: stored === null ? [] : wanted(stored) }),
      writeLong: (stored) => writeLong(stored, isWanted ?? undefined),
    };
  };
};

/** Reads lists of one execution. @returns a text for each, or null if one is long */
export function* detailTexts(
  { engine, organizationId }: PlanCaller,
  uuid: string,
  wanted: readonly PlannedDetail[],
): Steps<readonly string[] | null> {
  const lists = listsOf(wanted);
  const stored = yield* readShortLists(engine, organizationId, uuid, lists);
  if (stored.some(({ isLong }) => isLong)) return null;
  return wanted.map(({ list, write }) => write(stored[lists.indexOf(list)]?.text ?? null));
}

/** Reads lists of which one is long. @returns a text for each */
export function longDetailTexts(
  { engine, organizationId }: PlanCaller,
  uuid: string,
  wanted: readonly PlannedDetail[],
  { run, limitLongText }: RequestReads,
): Promise<readonly string[]> {
  const lists = listsOf(wanted);
  return limitLongText(async () => {
    const stored = await run('executionDetail', readLists(engine, organizationId, uuid, lists));
    const texts: string[] = [];
    for (const { list, write, writeLong } of wanted) {
      const text = stored[lists.indexOf(list)] ?? null;
      texts.push(text === null ? write(null) : await writeLong(text));
    }
    return texts;
  });
}

function listsOf(wanted: readonly PlannedDetail[]): readonly DetailList[] {
  return [...new Set(wanted.map(({ list }) => list))];
}
