/** Runs GraphQL documents: with a plan if there is one, otherwise with graphql-js. */
import {
  type ExecutionResult,
  execute,
  type FieldNode,
  type GraphQLError,
  type GraphQLSchema,
  getVariableValues,
  type OperationDefinitionNode,
} from 'graphql';
import { createLruCache } from '../../shared/cache/lru-cache.ts';
import type { Logger } from '../../shared/log/logger.ts';
import { type RootInputs, refuseTooManyRecords, requestedRecords, rootInputs, type WeightOf } from './cost.ts';
import { createPlans, type GivenUp, type Plan, type PlansOf } from './plans/plan.ts';
import { type Prepared, prepare } from './prepare-document.ts';
import { documentRefusal, fieldRefusal, isUnavailable, type Refusal, refusal, refusalsMax } from './refusal.ts';

/** One GraphQL request. The shape of its body is already checked. */
export type DocumentRequest = {
  readonly query: string;
  readonly variables: Readonly<Record<string, unknown>>;
  readonly operationName: string | null;
};

/** `data` is missing if the document did not run. */
export type Outcome = {
  readonly data?: unknown;
  readonly errors?: readonly Refusal[];
  /** True if the database did not answer: nothing of the rest is shown. */
  readonly isUnavailable?: boolean;
};

/** The outcome of a request, and the operation it ran. */
export type DocumentAnswer = {
  /** An outcome without errors may be the text of its data. */
  readonly outcome: Outcome | string;
  /** The name of its only root field, `several` or `none`. A metrics label: few values, none chosen by a client. */
  readonly operation: string;
};

/** Bounds of the cache. Longer documents are prepared again each time. */
const cachedDocumentsMax = 64;
const cachedLengthMax = 8_000;

type PreparedDocument = CachedDocument | { readonly refusals: readonly Refusal[] };

type CachedDocument = {
  readonly prepared: Prepared;
  readonly plans: Map<OperationDefinitionNode, PlansOf>;
  /** True if the failure of a plan is in the log. */
  isFailureLogged: boolean;
};

/** A document that may return more rows than this is large. Logs may be many, but seldom are. */
const largeAmount = 300;
const logsField = 'workflowExecutionLogs';

/** Reason for which resolvers run a document; `no_plan` if it has none. */
type Fallback = 'no_plan' | GivenUp['reason'];

type DocumentRunnerDeps<Context> = {
  readonly schema: GraphQLSchema;
  readonly weightOf: WeightOf;
  /** Runs a plan; without it every document goes to the resolvers. */
  readonly runPlan?: (plan: Plan, inputs: RootInputs, context: Context) => ReturnType<Plan>;
  /** Runs a document that may return many rows; runs it at once by default. */
  readonly limitLargeDocument?: <Result>(context: Context, work: () => Promise<Result>) => Promise<Result>;
  /**
   * Called before work that takes milliseconds.
   * @returns undefined if it may start now, otherwise a promise that resolves when it may
   */
  readonly acquireEventLoop?: (context: Context) => Promise<void> | undefined;
  /** Receives the way in which a document runs: with its plan, or the reason for which resolvers run it. */
  readonly onRun?: (way: 'plan' | Fallback) => void;
};

/**
 * @returns a function that runs one request; `context` goes to the resolvers, faults of the service go to `log`. It returns a
 *   promise only if it waits: a plan on SQLite does not
 */
export function createDocumentRunner<Context>(deps: DocumentRunnerDeps<Context>) {
  const { schema, limitLargeDocument, acquireEventLoop } = deps;
  const cache = createDocumentCache(schema);
  const runScheduled = async <Result>(context: Context, work: () => Result | Promise<Result>): Promise<Result> => {
    const due = acquireEventLoop?.(context);
    if (due !== undefined) await due;
    return work();
  };
  const runPrepared = (known: PreparedDocument, request: DocumentRequest, context: Context, log: Logger) => {
    if ('refusals' in known) return { ...notRun, outcome: { errors: known.refusals } };
    const call = readCall(deps, known, request);
    if ('outcome' in call) return call;
    const planned = () => runPlanned(deps, known, call, context);
    const run = () => runResolvers(schema, known, call, context);
    const textOf = (result: string | GivenUp | null) => plannedText(deps, known, result, log);
    const runLarge = async () => {
      const text = textOf(await runScheduled(context, planned));
      return text ?? runScheduled(context, run);
    };
    const runSmall = async (result: ReturnType<Plan> | null) => textOf(await result) ?? run();
    const answer = (result: ExecutionResult | string): DocumentAnswer => ({
      operation: call.name,
      outcome: typeof result === 'string' ? result : present(result, log),
    });
    if (limitLargeDocument && call.hasManyRows) return limitLargeDocument(context, runLarge).then(answer);
    const result = planned();
    return typeof result === 'string' ? answer(textOf(result) ?? result) : runSmall(result).then(answer);
  };
  return (request: DocumentRequest, context: Context, log: Logger): DocumentAnswer | Promise<DocumentAnswer> => {
    const known = cache.get(request.query);
    if (known) return runPrepared(known, request, context, log);
    const prepared = runScheduled(context, () => cache.prepare(request.query));
    return prepared.then((made) => runPrepared(made, request, context, log));
  };
}

/** One operation of a document, with its variables. */
type Call = {
  readonly operation: OperationDefinitionNode;
  /** For metrics. @see DocumentAnswer */
  readonly name: string;
  readonly given: DocumentRequest['variables'];
  readonly coerced: Readonly<Record<string, unknown>>;
  readonly inputs: RootInputs;
  /** True if it may return many rows other than logs. */
  readonly hasManyRows: boolean;
};

