/** Batched aliases: one document asks for one field with many inputs, each under an alias of its own. */
import type { TypedDocumentNode } from '@graphql-typed-document-node/core';
import { type DefinitionNode, type DocumentNode, Kind, type OperationDefinitionNode, visit } from 'graphql';
import type { Ask } from './client/client.ts';
import type { Outcome } from './client/fault.ts';
import type { Reply } from './client/reply.ts';

/** A service may allow no more. */
export const aliasesMax = 15;

type Parts = Readonly<Record<string, unknown>>;

/** Where the answer for one input stands. */
export type AliasedReply = { readonly reply: Reply<Parts>; readonly name: string };

type AskMany<Input> = (ask: Ask, inputs: readonly Input[]) => Promise<Outcome<readonly AliasedReply[]>>;

/**
 * @param document of one operation, with `input` as its only variable @param field its only root field
 * @param max how many are asked for in one document
 * @returns the places of the answers, in the order of the inputs; the first fault ends it
 */
export function batchByAlias<Data, Input>(
  document: TypedDocumentNode<Data, { readonly input: Input }>,
  field: string & keyof Data,
  max = aliasesMax,
): AskMany<Input> {
  const documents = new Map<number, ManyDocument<Input>>();
  const aliasOf = (index: number) => `${field}${index}`;
  /** Built once for each number of them: what a document is known by, printed and learnt, is its tree. */
  const documentFor = (length: number) => {
    const known =
      documents.get(length) ??
      multiplied(
        document,
        field,
        Array.from({ length }, (_, at) => aliasOf(at)),
      );
    documents.set(length, known);
    return known;
  };
  return async (ask, inputs) => {
    const places: AliasedReply[] = [];
    for (let start = 0; start < inputs.length; start += max) {
      const some = inputs.slice(start, start + max);
      const variables = Object.fromEntries(some.map((input, index) => [aliasOf(index), input]));
      const outcome = await ask(documentFor(some.length), variables);
      if ('fault' in outcome) return outcome;
      places.push(...some.map((_, index) => ({ reply: outcome.value, name: aliasOf(index) })));
    }
    return { value: places };
  };
}

type ManyDocument<Input> = TypedDocumentNode<Parts, Readonly<Record<string, Input>>>;

function multiplied<Input>(document: DocumentNode, field: string, aliases: readonly string[]): ManyDocument<Input> {
  const definitions = document.definitions.map(
    (definition): DefinitionNode =>
      definition.kind === Kind.OPERATION_DEFINITION ? withAliases(definition, field, aliases) : definition,
  );
  return { kind: Kind.DOCUMENT, definitions };
}

/** The variable and the field of the one, under the same new name for each. */
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
