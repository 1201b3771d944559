/**
 * Compiles a document into a plan: each root field becomes statements that select only the columns it needs, and a writer
 * of the reply's text. The resolvers run every document that has no plan, and word every error.
 */
import type { GraphQLSchema, OperationDefinitionNode } from 'graphql';
import { AppError } from '../../../shared/errors.ts';
import type { RequestReads } from '../../records/request-reads.ts';
import type { RootInputs } from '../cost.ts';
import type { Prepared } from '../prepare-document.ts';
import { fieldOf } from './objects.ts';
import type { PlanCaller, PlannedDetail, PlannedRead, RootPlan, RootPlanner } from './root-plan.ts';
import {
  detailTexts,
  longDetailTexts,
  workflowExecution,
  workflowExecutionEvents,
  workflowExecutionLogs,
  workflowExecutions,
} from './roots/executions.ts';
import {
  getAccountDetails,
  getCreOrganizationInfo,
  getOrganization,
  getTenantConfig,
  workflow,
  workflowActivity,
  workflowDeployment,
  workflowDeployments,
  workflows,
} from './roots/workflows.ts';
import { collectFields, conditionVariables, type Selected } from './selection.ts';
import { NotPlanned } from './write.ts';

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

/**
 * A plan that gave up, so that the resolvers have to run the document. `unbounded`: no index bounds a read. `declined`:
 * a record is missing. `refused`: an input, a limit or the database. `failed`: a bug.
 */
export type GivenUp = { readonly reason: 'unbounded' | 'declined' | 'refused' | 'failed'; readonly error?: unknown };

/** @returns the text of the document's data */
export type Plan = (
  inputs: RootInputs,
  caller: PlanCaller,
  reads: RequestReads,
) => string | GivenUp | Promise<string | GivenUp>;

/** @returns the plan of an operation for its coerced variables, or null if it has none */
export type PlansOf = (variables: Readonly<Record<string, unknown>>) => Plan | null;

type PlannedRoot = { readonly key: string; readonly before: string; readonly plan: RootPlan };

/** One plan for each combination of what the directives include. */
const variantsMax = 8;

export function createPlans(
  schema: GraphQLSchema,
  { document }: Prepared,
  operation: OperationDefinitionNode,
): PlansOf {
  const names = conditionVariables(document);
  const plans = new Map<string, Plan | null>();
  return (variables) => {
    const isSet = (name: string) => variables[name] === true;
    const variant = names.map((name) => Number(isSet(name))).join('');
    const known = plans.get(variant);
    if (known !== undefined || plans.size >= variantsMax) return known ?? null;
    const made = planOf(schema, collectFields(document, operation, isSet));
    plans.set(variant, made);
    return made;
  };
}

function planOf(schema: GraphQLSchema, selection: readonly Selected[]): Plan | null {
  try {
    const roots = selection.map((selected, index) => planRoot(schema, selected, index));
    return (inputs, caller, reads) => runPlan(roots, inputs, caller, reads);
  } catch (error) {
    if (error instanceof NotPlanned) return null;
    throw error;
  }
}

function planRoot(schema: GraphQLSchema, selected: Selected, index: number): PlannedRoot {
  const { key, name } = selected;
  const before = `${index === 0 ? '{' : ','}"${key}":`;
  const query = schema.getQueryType();
  if (query && name === '__typename') return { key, before, plan: () => ({ text: `"${query.name}"` }) };
  const planner = planners[name];
  if (!query || planner === undefined) throw new NotPlanned(`No plan for ${name}.`);
  return { key, before, plan: planner(fieldOf(query, name).type, selected) };
}

function runPlan(
  roots: readonly PlannedRoot[],
  inputs: RootInputs,
  caller: PlanCaller,
  reads: RequestReads,
): ReturnType<Plan> {
  const texts: RootText[] = [];
  try {
    // Checks every input before the first read.
    const planned = roots.map(({ key, plan }) => plan(inputs.get(key) as never, caller, reads.isUnbounded));
    if (planned.some((read) => 'cost' in read && reads.isUnbounded(read.cost))) return { reason: 'unbounded' };
    runReads(planned, caller, reads, texts);
    if (texts.every((text) => typeof text === 'string')) return joined(roots, texts);
    return Promise.all(texts).then((all) => joined(roots, all), givenUp);
  } catch (error) {
    // The resolvers find and word the error. The other reads end by themselves.
    for (const text of texts) if (text instanceof Promise) text.catch(() => {});
    return givenUp(error);
  }
}

function givenUp(error: unknown): GivenUp {
  return { reason: error instanceof AppError ? 'refused' : 'failed', error };
}

type RootText = string | null | Promise<string | null>;

/** @param texts gets the text of each root field, in their order */
function runReads(planned: readonly PlannedRead[], caller: PlanCaller, reads: RequestReads, texts: RootText[]): void {
  const details = planned.filter((read) => 'detailOf' in read);
  const byExecution = new Map<string, DetailTexts>();
  for (const read of planned) {
    if ('text' in read) {
      texts.push(read.text);
      continue;
    }
    if ('steps' in read) {
      texts.push(reads.run(read.read, read.steps));
      continue;
    }
    const own = details.filter(({ detailOf }) => detailOf === read.detailOf);
    const all = byExecution.get(read.detailOf) ?? readDetailTexts(caller, read.detailOf, own, reads);
    byExecution.set(read.detailOf, all);
    const at = own.indexOf(read);
    texts.push(all instanceof Promise ? all.then((found) => found[at] ?? null) : (all[at] ?? null));
  }
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

function joined(roots: readonly PlannedRoot[], texts: readonly (string | null)[]): string | GivenUp {
  let written = '';
  for (const [index, { before }] of roots.entries()) {
    const text = texts[index];
    if (text === null || text === undefined) return { reason: 'declined' };
    written += before + text;
  }
  return written === '' ? '{}' : `${written}}`;
}
