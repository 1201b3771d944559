/** Plans of the root fields for workflows and their activity. */
import { AppError } from '../../../../shared/errors.ts';
import type { DayCounts } from '../../../records/port.ts';
import { dayMs, startOfPeriod } from '../../../records/reads/periods.ts';
import { readCounts, readCountsByDay } from '../../../records/reads/read-counts.ts';
import {
  countWorkflows,
  hasWorkflow,
  listWorkflows,
  totalsOf,
  totalsStatement,
  type WorkflowColumn,
  type WorkflowList,
  workflowColumns,
  workflowStatement,
} from '../../../records/reads/read-workflows.ts';
import { namedRow, rowsOf, type Steps } from '../../../records/reads/steps.ts';
import type { Engine } from '../../../records/sql.ts';
import {
  type ActivityInput,
  readActivityInput,
  readText,
  readWorkflowsInput,
  type WorkflowInput,
  type WorkflowsInput,
} from '../../inputs.ts';
import { byName, type Places } from '../objects.ts';
import { type Output, planOutput, type RootPlanner, type RootText } from '../root-plan.ts';

/** Needs of a selection: columns of the table, and sums over executions. */
type Needs = { readonly columns: readonly WorkflowColumn[]; readonly hasTees: boolean; readonly hasCounts: boolean };

function createNeeds(): { readonly places: Places; readonly needs: () => Needs } {
  const names = new Set<string>(['uuid']);
  const at = (name: string) => {
    names.add(name);
    return byName.at(name);
  };
  const isOneOf = (...wanted: readonly string[]) => wanted.some((name) => names.has(name));
  const needs = () => ({
    columns: [...names].filter((name): name is WorkflowColumn => name in workflowColumns),
    hasTees: isOneOf('hasTeeExecutions', 'hasNonTeeExecutions'),
    hasCounts: isOneOf('total', 'success', 'failure', 'creditMicros'),
  });
  return { places: { at }, needs };
}

export const workflows: RootPlanner = (type, selected) => {
  const { places, needs } = createNeeds();
  const output = planOutput(type, selected, places);
  const wanted = needs();
  return (input: WorkflowsInput, { engine, organizationId }) => {
    const list = { organizationId, ...readWorkflowsInput(input) };
    const read = output.hasData ? 'workflows' : 'workflowCount';
    return { kind: 'steps', read, steps: workflowsText(engine, wanted, list, output) };
  };
};

function* workflowsText(
  engine: Engine,
  { columns, hasTees, hasCounts }: Needs,
  list: WorkflowList,
  { hasData, hasCount, write }: Output,
): Steps<string> {
  const { organizationId, filter } = list;
  const rows = hasData ? yield* listWorkflows(engine, columns, list) : [];
  const found = rows.map((row) => namedRow<{ readonly uuid: string }>(columns, row));
  const count = hasCount ? yield* countWorkflows(engine, organizationId, filter) : 0;
  if (found.length === 0 || !(hasTees || hasCounts)) return write({ data: found, count });
  const uuids = found.map(({ uuid }) => uuid);
  const totals = yield* rowsOf(totalsStatement(engine, organizationId, uuids));
  const byWorkflow = Map.groupBy(totals, (row) => row.at(-1));
  return write({ data: found.map((row) => ({ ...row, ...totalsOf(byWorkflow.get(row.uuid) ?? []) })), count });
}

export const workflow: RootPlanner = (type, selected) => {
  const { places, needs } = createNeeds();
  const output = planOutput(type, selected, places);
  const wanted = needs();
  return (input: WorkflowInput, { engine, organizationId }) => {
    const uuid = readText('uuid', input.uuid);
    const span = { from: input.from, until: null };
    const steps = function* (): Steps<RootText> {
      const [[row] = [], totals = []] = yield [
        workflowStatement(engine, wanted.columns, organizationId, uuid),
        ...(wanted.hasTees ? [totalsStatement(engine, organizationId, [uuid])] : []),
      ];
      if (row === undefined) return { kind: 'failure', error: new AppError('not_found', 'workflow not found') };
      const counts = wanted.hasCounts ? yield* readCounts(engine, organizationId, uuid, span) : undefined;
      return output.write({ data: { ...namedRow<object>(wanted.columns, row), ...totalsOf(totals), ...counts } });
    };
    return { kind: 'steps', read: 'workflow', steps: steps() };
  };
};

export const workflowActivity: RootPlanner = (type, selected) => {
  const { write } = planOutput(type, selected, byName);
  return (input: ActivityInput, { engine, organizationId, clock }) => {
    const { from, to, span, workflowUuid } = readActivityInput(input, clock());
    const steps = function* (): Steps<string> {
      const counts = yield* readCountsByDay(engine, organizationId, workflowUuid, span);
      // Counts prove that the workflow exists; without counts it has to be looked up.
      const isThere = counts.length > 0 || workflowUuid === null;
      const isKnown = isThere || (yield* hasWorkflow(engine, organizationId, workflowUuid));
      return write({ data: isKnown ? bucketsOf(from, to, counts) : [] });
    };
    return { kind: 'steps', read: 'countsByDay', steps: steps() };
  };
};

type Bucket = {
  readonly from: number;
  readonly to: number;
  readonly successCount: number;
  readonly failureCount: number;
};

/**
 * Splits a range into whole UTC days; the first and the last are cut to the range.
 * @param to inclusive: an execution that started at `to` is in the last bucket, even if a new day begins then
 */
export function bucketsOf(from: number, to: number, counts: readonly DayCounts[]): readonly Bucket[] {
  const byDay = new Map(counts.map((day) => [day.day, day]));
  const buckets: Bucket[] = [];
  for (let day = startOfPeriod(from, dayMs); day < to || buckets.length === 0; day += dayMs) {
    const end = Math.min(day + dayMs, to);
    const counted = [byDay.get(day), end === to && end === day + dayMs ? byDay.get(end) : undefined];
    buckets.push({
      from: Math.max(day, from),
      to: end,
      successCount: counted.reduce((sum, count) => sum + (count?.success ?? 0), 0),
      failureCount: counted.reduce((sum, count) => sum + (count?.failure ?? 0), 0),
    });
  }
  return buckets;
}
