/** Limits on the cost of a document: its fields, its aliases, and the records that it may return. */
import {
  type DocumentNode,
  type FieldNode,
  GraphQLError,
  type GraphQLSchema,
  getArgumentValues,
  Kind,
  type OperationDefinitionNode,
  type SelectionSetNode,
} from 'graphql';
import { weightOf } from './inputs.ts';
import { type Refusal, refusal } from './refusal.ts';

/** Upper limits of a document. */
const limits = { aliases: 15, fields: 400, rootFields: 20 } as const;

type Cost = { readonly fields: number; readonly aliases: number; readonly rootFields: number };

const names = { aliases: 'aliases', fields: 'fields', rootFields: 'root fields' } as const;

/** Runs before validation, whose time grows with the square of the fields. @returns the refusal of the document, or null */
export function refuseWritten(document: DocumentNode): Refusal | null {
  const sum = { fields: 0, aliases: 0, rootFields: 0 };
  for (const definition of document.definitions) {
    if (!('selectionSet' in definition) || definition.selectionSet === undefined) continue;
    const { fields, aliases } = costOf(definition.selectionSet, () => nothing);
    sum.fields += fields;
    sum.aliases += aliases;
  }
  return refuse(sum);
}

/** Runs after validation, which ensures that fragments exist and do not contain themselves. */
export function refuseExpanded(document: DocumentNode): Refusal | null {
  const fragments = fragmentsOf(document);
  const known = new Map<string, Cost>();
  const fragmentCost = (name: string): Cost => {
    const selection = fragments.get(name);
    const cost = known.get(name) ?? (selection ? costOf(selection, fragmentCost) : nothing);
    known.set(name, cost);
    return cost;
  };
  for (const node of document.definitions) {
    const found = node.kind === Kind.OPERATION_DEFINITION ? refuse(costOf(node.selectionSet, fragmentCost)) : null;
    if (found) return found;
  }
  return null;
}

/** @param document valid @returns the root fields of the operation, each alias separately */
export function rootFieldsIn(document: DocumentNode, operation: OperationDefinitionNode): readonly FieldNode[] {
  const fragments = fragmentsOf(document);
  const found = new Map<string, FieldNode>();
  const collect = (selection: SelectionSetNode | undefined) => {
    for (const node of selection?.selections ?? []) {
      if (node.kind === Kind.FIELD) found.set(keyOf(node), node);
      else collect(node.kind === Kind.FRAGMENT_SPREAD ? fragments.get(node.name.value) : node.selectionSet);
    }
  };
  collect(operation.selectionSet);
  return [...found.values()];
}

/** @returns the selection of each fragment by its name */
export function fragmentsOf(document: DocumentNode): ReadonlyMap<string, SelectionSetNode> {
  return new Map(
    document.definitions.flatMap((node) =>
      node.kind === Kind.FRAGMENT_DEFINITION ? [[node.name.value, node.selectionSet] as const] : [],
    ),
  );
}

const nothing: Cost = { fields: 0, aliases: 0, rootFields: 0 };

function costOf(selection: SelectionSetNode, fragmentCost: (name: string) => Cost): Cost {
  return selection.selections
    .map((node): Cost => {
      if (node.kind === Kind.FRAGMENT_SPREAD) return fragmentCost(node.name.value);
      const inner = node.selectionSet ? costOf(node.selectionSet, fragmentCost) : nothing;
      if (node.kind === Kind.INLINE_FRAGMENT) return inner;
      return { fields: inner.fields + 1, aliases: inner.aliases + Number(node.alias !== undefined), rootFields: 1 };
    })
    .reduce(add, nothing);
}

function add(a: Cost, b: Cost): Cost {
  return { fields: a.fields + b.fields, aliases: a.aliases + b.aliases, rootFields: a.rootFields + b.rootFields };
}

function refuse(cost: Cost): Refusal | null {
  for (const what of ['aliases', 'fields', 'rootFields'] as const) {
    if (cost[what] > limits[what]) {
      return refusal('QUERY_TOO_COMPLEX', `The document asks for more than ${limits[what]} ${names[what]}.`);
    }
  }
  return null;
}

/** The coerced `input` of each root field by its key in the reply; undefined for a field without one, the error of an invalid one. */
export type RootInputs = ReadonlyMap<string, unknown>;

const recordsMax = 1_000;

/** @param variables coerced */
export function rootInputs(
  schema: GraphQLSchema,
  rootFields: readonly FieldNode[],
  variables: Readonly<Record<string, unknown>>,
): RootInputs {
  const known = schema.getQueryType()?.getFields() ?? {};
  return new Map(
    rootFields.map((node) => {
      const field = known[node.name.value];
      return [keyOf(node), field && inputOf(() => getArgumentValues(field, node, variables)['input'])];
    }),
  );
}

/** @returns the number of records that all root fields of the document may return */
export function requestedRecords(rootFields: readonly FieldNode[], inputs: RootInputs): number {
  return rootFields.reduce((sum, node) => sum + weightOf(node.name.value, inputs.get(keyOf(node))), 0);
}

function keyOf({ alias, name }: FieldNode): string {
  return (alias ?? name).value;
}

/** @returns the refusal of so many records, or null */
export function refuseTooManyRecords(amount: number): Refusal | null {
  if (amount <= recordsMax) return null;
  const limit = `at most ${recordsMax} may be asked for at once`;
  return refusal(
    'QUERY_TOO_COMPLEX',
    `The document asks for up to ${amount} records; ${limit}: ask for smaller pages.`,
  );
}

/** @returns the error of an argument with a forbidden null variable, which belongs to its root field */
function inputOf(read: () => unknown): unknown {
  try {
    return read();
  } catch (error) {
    if (error instanceof GraphQLError) return error;
    throw error;
  }
}
