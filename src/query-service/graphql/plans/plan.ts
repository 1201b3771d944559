/**
 * Compiles a document into a plan: each root field becomes statements that select only the columns it needs, and a writer
 * of the reply's text.
 */
import {
  type DocumentNode,
  executeSync,
  GraphQLError,
  type GraphQLSchema,
  Kind,
  locatedError,
  type OperationDefinitionNode,
} from 'graphql';
import type { RequestReads } from '../../records/request-reads.ts';
import type { RootInputs } from '../cost.ts';
import type { Prepared } from '../prepare-document.ts';
import { fieldOf } from './objects.ts';
import type { PlanCaller, PlannedDetail, PlannedRead, RootPlan, RootPlanner, RootText } from './root-plan.ts';
import { workflowDeployment, workflowDeployments } from './roots/deployments.ts';
import {
  detailTexts,
  longDetailTexts,
  workflowExecution,
  workflowExecutionEvents,
  workflowExecutionLogs,
  workflowExecutions,
} from './roots/executions.ts';
import { getAccountDetails, getCreOrganizationInfo, getOrganization, getTenantConfig } from './roots/organization.ts';
import { workflow, workflowActivity, workflows } from './roots/workflows.ts';
import { collectFields, conditionVariables, type Selected } from './selection.ts';

const planners: Readonly<Record<string, RootPlanner>> = {
  getAccountDetails,
  getOrganization,
  getTenantConfig,
  getCreOrganizationInfo,
  workflows,
  workflow,
  workflowActivity,
  workflowDeployments,
  workflowDeployment,
  workflowExecutions,
  workflowExecution,
  workflowExecutionLogs,
  workflowExecutionEvents,
};

/** The text of a document's data. A root field that failed is null in it, and has an error. */
export type PlanResult = { readonly data: string; readonly errors: readonly GraphQLError[] };

/** The inputs of the root fields, and the variables as the client gave them. */
export type PlanCall = { readonly inputs: RootInputs; readonly given: Readonly<Record<string, unknown>> };

type Plan = (call: PlanCall, caller: PlanCaller, reads: RequestReads) => PlanResult | Promise<PlanResult>;

/** @param variables coerced @returns the plan of an operation */
export type PlansOf = (variables: Readonly<Record<string, unknown>>) => Plan;

type PlannedRoot = Selected & { readonly before: string; readonly plan: RootPlan };

/** Cached plans: one for each combination of what the directives include. */
const variantsMax = 8;

export function createPlans(
  schema: GraphQLSchema,
  { document }: Prepared,
  operation: OperationDefinitionNode,
): PlansOf {
  const names = conditionVariables(document);
  const plans = new Map<string, Plan>();
  const planRoot = (selected: Selected, index: number): PlannedRoot => ({
    ...selected,
    before: `${index === 0 ? '{' : ','}"${selected.key}":`,
    plan: rootPlanOf(schema, document, operation, selected),
  });
  return (variables) => {
    const isSet = (name: string) => variables[name] === true;
    const variant = names.map((name) => Number(isSet(name))).join('');
    const known = plans.get(variant);
    if (known !== undefined) return known;
    const roots = collectFields(document, operation, isSet).map(planRoot);
    const made: Plan = (call, caller, reads) => runPlan(roots, call, caller, reads);
    if (plans.size < variantsMax) plans.set(variant, made);
    return made;
  };
}

function rootPlanOf(
  schema: GraphQLSchema,
  document: DocumentNode,
  operation: OperationDefinitionNode,
  selected: Selected,
): RootPlan {
  const { name } = selected;
  const query = schema.getQueryType();
  if (query && name === '__typename') return () => ({ kind: 'text', text: `"${query.name}"` });
  if (name === '__schema' || name === '__type') return introspectionPlan(schema, document, operation, selected);
  const planner = planners[name];
  if (!query || planner === undefined) throw new Error(`There is no plan for ${name}.`);
  return planner(fieldOf(query, name).type, selected);
}

