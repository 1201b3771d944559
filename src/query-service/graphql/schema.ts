/** Builds the executable schema: the published contract in queries/schema.graphql with scalars and resolvers attached. */
import { readFileSync } from 'node:fs';
import { buildSchema, type GraphQLFieldResolver, type GraphQLSchema, isObjectType, isScalarType } from 'graphql';
import { activityResolvers } from './resolvers/activity.ts';
import type { ServiceContext } from './resolvers/context.ts';
import { deploymentResolvers } from './resolvers/deployments.ts';
import { executionResolvers } from './resolvers/executions.ts';
import { organizationResolvers } from './resolvers/organization.ts';
import { workflowResolvers } from './resolvers/workflows.ts';
import { scalars } from './scalars.ts';

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

export const resolvers = byResource.flatMap((types) =>
  Object.entries(types).flatMap(([typeName, fields]) =>
    Object.entries(fields).map(([fieldName, resolve]) => ({ typeName, fieldName, resolve })),
  ),
);
