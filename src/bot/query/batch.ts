/** Batched aliases: one document requests one field with many inputs, each under its own alias, as many as the service accepts. */
import type { TypedDocumentNode } from '@graphql-typed-document-node/core';
import { type DefinitionNode, type DocumentNode, Kind, type OperationDefinitionNode, visit } from 'graphql';
import type { Ask } from './client/client.ts';
import { type Fault, isBusyForNow, type Outcome } from './client/fault.ts';
import type { Reply } from './client/reply.ts';
import { type BatchSize, type BatchSizes, isThrottledAtAnySize, splitting } from './split.ts';

/** Limit of some services. */
const aliasesMax = 15;
/** A service publishes no rules of cost, so the first document is small. */
const firstAliasesMax = 6;

type AliasedData = Readonly<Record<string, unknown>>;

/** The reply with the answer for one input, and its alias in that reply. */
export type AliasedReply = { readonly reply: Reply<AliasedData>; readonly name: string };

type AskMany<Input> = (
  ask: Ask,
  inputs: readonly Input[],
  sizes: BatchSizes,
) => Promise<Outcome<readonly AliasedReply[]>>;

/**
 * Begins with a small document, halves it if the service refuses it or is too busy for it, doubles it if the service accepts it.
 * A size that was too busy is the limit of the rest of this batch.
 * @param document of one operation, with `input` as its only variable @param field its only root field
 * @param options.together number of inputs that belong into one document; one if left out
 * @param options.max largest number of inputs in one document
 * @returns a function that resolves to the answers in the order of the inputs, or to the first fault
 */
export function batchByAlias<Data, Input>(
  document: TypedDocumentNode<Data, { readonly input: Input }>,
  field: string & keyof Data,
  { together = 1, max = aliasesMax }: { readonly together?: number; readonly max?: number } = {},
): AskMany<Input> {
  const whole = (size: number) => Math.max(together, Math.floor(size / together) * together);
  const first: BatchSize = { next: whole(Math.min(firstAliasesMax, max)), accepted: 0, max: whole(max) };
  const documents = new Map<number, BatchDocument<Input>>();
  const aliasOf = (index: number) => `${field}${index}`;
  // One document for each number of inputs: printed texts and learnt lacks are cached by document.
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
  return async (ask, inputs, sizes) => {
    const replies: AliasedReply[] = [];
    let size = sizes.get(field) ?? first;
    let busyMax = Number.POSITIVE_INFINITY;
    while (replies.length < inputs.length) {
      const some = inputs.slice(replies.length, replies.length + Math.min(size.next, busyMax));
      const variables = Object.fromEntries(some.map((input, index) => [aliasOf(index), input]));
      // A document that cannot be halved any more may still have smaller pages.
      const send = some.length <= together ? splitting(ask, sizes) : ask;
      const outcome = await send(documentFor(some.length), variables);
      if ('fault' in outcome) {
        if (some.length <= together || !mayTakeLess(outcome.fault)) return outcome;
        const half = whole(some.length / 2);
        if (!isBusyForNow(outcome.fault)) size = afterRefusal(size, some.length, half);
        else if (await isThrottledAtAnySize(ask, sizes, documentFor(some.length), variables)) return outcome;
        else busyMax = half;
        continue;
      }
      replies.push(...some.map((_, index) => ({ reply: outcome.value, name: aliasOf(index) })));
      size = afterSuccess(size, some.length);
      // Remembered now only: a document that is refused at every size has another fault.
      sizes.set(field, size);
    }
    return { value: replies };
  };
}

function mayTakeLess(fault: Fault): boolean {
  return fault.kind === 'invalid_request' || fault.isTooLarge === true || isBusyForNow(fault);
}

function afterRefusal(size: BatchSize, refused: number, half: number): BatchSize {
  // The cost may depend on the inputs, too.
  const accepted = size.accepted < refused ? size.accepted : 0;
  return { next: half, accepted, max: Math.max(half, accepted) };
}

function afterSuccess({ next, accepted, max }: BatchSize, length: number): BatchSize {
  return { next: length < next ? next : Math.min(max, 2 * next), accepted: Math.max(accepted, length), max };
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
