/** Builds the executable schema: the published contract in queries/schema.graphql with scalars and resolvers attached. */

import { readFileSync } from 'node:fs';
import {
  buildSchema,
  GraphQLError,
  type GraphQLFieldResolver,
  type GraphQLSchema,
  isObjectType,
  isScalarType,
  Kind,
  type ValueNode,
} from 'graphql';
import { parseInstant, printCredits, printInstant } from '../scalar-text.ts';
import { activityResolvers } from './resolvers/activity.ts';
import type { ServiceContext } from './resolvers/context.ts';
import { deploymentResolvers } from './resolvers/deployments.ts';
import { executionResolvers } from './resolvers/executions.ts';
import { organizationResolvers } from './resolvers/organization.ts';
import { workflowResolvers } from './resolvers/workflows.ts';

const contractFile = new URL('../../../queries/schema.graphql', import.meta.url);

/** @throws Error if the contract lacks a type or field that has a scalar or resolver here */
export function createSchema(): GraphQLSchema {
  const schema = buildSchema(readFileSync(contractFile, 'utf8'));
  for (const [name, coercion] of Object.entries(scalars)) {
    const type = schema.getType(name);
    if (!isScalarType(type)) throw new Error(`the contract has no scalar ${name}`);
    Object.assign(type, coercion);
  }
  for (const { typeName, fieldName, resolve } of resolvers) {
    const type = schema.getType(typeName);
    const field = isObjectType(type) ? type.getFields()[fieldName] : undefined;
    if (!field) throw new Error(`the contract has no field ${typeName}.${fieldName}`);
    field.resolve = resolve as GraphQLFieldResolver<unknown, ServiceContext>;
  }
  return schema;
}

/** A resolver, called with the parent and the arguments of its field in the contract. */
type Resolver = GraphQLFieldResolver<never, ServiceContext, never>;

const byResource: readonly Readonly<Record<string, Readonly<Record<string, Resolver>>>>[] = [
  organizationResolvers,
  workflowResolvers,
  activityResolvers,
  deploymentResolvers,
  executionResolvers,
];

const resolvers = byResource.flatMap((types) =>
  Object.entries(types).flatMap(([typeName, fields]) =>
    Object.entries(fields).map(([fieldName, resolve]) => ({ typeName, fieldName, resolve })),
  ),
);

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

function writeTime(value: unknown): string {
  if (typeof value !== 'number') throw new Error('a time in the records is not a number');
  return printInstant(value);
}

function writeCredits(value: unknown): string {
  if (typeof value !== 'number' || !Number.isSafeInteger(value))
    throw new Error('credits in the records are not whole');
  return printCredits(value);
}

export const scalars = {
  Time: { serialize: writeTime, parseValue: readTime, parseLiteral: literal(readTime) },
  CreditAmount: { serialize: writeCredits },
  OnchainAddress: { parseValue: readAddress, parseLiteral: literal(readAddress) },
} as const;
