/** Halves a document that a service refuses as too large or too costly: first its lists, then the page of a single list. */
import {
  type DocumentNode,
  type FieldNode,
  Kind,
  type OperationDefinitionNode,
  separateOperations,
  type ValueNode,
  visit,
} from 'graphql';
import { isRecord, type JsonRecord } from '../../shared/json.ts';
import type { Ask } from './client/client.ts';
import type { ServiceDocuments } from './client/documents.ts';
import { type Fault, NoAnswer, outcomeOf } from './client/fault.ts';
import type { Reply } from './client/reply.ts';

type Part = { readonly document: DocumentNode; readonly variables: JsonRecord };
type AnyReply = Reply<JsonRecord>;

/**
 * Sends each document as it is, unless the service refused as many rows of its operation before. The answers of halves are put
 * together again. A request with a limit of bytes of its own is not halved: its caller leaves a list out instead.
 * @param ask sends one document @param documents remembers the refusals
 */
export function halving(ask: Ask, documents: ServiceDocuments): Ask {
  return async (document, variables, bytesMax) => {
    if (bytesMax !== undefined) return ask(document, variables, bytesMax);
    const name = operationOf(document)?.name?.value ?? '';
    const read = async (part: Part): Promise<AnyReply> => {
      const [rows, halves] = [rowsOf(part), halvesOf(part)];
      const isRefused = rows > documents.rowsMax(name);
      if (!isRefused || halves.length === 0) {
        const outcome = await outcomeOf(ask<JsonRecord, JsonRecord>(part.document, part.variables));
        if ('value' in outcome) return outcome.value;
        if (halves.length === 0 || !mayTakeLess(outcome.fault, part)) throw new NoAnswer(outcome.fault);
      }
      const reply = await readHalves(part, halves, read);
      // Only now: a document that is refused at every size has another fault.
      if (!isRefused) documents.limitRows(name, rows - 1);
      return reply;
    };
    return read({ document, variables: Object.fromEntries(Object.entries(variables)) });
  };
}

/** A limit on aliases may come without a known word. */
function mayTakeLess({ kind, isTooCostly, isTooLarge }: Fault, { document }: Part): boolean {
  const names = fieldsOf(document).map(({ name }) => name.value);
  const isBatch = names.length > 1 && new Set(names).size === 1;
  return isTooCostly === true || isTooLarge === true || (isBatch && kind === 'invalid_request');
}

async function readHalves(
  part: Part,
  halves: readonly Part[],
  read: (part: Part) => Promise<AnyReply>,
): Promise<AnyReply> {
  const isOneList = fieldsOf(part.document).length === 1;
  const replies: { readonly names: readonly string[]; readonly reply: AnyReply }[] = [];
  for (const half of halves) {
    const reply = await read(half);
    const names = fieldsOf(half.document).map(({ alias, name }) => (alias ?? name).value);
    replies.push({ names, reply });
    // After a short page there is no other.
    if (isOneList && lengthOf(reply.part(names[0] ?? '')) < rowsOf(half)) break;
  }
  const of = (name: string) => replies.filter(({ names }) => names.includes(name)).map(({ reply }) => reply);
  return {
    part: (name) => joined(of(name).map((reply) => reply.part(name))),
    hasFailed: (name) => of(name).some((reply) => reply.hasFailed(name)),
    errors: replies.flatMap(({ reply }) => reply.errors),
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

/** @returns none if it cannot be halved. Pairs of lists stay together, since a difference is read from both. */
function halvesOf(part: Part): readonly Part[] {
  const fields = fieldsOf(part.document).filter((field) => isIncluded(field, part.variables));
  const [only, ...others] = fields;
  if (only === undefined) return [];
  if (others.length === 0) return smallerPages(part, only);
  const middle = others.length === 1 ? 1 : 2 * Math.ceil(fields.length / 4);
  return [fields.slice(0, middle), fields.slice(middle)].map((some) => withFields(part, some));
}

/** Pages that begin and end where the larger one does. */
function smallerPages({ document, variables }: Part, field: FieldNode): readonly Part[] {
  const name = inputNameOf(field);
  const input = name === undefined ? undefined : variables[name];
  const page = isRecord(input) ? input['page'] : undefined;
  if (name === undefined || !isRecord(input) || !isRecord(page)) return [];
  const { number, size } = page;
  if (typeof number !== 'number' || typeof size !== 'number' || size <= 1) return [];
  const count = [2, 3, 5, 7].find((factor) => size % factor === 0) ?? size;
  return Array.from({ length: count }, (_, index) => ({
    document,
    variables: { ...variables, [name]: { ...input, page: { number: number * count + index, size: size / count } } },
  }));
}

/** The rows that it asks for; one for a field without pages. */
function rowsOf({ document, variables }: Part): number {
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
  return operationOf(document)?.selectionSet.selections.filter((node) => node.kind === Kind.FIELD) ?? [];
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

/** A service refuses unused variables and fragments. */
function withFields({ document, variables }: Part, fields: readonly FieldNode[]): Part {
  const shorter = visit(document, {
    OperationDefinition: (operation) => ({
      ...operation,
      selectionSet: { ...operation.selectionSet, selections: fields },
    }),
  });
  const [separated = shorter] = Object.values(separateOperations(shorter));
  const used = new Set<string>();
  visit(separated, { VariableDefinition: () => false, Variable: ({ name }) => void used.add(name.value) });
  return {
    document: visit(separated, {
      VariableDefinition: ({ variable }) => (used.has(variable.name.value) ? undefined : null),
    }),
    variables: Object.fromEntries([...used].map((name) => [name, variables[name]])),
  };
}
