/** Plans of the root fields for workflows: the list, and one workflow with its counts since an instant. */
import type { Counts } from '../../../records/port.ts';
import { readCosts } from '../../../records/read-cost.ts';
import { readCounts } from '../../../records/reads/read-counts.ts';
import {
  countWorkflows,
  listWorkflows,
  totalsOf,
  totalsStatement,
  type WorkflowColumn,
  type WorkflowList,
  workflowColumns,
  workflowStatement,
} from '../../../records/reads/read-workflows.ts';
import { namedRow, rowsOf, type Steps } from '../../../records/reads/steps.ts';
import type { Engine, Row } from '../../../records/sql.ts';
import { readText } from '../../resolvers/input.ts';
import { readWorkflowsInput, type WorkflowInput, type WorkflowsInput } from '../../resolvers/workflows.ts';
import { byName, type Places } from '../objects.ts';
import { type Output, planOutput, type RootPlanner } from '../root-plan.ts';

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
    return {
      read: output.hasData ? 'workflows' : 'workflowCount',
      cost: readCosts.workflowCount(organizationId, list.filter),
      steps: workflowsText(engine, wanted, list, output),
    };
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
  return write({ data: found.map((row) => ({ ...row, ...sums(byWorkflow.get(row.uuid) ?? []) })), count });
}

export const workflow: RootPlanner = (type, selected) => {
  const { places, needs } = createNeeds();
  const output = planOutput(type, selected, places);
  const wanted = needs();
  return (input: WorkflowInput, { engine, organizationId }) => {
    const uuid = readText('uuid', input.uuid);
    const span = { from: input.from, until: null };
    const steps = function* (): Steps<string | null> {
      const [[row] = [], totals = []] = yield [
        workflowStatement(engine, wanted.columns, organizationId, uuid),
        ...(wanted.hasTees ? [totalsStatement(engine, organizationId, [uuid])] : []),
      ];
      if (row === undefined) return null;
      const counts = wanted.hasCounts ? yield* readCounts(engine, organizationId, uuid, span) : undefined;
      return output.write({ data: { ...namedRow<object>(wanted.columns, row), ...sums(totals), ...counts } });
    };
    return { read: 'workflow', cost: readCosts.workflow(organizationId, uuid, span), steps: steps() };
  };
};

function sums(totals: readonly Row[]): Counts & { readonly hasTeeExecutions: boolean } {
  const { counts, ...tees } = totalsOf(totals);
  return { ...tees, ...counts };
}
