/** Runs documents: the first time as GraphQL's reference does, compiled from the second time on. */
import {
  type ExecutionResult,
  execute,
  type FieldNode,
  type GraphQLError,
  type GraphQLSchema,
  getVariableValues,
  type OperationDefinitionNode,
} from 'graphql';
import { type CompiledQuery, compileQuery, isCompiledQuery } from 'graphql-jit';
import type { Logger } from '../../shared/log/logger.ts';
import { amountOf, refuseAmount, type WeightOf } from './amount.ts';
import { type Prepared, prepare } from './prepare.ts';
import { documentRefusal, fieldRefusal, type Refusal, refusal, refusalsMax } from './refusal.ts';

/** One GraphQL request, its body's shape already checked. */
export type DocumentRequest = {
  readonly query: string;
  readonly variables: Readonly<Record<string, unknown>>;
  readonly operationName: string | null;
};

/** `data` is missing where the document did not run at all. */
export type Outcome = { readonly data?: unknown; readonly errors?: readonly Refusal[] };

/** What became of a request, and what it was about. */
export type DocumentAnswer = {
  readonly outcome: Outcome;
  /** The name of its one root field, `several` or `none`: whatever clients call their documents, these are few. */
  readonly operation: string;
};

/** Longer documents, and older ones beyond this many, are prepared again each time: what is remembered is bounded. */
const rememberedMax = 64;
const rememberedLengthMax = 8_000;
/** A compiled document keeps some 18 kB and takes a third of a millisecond to make: not for what is asked once. */
const usesBeforeCompiling = 1;

type Remembered = { readonly prepared: Prepared; uses: number; compiled: CompiledQuery | null };

/** More records than this make a document a large one. Logs may be many, and seldom are. */
const largeAmount = 300;
const logsField = 'workflowExecutionLogs';

type DocumentsDeps<Context> = {
  readonly schema: GraphQLSchema;
  readonly weightOf: WeightOf;
  /** Runs the work of a document of many rows in its turn; at once where left out. */
  readonly inTurn?: <Result>(context: Context, work: () => Promise<Result>) => Promise<Result>;
  /** Asked before what takes milliseconds. @returns undefined where it may begin, else a promise of its turn */
  readonly turn?: (context: Context) => Promise<void> | undefined;
};

/** @returns answers one request; `context` is what resolvers get, `log` takes faults of the service */
export function createDocuments<Context>({ schema, weightOf, inTurn, turn }: DocumentsDeps<Context>) {
  const remember = createMemory(schema);
  const inOwnTurn = async <Result>(context: Context, work: () => Result | Promise<Result>): Promise<Result> => {
    const due = turn?.(context);
    if (due !== undefined) await due;
    return work();
  };
  return async (request: DocumentRequest, context: Context, log: Logger): Promise<DocumentAnswer> => {
    const known = remember.known(request.query) ?? (await inOwnTurn(context, () => remember.prepare(request.query)));
    if ('refusals' in known) return { ...unread, outcome: { errors: known.refusals } };
    const operation = chooseOperation(known.prepared, request.operationName);
    if ('message' in operation) return { ...unread, outcome: { errors: [operation] } };
    const rootFields = known.prepared.rootFieldsOf(operation);
    const about = { operation: nameOf(rootFields) };
    const { coerced, errors } = getVariableValues(schema, operation.variableDefinitions ?? [], request.variables, {
      maxErrors: refusalsMax,
    });
    if (errors) return { ...about, outcome: { errors: variableRefusals(errors) } };
    const amount = amountOf({ schema, rootFields, variables: coerced }, weightOf);
    const tooMuch = refuseAmount(amount);
    if (tooMuch) return { ...about, outcome: { errors: [tooMuch] } };
    const isLarge = amount > largeAmount;
    const hasManyRows = isLarge && amount - logsAmount(rootFields, weightOf) > largeAmount;
    const compile = () => compiledOf(schema, known, isLarge);
    const run = (compiled: CompiledQuery | null): Promise<ExecutionResult> | ExecutionResult =>
      compiled
        ? compiled.query(undefined, context, request.variables)
        : execute({
            schema,
            document: known.prepared.document,
            contextValue: context,
            variableValues: request.variables,
            operationName: operation.name?.value ?? null,
          });
    const runInTurns = async () => {
      const compiled = await inOwnTurn(context, compile);
      return inOwnTurn(context, () => run(compiled));
    };
    const result = await (inTurn && hasManyRows ? inTurn(context, runInTurns) : run(compile()));
    return { ...about, outcome: present(result, log) };
  };
}

function logsAmount(rootFields: readonly FieldNode[], weightOf: WeightOf): number {
  return rootFields.some(({ name }) => name.value === logsField) ? weightOf(logsField, {}) : 0;
}

const unread = { operation: 'none' } as const;

function nameOf([only, ...others]: readonly FieldNode[]): string {
  return others.length > 0 ? 'several' : (only?.name.value ?? 'none');
}

function variableRefusals(errors: readonly GraphQLError[]): readonly Refusal[] {
  return errors.slice(0, refusalsMax).map((error) => documentRefusal('BAD_USER_INPUT', error));
}

function createMemory(schema: GraphQLSchema) {
  const memory = new Map<string, Remembered>();
  return {
    known(text: string): Remembered | undefined {
      const known = memory.get(text);
      if (known) {
        // Put back as the newest, so that what is dropped is what was asked longest ago.
        memory.delete(text);
        memory.set(text, known);
      }
      return known;
    },
    prepare(text: string): Remembered | { readonly refusals: readonly Refusal[] } {
      const prepared = prepare(schema, text);
      if (!('document' in prepared)) return { refusals: prepared };
      const made: Remembered = { prepared, uses: 0, compiled: null };
      if (text.length > rememberedLengthMax) return made;
      const [oldest] = memory.keys();
      if (memory.size >= rememberedMax && oldest !== undefined) memory.delete(oldest);
      memory.set(text, made);
      return made;
    },
  };
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

/** Compiles a document that is asked again, or is large. @returns null where it is asked for the first time, or cannot be compiled */
function compiledOf(schema: GraphQLSchema, known: Remembered, isLarge: boolean): CompiledQuery | null {
  if (known.compiled) return known.compiled;
  known.uses += 1;
  // GraphQL's reference holds the process ten times as long for ten thousand lines.
  const isWorthIt = isLarge || known.uses > usesBeforeCompiling;
  if (!isWorthIt || !known.prepared.isCompilable) return null;
  const compiled = compileQuery(schema, known.prepared.document);
  if (!isCompiledQuery(compiled)) return null;
  known.compiled = compiled;
  return compiled;
}

/** In the order of their fields, so that both ways of running a document answer alike. */
function present(result: ExecutionResult, log: Logger): Outcome {
  if (!result.errors) return { data: result.data };
  const byPath = result.errors.map((error) => ({ error, path: error.path?.join('\n') ?? '' }));
  byPath.sort((a, b) => (a.path < b.path ? -1 : Number(a.path > b.path)));
  return { errors: byPath.map(({ error }) => fieldRefusal(error, log)), data: result.data ?? null };
}
