/** Splits a document that a service refuses as too costly, or is too busy for: into fewer lists, then into smaller pages. */
import {
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  Kind,
  type OperationDefinitionNode,
  type SelectionNode,
  type SelectionSetNode,
  type ValueNode,
  visit,
} from 'graphql';
import { isRecord, type JsonRecord } from '../../shared/json.ts';
import type { Ask } from './client/client.ts';
import { type Fault, isBusyForNow, type Outcome } from './client/fault.ts';
import type { Reply } from './client/reply.ts';

export type BatchSize = {
  /** Number of inputs in the next document. */
  readonly next: number;
  /** Largest number that the service accepted, and the largest that it may accept. */
  readonly accepted: number;
  readonly max: number;
};

/** Sizes of the documents that the service accepts from one workspace: aliases by field, and rows by operation. */
export type BatchSizes = Map<string, BatchSize> & {
  /** The service was too busy for the smallest part of a document: until then none is split because of that. Of `performance.now()`. */
  busyUntil?: number;
  /** Resolves to true if the smallest part is refused; shared by all that wait for it. */
  throttleProbe?: Promise<boolean>;
};

/** A service that asks for less gets no more attempts than without splitting for this long. */
const busyMemoryMs = 5 * 60_000;

type SubQuery = { readonly document: DocumentNode; readonly variables: JsonRecord };
type AnyReply = Reply<JsonRecord>;

/**
 * The one rule after a 429: the smallest part of the refused document is asked for once. If that is refused too, the service refuses
 * requests and not their size, and for five minutes nothing is split because of a 429.
 * @param ask sends one document @param sizes of this workspace
 * @returns true if a smaller document cannot help
 */
export async function isThrottledAtAnySize(ask: Ask, sizes: BatchSizes, document: DocumentNode, variables: JsonRecord) {
  if (performance.now() < (sizes.busyUntil ?? 0)) return true;
  sizes.throttleProbe ??= isSmallestThrottled(ask, smallestOf({ document, variables })).finally(
    () => delete sizes.throttleProbe,
  );
  const isRefused = await sizes.throttleProbe;
  if (isRefused) sizes.busyUntil = performance.now() + busyMemoryMs;
  return isRefused;
}

async function isSmallestThrottled(ask: Ask, { document, variables }: SubQuery): Promise<boolean> {
  return 'fault' in (await ask<JsonRecord, JsonRecord>(document, variables));
}

/**
 * Sends a document as it is, unless the service refused as many rows of this operation before. After a refusal it halves the
 * number of lists, then the page of a single list, and puts the answers together again.
 * @param ask sends one document @param sizes of this workspace; a refusal for the time being is not remembered
 */
export function splitting(ask: Ask, sizes: BatchSizes): Ask {
  return async (document, variables, bytesMax) => {
    const key = `rows of ${operationOf(document)?.name?.value ?? ''}`;
    let hasAccepted = false;
    const send = async (subQuery: SubQuery): Promise<Outcome<AnyReply>> => {
      const outcome = await ask<JsonRecord, JsonRecord>(subQuery.document, subQuery.variables, bytesMax);
      if (!('fault' in outcome)) hasAccepted = true;
      return outcome;
    };
    const read = async (subQuery: SubQuery): Promise<Outcome<AnyReply>> => {
      const rows = rowsOf(subQuery);
      const parts = partsOf(subQuery);
      if (parts.length === 0 || rows <= (sizes.get(key)?.max ?? rows)) {
        const outcome = await send(subQuery);
        if (!('fault' in outcome) || parts.length === 0 || !mayTakeLess(outcome.fault)) return outcome;
        if (!isBusyForNow(outcome.fault)) sizes.set(key, { next: rows - 1, accepted: 0, max: rows - 1 });
        else if (!hasAccepted && (await isThrottledAtAnySize(ask, sizes, subQuery.document, subQuery.variables)))
          return outcome;
      }
      return readParts(subQuery, parts, read);
    };
    return read({ document, variables: Object.fromEntries(Object.entries(variables)) });
  };
}

function mayTakeLess(fault: Fault): boolean {
  return fault.isTooCostly === true || fault.isTooLarge === true || isBusyForNow(fault);
}

async function readParts(
  subQuery: SubQuery,
  parts: readonly SubQuery[],
  read: (subQuery: SubQuery) => Promise<Outcome<AnyReply>>,
): Promise<Outcome<AnyReply>> {
  const isOneList = fieldsOf(subQuery.document).length === 1;
  const replies: { readonly names: readonly string[]; readonly reply: AnyReply }[] = [];
  for (const part of parts) {
    const outcome = await read(part);
    if ('fault' in outcome) return outcome;
    const names = fieldsOf(part.document).map(nameOf);
    replies.push({ names, reply: outcome.value });
    // After a short page there is no other.
    if (isOneList && lengthOf(outcome.value.part(names[0] ?? '')) < rowsOf(part)) break;
  }
  const of = (name: string) => replies.filter(({ names }) => names.includes(name)).map(({ reply }) => reply);
  return {
    value: {
      part: (name) => joined(of(name).map((reply) => reply.part(name))),
      hasFailed: (name) => of(name).some((reply) => reply.hasFailed(name)),
      errors: replies.flatMap(({ reply }) => reply.errors),
    },
  };
}