/** graphql-js knows the schema: it runs the field alone. */
function introspectionPlan(
  schema: GraphQLSchema,
  { definitions }: DocumentNode,
  operation: OperationDefinitionNode,
  { key, nodes }: Selected,
): RootPlan {
  const selectionSet = { kind: Kind.SELECTION_SET, selections: nodes } as const;
  const fragments = definitions.filter(({ kind }) => kind === Kind.FRAGMENT_DEFINITION);
  const document = { kind: Kind.DOCUMENT, definitions: [{ ...operation, selectionSet }, ...fragments] } as const;
  return (_, __, variableValues) => {
    const { data, errors } = executeSync({ schema, document, variableValues });
    if (errors?.[0]) throw errors[0];
    return { kind: 'text', text: JSON.stringify(data?.[key]) };
  };
}

function runPlan(
  roots: readonly PlannedRoot[],
  { inputs, given }: PlanCall,
  caller: PlanCaller,
  reads: RequestReads,
): ReturnType<Plan> {
  const planned = roots.map(({ key, plan }) => planInput(plan, inputs.get(key), caller, given));
  const texts = runReads(planned, caller, reads);
  const areRead = (all: readonly (RootText | Promise<RootText>)[]): all is readonly RootText[] =>
    !all.some((text) => text instanceof Promise);
  return areRead(texts) ? resultOf(roots, texts) : Promise.all(texts).then((all) => resultOf(roots, all));
}

function planInput(plan: RootPlan, input: unknown, caller: PlanCaller, given: PlanCall['given']): PlannedRead {
  try {
    if (input instanceof GraphQLError) throw input;
    return plan(input as never, caller, given);
  } catch (error) {
    return { kind: 'failure', error };
  }
}

function runReads(planned: readonly PlannedRead[], caller: PlanCaller, reads: RequestReads) {
  const details = planned.filter((read) => read.kind === 'detail');
  const byExecution = new Map<string, DetailTexts>();
  const textOf = (read: PlannedRead): RootText | Promise<RootText> => {
    switch (read.kind) {
      case 'failure':
        return read;
      case 'text':
        return read.text;
      case 'steps':
        return reads.run(read.read, read.steps);
      case 'detail': {
        const own = details.filter(({ detailOf }) => detailOf === read.detailOf);
        const all = byExecution.get(read.detailOf) ?? readDetailTexts(caller, read.detailOf, own, reads);
        byExecution.set(read.detailOf, all);
        const at = own.indexOf(read);
        return all instanceof Promise ? all.then((texts) => texts[at] ?? '') : (all[at] ?? '');
      }
    }
  };
  const failure = (error: unknown): RootText => ({ kind: 'failure', error });
  return planned.map((read): RootText | Promise<RootText> => {
    try {
      const text = textOf(read);
      return text instanceof Promise ? text.catch(failure) : text;
    } catch (error) {
      return failure(error);
    }
  });
}

type DetailTexts = readonly string[] | Promise<readonly string[]>;

function readDetailTexts(
  caller: PlanCaller,
  uuid: string,
  wanted: readonly PlannedDetail[],
  reads: RequestReads,
): DetailTexts {
  const short = reads.run('executionDetail', detailTexts(caller, uuid, wanted));
  const readLong = () => longDetailTexts(caller, uuid, wanted, reads);
  return short instanceof Promise ? short.then((texts) => texts ?? readLong()) : (short ?? readLong());
}

function resultOf(roots: readonly PlannedRoot[], texts: readonly RootText[]): PlanResult {
  const errors: GraphQLError[] = [];
  let written = '';
  for (const [index, { key, nodes, before }] of roots.entries()) {
    const text = texts[index] ?? 'null';
    written += before + (typeof text === 'string' ? text : 'null');
    if (typeof text !== 'string') errors.push(locatedError(text.error, nodes, [key]));
  }
  return { data: written === '' ? '{}' : `${written}}`, errors };
}
