/** How much a document may bring back in total, by the size of its pages, before any of it is read. */
import { type FieldNode, GraphQLError, type GraphQLSchema, getArgumentValues } from 'graphql';
import { type Refusal, refusal } from './refusal.ts';

/** The most records that one root field may bring back. @param input its argument, coerced; undefined where it takes none */
export type WeightOf = (fieldName: string, input: unknown) => number;

export type Asked = {
  readonly schema: GraphQLSchema;
  readonly rootFields: readonly FieldNode[];
  /** Coerced. */
  readonly variables: Readonly<Record<string, unknown>>;
};

const amountMax = 1_000;

/** @returns the records that the document may bring back, all its root fields together */
export function amountOf({ schema, rootFields, variables }: Asked, weightOf: WeightOf): number {
  const known = schema.getQueryType()?.getFields() ?? {};
  let sum = 0;
  for (const node of rootFields) {
    const field = known[node.name.value];
    sum += field
      ? weightOf(
          node.name.value,
          inputOf(() => getArgumentValues(field, node, variables)['input']),
        )
      : 1;
  }
  return sum;
}

/** @returns why so many records are not looked for, or null */
export function refuseAmount(amount: number): Refusal | null {
  if (amount <= amountMax) return null;
  const limit = `at most ${amountMax} may be asked for at once`;
  return refusal(
    'QUERY_TOO_COMPLEX',
    `The document asks for up to ${amount} records; ${limit}: ask for smaller pages.`,
  );
}

/** An argument whose variable is null where it must not be is said to be wrong once the document runs. */
function inputOf(read: () => unknown): unknown {
  try {
    return read();
  } catch (error) {
    if (error instanceof GraphQLError) return undefined;
    throw error;
  }
}