/** Pages of one list, one after the other. A list with a page that could not be read is not known. */
function joined(pages: readonly (JsonRecord | undefined)[]): JsonRecord | undefined {
  const [first] = pages;
  if (first === undefined || pages.length === 1) return first;
  const rows = pages.map((page) => page?.['data']);
  return rows.every((list) => Array.isArray(list)) ? { ...first, data: rows.flat() } : undefined;
}

function lengthOf(page: JsonRecord | undefined): number {
  return Array.isArray(page?.['data']) ? page['data'].length : 0;
}

/** @returns none if it cannot be split */
function partsOf(subQuery: SubQuery): readonly SubQuery[] {
  const fields = fieldsOf(subQuery.document).filter((field) => isIncluded(field, subQuery.variables));
  const [only, ...others] = fields;
  if (only === undefined) return [];
  if (others.length === 0) return smallerPages(subQuery, only);
  const middle = Math.ceil(fields.length / 2);
  return [fields.slice(0, middle), fields.slice(middle)].map((some) => withFields(subQuery, some));
}

function smallestOf(subQuery: SubQuery): SubQuery {
  const [first] = partsOf(subQuery);
  return first === undefined ? subQuery : smallestOf(first);
}

/** Pages that begin and end where the larger one does. */
function smallerPages({ document, variables }: SubQuery, field: FieldNode): readonly SubQuery[] {
  const name = inputNameOf(field);
  const input = name === undefined ? undefined : variables[name];
  const page = isRecord(input) ? input['page'] : undefined;
  if (name === undefined || !isRecord(input) || !isRecord(page)) return [];
  const { number, size } = page;
  if (typeof number !== 'number' || typeof size !== 'number' || size <= 1) return [];
  const count = smallestFactor(size);
  return Array.from({ length: count }, (_, index) => ({
    document,
    variables: { ...variables, [name]: { ...input, page: { number: number * count + index, size: size / count } } },
  }));
}

function smallestFactor(size: number): number {
  return [2, 3, 5, 7].find((factor) => size % factor === 0) ?? size;
}

/** The rows that it asks for; one for a field without pages. */
function rowsOf({ document, variables }: SubQuery): number {
  const fields = fieldsOf(document).filter((field) => isIncluded(field, variables));
  return fields.reduce((sum, field) => {
    const input = variables[inputNameOf(field) ?? ''];
    const page = isRecord(input) ? input['page'] : undefined;
    return sum + (isRecord(page) && typeof page['size'] === 'number' ? page['size'] : 1);
  }, 0);
}

function operationOf(document: DocumentNode): OperationDefinitionNode | undefined {
  return document.definitions.find((definition) => definition.kind === Kind.OPERATION_DEFINITION);
}

function fieldsOf(document: DocumentNode): readonly FieldNode[] {
  return operationOf(document)?.selectionSet.selections.filter(isField) ?? [];
}

function isField(node: SelectionNode): node is FieldNode {
  return node.kind === Kind.FIELD;
}

function nameOf({ alias, name }: FieldNode): string {
  return (alias ?? name).value;
}

function inputNameOf(field: FieldNode): string | undefined {
  return variableIn(field.arguments?.find(({ name }) => name.value === 'input')?.value);
}

function variableIn(value: ValueNode | undefined): string | undefined {
  return value?.kind === Kind.VARIABLE ? value.name.value : undefined;
}

/** False for a field with `@include(if: $…)` of which the variable is false. */
function isIncluded({ directives }: FieldNode, variables: JsonRecord): boolean {
  const include = directives?.find(({ name }) => name.value === 'include');
  const condition = variableIn(include?.arguments?.[0]?.value);
  return condition === undefined || variables[condition] !== false;
}

function withFields({ document, variables }: SubQuery, fields: readonly FieldNode[]): SubQuery {
  const shorter = withoutUnused({
    ...document,
    definitions: document.definitions.map((definition) =>
      definition.kind === Kind.OPERATION_DEFINITION
        ? { ...definition, selectionSet: { ...definition.selectionSet, selections: fields } }
        : definition,
    ),
  });
  const used = operationOf(shorter)?.variableDefinitions?.map(({ variable }) => variable.name.value) ?? [];
  return { document: shorter, variables: Object.fromEntries(used.map((name) => [name, variables[name]])) };
}

/** A service refuses unused variables and fragments. */
function withoutUnused(document: DocumentNode): DocumentNode {
  const fragments = new Map(
    document.definitions.flatMap((one) =>
      one.kind === Kind.FRAGMENT_DEFINITION ? [[one.name.value, one] as const] : [],
    ),
  );
  const operations = document.definitions.filter((definition) => definition.kind === Kind.OPERATION_DEFINITION);
  const variables = new Set<string>();
  const used = new Set<FragmentDefinitionNode>();
  const follow = (node: SelectionSetNode) => {
    visit(node, {
      Variable: ({ name }) => void variables.add(name.value),
      FragmentSpread: ({ name }) => {
        const fragment = fragments.get(name.value);
        if (!fragment || used.has(fragment)) return;
        used.add(fragment);
        follow(fragment.selectionSet);
      },
    });
  };
  for (const { selectionSet } of operations) follow(selectionSet);
  const shortened = operations.map(
    (operation): OperationDefinitionNode => ({
      ...operation,
      variableDefinitions: (operation.variableDefinitions ?? []).filter(({ variable }) =>
        variables.has(variable.name.value),
      ),
    }),
  );
  return { kind: Kind.DOCUMENT, definitions: [...shortened, ...used] };
}
