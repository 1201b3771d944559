/** Prepares a document to be run: counts its tokens, parses it, validates it and checks its cost. */
import {
  type DocumentNode,
  type FieldNode,
  GraphQLError,
  type GraphQLSchema,
  Kind,
  Lexer,
  type OperationDefinitionNode,
  parse,
  Source,
  specifiedRules,
  TokenKind,
  type ValidationContext,
  validate,
} from 'graphql';
import { refuseExpanded, refuseWritten, rootFieldsIn } from './cost.ts';
import { documentRefusal, type Refusal, refusal, refusalsMax } from './refusal.ts';

export type Prepared = {
  readonly document: DocumentNode;
  readonly operations: readonly OperationDefinitionNode[];
  readonly rootFieldsOf: (operation: OperationDefinitionNode) => readonly FieldNode[];
};

/** @returns the document, or its refusals */
export function prepare(schema: GraphQLSchema, text: string): Prepared | readonly Refusal[] {
  const badTokens = refuseTokens(text);
  if (badTokens) return [badTokens];
  const document = parseDocument(text);
  if (document instanceof GraphQLError) return [documentRefusal('GRAPHQL_PARSE_FAILED', document)];
  const badSize = refuseWritten(document);
  if (badSize) return [badSize];
  const errors = validate(schema, document, [...specifiedRules, queriesOnly], { maxErrors: refusalsMax });
  if (errors.length > 0) {
    return errors.slice(0, refusalsMax).map((error) => documentRefusal('GRAPHQL_VALIDATION_FAILED', error));
  }
  const badCost = refuseExpanded(document);
  if (badCost) return [badCost];
  const operations = document.definitions.filter((node) => node.kind === Kind.OPERATION_DEFINITION);
  const rootFields = new Map(operations.map((operation) => [operation, rootFieldsIn(document, operation)]));
  const rootFieldsOf = (operation: OperationDefinitionNode) => rootFields.get(operation) ?? [];
  return { document, operations, rootFieldsOf };
}

function parseDocument(text: string): DocumentNode | GraphQLError {
  try {
    return parse(text);
  } catch (error) {
    if (error instanceof GraphQLError) return error;
    throw error;
  }
}

/**
 * Rejects mutations and subscriptions. In a schema without mutations the specified rules accept a mutation and do not
 * check its fields.
 */
function queriesOnly(context: ValidationContext) {
  return {
    OperationDefinition(node: OperationDefinitionNode) {
      if (context.getSchema().getRootType(node.operation)) return;
      context.reportError(new GraphQLError(`The schema has no ${node.operation}.`, { nodes: node }));
    },
  };
}

const tokensMax = 2_000;
/** Deeper nesting may overflow the parser's stack. */
const openBracketsMax = 40;

const opening: ReadonlySet<string> = new Set([TokenKind.BRACE_L, TokenKind.BRACKET_L, TokenKind.PAREN_L]);
const closing: ReadonlySet<string> = new Set([TokenKind.BRACE_R, TokenKind.BRACKET_R, TokenKind.PAREN_R]);

/** Runs before parsing. @returns the refusal of the document, or null */
function refuseTokens(text: string): Refusal | null {
  const lexer = new Lexer(new Source(text));
  let open = 0;
  try {
    for (let tokens = 0; ; tokens += 1) {
      const { kind } = lexer.advance();
      if (kind === TokenKind.EOF) return null;
      if (tokens >= tokensMax) return tooComplex(`more than ${tokensMax} tokens`);
      open += Number(opening.has(kind)) - Number(closing.has(kind));
      if (open > openBracketsMax) return tooComplex(`more than ${openBracketsMax} open brackets`);
    }
  } catch (error) {
    if (error instanceof GraphQLError) return documentRefusal('GRAPHQL_PARSE_FAILED', error);
    throw error;
  }
}

function tooComplex(excess: string): Refusal {
  return refusal('QUERY_TOO_COMPLEX', `The document has ${excess}.`);
}
