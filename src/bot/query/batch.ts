/** Batched aliases: one document requests one field with many inputs, each under its own alias. */
import type { TypedDocumentNode } from '@graphql-typed-document-node/core';
import { type DefinitionNode, type DocumentNode, Kind, type OperationDefinitionNode, visit } from 'graphql';
import type { Ask } from './client/client.ts';
import type { Outcome } from './client/fault.ts';
import type { Reply } from './client/reply.ts';

/** Limit of some services. */
const aliasesMax = 15;

type AliasedData = Readonly<Record<string, unknown>>;

/** The reply with the answer for one input, and its alias in that reply. */
export type AliasedReply = { readonly reply: Reply<AliasedData>; readonly name: string };

type AskMany<Input> = (ask: Ask, inputs: readonly Input[]) => Promise<Outcome<readonly AliasedReply[]>>;

/**
 * @param document of one operation, with `input` as its only variable @param field its only root field
 * @param max largest number of inputs in one document
 * @returns a function that resolves to the answers in the order of the inputs, or to the first fault
 */
export function batchByAlias<Data, Input>(
  document: TypedDocumentNode<Data, { readonly input: Input }>,
  field: string & keyof Data,
  max = aliasesMax,
): AskMany<Input> {
  const documents = new Map<number, BatchDocument<Input>>();
  const aliasOf = (index: number) => `${field}${index}`;
  // One document for each number of inputs: printed texts are cached by document.
  const documentFor = (length: number) => {
    const aliases = Array.from({ length }, (_, at) => aliasOf(at));
    const known = documents.get(length) ?? multiplied(document, field, aliases);
    documents.set(length, known);
    return known;
  };
  return async (ask, inputs) => {
    const replies: AliasedReply[] = [];
    for (let from = 0; from < inputs.length; from += max) {
      const some = inputs.slice(from, from + max);
      const variables = Object.fromEntries(some.map((input, index) => [aliasOf(index), input]));
      const outcome = await ask(documentFor(some.length), variables);
      if ('fault' in outcome) return outcome;
      replies.push(...some.map((_, index) => ({ reply: outcome.value, name: aliasOf(index) })));
    }
    return { value: replies };
  };
}

type BatchDocument<Input> = TypedDocumentNode<AliasedData, Readonly<Record<string, Input>>>;

function multiplied<Input>(document: DocumentNode, field: string, aliases: readonly string[]): BatchDocument<Input> {
  const definitions = document.definitions.map(
    (definition): DefinitionNode =>
      definition.kind === Kind.OPERATION_DEFINITION ? withAliases(definition, field, aliases) : definition,
  );
  return { kind: Kind.DOCUMENT, definitions };
}

/** Repeats the variable and the field of the operation under each alias. */
function withAliases(operation: OperationDefinitionNode, field: string, aliases: readonly string[]) {
  const copies = aliases.map((value) => {
    const name = { kind: Kind.NAME, value } as const;
    return visit(operation, {
      Variable: (node) => ({ ...node, name }),
      Field: (node) => (node.name.value === field ? { ...node, alias: name } : undefined),
    });
  });
  return {
    ...operation,
    variableDefinitions: copies.flatMap(({ variableDefinitions }) => variableDefinitions ?? []),
    selectionSet: {
      ...operation.selectionSet,
      selections: copies.flatMap(({ selectionSet }) => selectionSet.selections),
    },
  };
}
