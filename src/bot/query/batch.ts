/** Batched aliases: one document requests one field with many inputs, each under its own alias. */
import type { TypedDocumentNode } from '@graphql-typed-document-node/core';
import { type DefinitionNode, type DocumentNode, Kind, type OperationDefinitionNode, visit } from 'graphql';
import type { JsonRecord } from '../../shared/json.ts';
import type { Ask } from './client/client.ts';
import { listOf } from './rows.ts';

/** Limit of some services. */
const aliasesMax = 15;

type AliasedData = Readonly<Record<string, unknown>>;

/** The part of the reply for one input, and the untrusted list in it, as `listOf` reads it. */
export type AliasedReply = { readonly part: JsonRecord | undefined; readonly list: unknown };

/** @throws NoAnswer with the first fault */
export type AskMany<Input> = (ask: Ask, inputs: readonly Input[]) => Promise<readonly AliasedReply[]>;

/**
 * @param document of one operation, with `input` as its only variable @param field its only root field
 * @param max largest number of inputs in one document
 * @returns a function that resolves to the answers in the order of the inputs
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
      const reply = await ask(documentFor(some.length), variables);
      const names = some.map((_, index) => aliasOf(index));
      replies.push(...names.map((name) => ({ part: reply.part(name), list: listOf(reply, name) })));
    }
    return replies;
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