/** Chooses the operation, and checks its variables and the records that it may return. @returns the answer if it is refused */
function readCall<Context>(
  { schema, weightOf }: DocumentRunnerDeps<Context>,
  { prepared }: CachedDocument,
  { variables, operationName }: DocumentRequest,
): Call | DocumentAnswer {
  const operation = chooseOperation(prepared, operationName);
  if ('message' in operation) return { ...notRun, outcome: { errors: [operation] } };
  const rootFields = prepared.rootFieldsOf(operation);
  const name = operationNameOf(rootFields);
  const { coerced, errors } = getVariableValues(schema, operation.variableDefinitions ?? [], variables, {
    maxErrors: refusalsMax,
  });
  if (errors) return { operation: name, outcome: { errors: variableRefusals(errors) } };
  const inputs = rootInputs(schema, rootFields, coerced);
  const amount = requestedRecords(rootFields, inputs, weightOf);
  const tooMuch = refuseTooManyRecords(amount);
  if (tooMuch) return { operation: name, outcome: { errors: [tooMuch] } };
  const hasManyRows = amount - logsAmount(rootFields, weightOf) > largeAmount;
  return { operation, name, given: variables, coerced, inputs, hasManyRows };
}

/** @returns null if the operation has no plan */
function runPlanned<Context>(
  { schema, runPlan }: DocumentRunnerDeps<Context>,
  known: CachedDocument,
  { operation, coerced, inputs }: Call,
  context: Context,
): ReturnType<Plan> | null {
  const plan = runPlan ? plansOf(schema, known, operation)(coerced) : null;
  return runPlan && plan ? runPlan(plan, inputs, context) : null;
}

/** Logs the first failure of a document's plan. @returns the text of the data, or null if the resolvers have to run the operation */
function plannedText<Context>(
  { onRun }: DocumentRunnerDeps<Context>,
  known: CachedDocument,
  result: string | GivenUp | null,
  log: Logger,
): string | null {
  if (typeof result === 'string') {
    onRun?.('plan');
    return result;
  }
  onRun?.(result?.reason ?? 'no_plan');
  if (result?.reason === 'failed' && !known.isFailureLogged) {
    known.isFailureLogged = true;
    log.warn({ err: result.error }, 'a query could not be run by its plan, so it was run without one');
  }
  return null;
}

function runResolvers(
  schema: GraphQLSchema,
  { prepared }: CachedDocument,
  { operation, given }: Call,
  context: unknown,
): ExecutionResult | Promise<ExecutionResult> {
  return execute({
    schema,
    document: prepared.document,
    contextValue: context,
    variableValues: given,
    operationName: operation.name?.value ?? null,
  });
}

function logsAmount(rootFields: readonly FieldNode[], weightOf: WeightOf): number {
  return rootFields.some(({ name }) => name.value === logsField) ? weightOf(logsField, {}) : 0;
}

const notRun = { operation: 'none' } as const;

function operationNameOf([only, ...others]: readonly FieldNode[]): string {
  return others.length > 0 ? 'several' : (only?.name.value ?? 'none');
}

function variableRefusals(errors: readonly GraphQLError[]): readonly Refusal[] {
  return errors.slice(0, refusalsMax).map((error) => documentRefusal('BAD_USER_INPUT', error));
}

function createDocumentCache(schema: GraphQLSchema) {
  const documents = createLruCache<CachedDocument>({ entriesMax: cachedDocumentsMax });
  return {
    get: documents.get,
    prepare(text: string): PreparedDocument {
      const prepared = prepare(schema, text);
      if (!('document' in prepared)) return { refusals: prepared };
      const made: CachedDocument = { prepared, plans: new Map(), isFailureLogged: false };
      if (text.length > cachedLengthMax) return made;
      documents.set(text, made);
      return made;
    },
  };
}

function plansOf(
  schema: GraphQLSchema,
  { prepared, plans }: CachedDocument,
  operation: OperationDefinitionNode,
): PlansOf {
  const known = plans.get(operation);
  if (known) return known;
  const made = createPlans(schema, prepared, operation);
  plans.set(operation, made);
  return made;
}

function chooseOperation({ operations }: Prepared, name: string | null): OperationDefinitionNode | Refusal {
  const [first, ...others] = operations;
  if (name === null) {
    if (first && others.length === 0) return first;
    return refusal(
      'BAD_USER_INPUT',
      first ? 'operationName must say which operation to run.' : 'There is no operation.',
    );
  }
  const named = operations.find((operation) => operation.name?.value === name);
  return named ?? refusal('BAD_USER_INPUT', 'There is no operation of that operationName.');
}

/** Sorts errors by path, so that the order in which fields fail does not show. */
function present(result: ExecutionResult, log: Logger): Outcome {
  if (!result.errors) return { data: result.data };
  const away = result.errors.find(({ originalError }) => isUnavailable(originalError));
  if (away) {
    log.error({ err: away.originalError }, 'the database did not answer a request');
    return { isUnavailable: true };
  }
  const byPath = result.errors.map((error) => ({ error, path: error.path?.join('\n') ?? '' }));
  byPath.sort((a, b) => (a.path < b.path ? -1 : Number(a.path > b.path)));
  return { errors: byPath.map(({ error }) => fieldRefusal(error, log)), data: result.data ?? null };
}
