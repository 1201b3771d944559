/** Runs GraphQL documents: prepares each once, checks its variables and cost, and runs its plan. */
import {
  type FieldNode,
  type GraphQLError,
  type GraphQLSchema,
  getVariableValues,
  type OperationDefinitionNode,
} from 'graphql';
import { createLruCache } from '../../shared/cache/lru-cache.ts';
import type { Logger } from '../../shared/log/logger.ts';
import type { RequestContext } from '../limits/request-context.ts';
import type { RequestReads } from '../records/request-reads.ts';
import { refuseTooManyRecords, requestedRecords, rootInputs } from './cost.ts';
import { weightOf } from './inputs.ts';
import { createPlans, type PlanCall, type PlanResult, type PlansOf } from './plans/plan.ts';
import type { PlanCaller } from './plans/root-plan.ts';
import { type Prepared, prepare } from './prepare-document.ts';
import { documentRefusal, fieldRefusal, isUnavailable, type Refusal, refusal, refusalsMax } from './refusal.ts';

/** One GraphQL request. The shape of its body is already checked. */
export type DocumentRequest = {
  readonly query: string;
  readonly variables: Readonly<Record<string, unknown>>;
  readonly operationName: string | null;
};

/** `data` is JSON text, and missing if the document did not run. */
export type Outcome = {
  readonly data?: string;
  readonly errors?: readonly Refusal[];
  /** True if the database did not answer: nothing of the rest is shown. */
  readonly isUnavailable?: boolean;
};

/** The outcome of a request, and the operation it ran. */
export type DocumentAnswer = {
  readonly outcome: Outcome;
  /** The name of its only root field, `several` or `none`. A metrics label: few values, none chosen by a client. */
  readonly operation: string;
};

/** The request for which a document runs. */
export type DocumentContext = {
  readonly caller: PlanCaller;
  readonly request: RequestContext;
  readonly reads: RequestReads;
};

/** Bounds of the cache. Longer documents are prepared again each time. */
const cachedDocumentsMax = 64;
const cachedLengthMax = 8_000;

type PreparedDocument = CachedDocument | { readonly refusals: readonly Refusal[] };

type CachedDocument = { readonly prepared: Prepared; readonly plans: Map<OperationDefinitionNode, PlansOf> };

/** A document that may return more rows than this is large. Logs may be many, but seldom are. */
const largeAmount = 300;
const logsField = 'workflowExecutionLogs';

type DocumentRunnerDeps = {
  readonly schema: GraphQLSchema;
  /** Runs a document that may return many rows. */
  readonly limitLargeDocument: <Result>(request: RequestContext, work: () => Promise<Result>) => Promise<Result>;
};

/**
 * @returns a function that runs one request; faults of the service go to `log`. It returns a promise only if it waits: a plan on
 *   SQLite does not
 */
export function createDocumentRunner({ schema, limitLargeDocument }: DocumentRunnerDeps) {
  const cache = createDocumentCache(schema);
  const runPrepared = (known: PreparedDocument, request: DocumentRequest, context: DocumentContext, log: Logger) => {
    if ('refusals' in known) return { ...notRun, outcome: { errors: known.refusals } };
    const call = readCall(schema, known, request);
    if ('outcome' in call) return call;
    const plan = plansOf(schema, known, call.operation)(call.coerced);
    const run = () => plan(call, context.caller, context.reads);
    const answer = (result: PlanResult): DocumentAnswer => ({ operation: call.name, outcome: present(result, log) });
    if (call.hasManyRows)
      return limitLargeDocument(context.request, () => runScheduled(context.request, run)).then(answer);
    const result = run();
    return result instanceof Promise ? result.then(answer) : answer(result);
  };
  return (
    request: DocumentRequest,
    context: DocumentContext,
    log: Logger,
  ): DocumentAnswer | Promise<DocumentAnswer> => {
    const known = cache.get(request.query);
    if (known) return runPrepared(known, request, context, log);
    const prepared = runScheduled(context.request, () => cache.prepare(request.query));
    return prepared.then((made) => runPrepared(made, request, context, log));
  };
}

/** Runs work that takes milliseconds. From then on the tasks of the request are scheduled separately: they take milliseconds too. */
async function runScheduled<Result>(request: RequestContext, work: () => Result | Promise<Result>): Promise<Result> {
  request.scheduleTasks();
  const due = request.acquireEventLoop();
  if (due !== undefined) await due;
  return work();
}

/** One operation of a document, with its variables. */
type Call = PlanCall & {
  readonly operation: OperationDefinitionNode;
  /** For metrics. @see DocumentAnswer */
  readonly name: string;
  readonly coerced: Readonly<Record<string, unknown>>;
  /** True if it may return many rows other than logs. */
  readonly hasManyRows: boolean;
};

/** Chooses the operation, and checks its variables and the records that it may return. @returns the answer if it is refused */
function readCall(
  schema: GraphQLSchema,
  { prepared }: CachedDocument,
  { variables, operationName }: DocumentRequest,
): Call | DocumentAnswer {
  const operation = chooseOperation(prepared, operationName);
  if ('message' in operation) return { ...notRun, outcome: { errors: [operation] } };
  const rootFields = prepared.rootFieldsOf(operation);
  const name = rootFields.length > 1 ? 'several' : (rootFields[0]?.name.value ?? 'none');
  const { coerced, errors } = getVariableValues(schema, operation.variableDefinitions ?? [], variables, {
    maxErrors: refusalsMax,
  });
  if (errors) return { operation: name, outcome: { errors: variableRefusals(errors) } };
  const inputs = rootInputs(schema, rootFields, coerced);
  const amount = requestedRecords(rootFields, inputs);
  const tooMuch = refuseTooManyRecords(amount);
  if (tooMuch) return { operation: name, outcome: { errors: [tooMuch] } };
  const hasManyRows = amount - logsAmount(rootFields) > largeAmount;
  return { operation, name, given: variables, coerced, inputs, hasManyRows };
}

function logsAmount(rootFields: readonly FieldNode[]): number {
  return rootFields.some(({ name }) => name.value === logsField) ? weightOf(logsField, {}) : 0;
}

const notRun = { operation: 'none' } as const;

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
      const made: CachedDocument = { prepared, plans: new Map() };
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
function present({ data, errors }: PlanResult, log: Logger): Outcome {
  if (errors.length === 0) return { data };
  const away = errors.find(({ originalError }) => isUnavailable(originalError));
  if (away) {
    log.error({ err: away.originalError }, 'the database did not answer a request');
    return { isUnavailable: true };
  }
  const byPath = errors.map((error) => ({ error, path: error.path?.join('\n') ?? '' }));
  byPath.sort((a, b) => (a.path < b.path ? -1 : Number(a.path > b.path)));
  return { errors: byPath.map(({ error }) => fieldRefusal(error, log)), data };
}
