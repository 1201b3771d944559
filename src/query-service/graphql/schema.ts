/** The schema: the published contract in queries/schema.graphql, with the scalars that inputs have. */
import { readFileSync } from 'node:fs';
import { buildSchema, GraphQLError, type GraphQLSchema, isScalarType, Kind, type ValueNode } from 'graphql';
import { parseInstant } from '../scalar-text.ts';

const contractFile = new URL('../../../queries/schema.graphql', import.meta.url);

let built: GraphQLSchema | undefined;

/** Built once for all services of the process. @throws Error if the contract lacks a scalar */
export function serviceSchema(): GraphQLSchema {
  built ??= buildContract();
  return built;
}

function buildContract(): GraphQLSchema {
  const schema = buildSchema(readFileSync(contractFile, 'utf8'));
  for (const [name, coercion] of Object.entries(inputScalars)) {
    const type = schema.getType(name);
    if (!isScalarType(type)) throw new Error(`the contract has no scalar ${name}`);
    Object.assign(type, coercion);
  }
  return schema;
}

function readTime(value: unknown): number {
  const instant = typeof value === 'string' ? parseInstant(value) : null;
  if (instant === null) {
    throw new GraphQLError('Time must be an ISO 8601 instant with a zone, such as 2026-11-20T10:00:00Z.');
  }
  return instant;
}

function readAddress(value: unknown): string {
  const address = typeof value === 'string' ? /^(?:0x)?([0-9a-f]{40})$/i.exec(value)?.[1] : undefined;
  if (address === undefined) throw new GraphQLError('OnchainAddress must be 40 hexadecimal characters.');
  return address.toLowerCase();
}

/** Parses a literal like a variable; an error has the location of the literal. */
function literal<Value>(read: (value: unknown) => Value) {
  return (node: ValueNode): Value => {
    try {
      return read(node.kind === Kind.STRING ? node.value : undefined);
    } catch (error) {
      throw error instanceof GraphQLError ? new GraphQLError(error.message, { nodes: node }) : error;
    }
  };
}

const inputScalars = {
  Time: { parseValue: readTime, parseLiteral: literal(readTime) },
  OnchainAddress: { parseValue: readAddress, parseLiteral: literal(readAddress) },
} as const;
