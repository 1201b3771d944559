/** The service's schema: the published contract in queries/schema.graphql, with its scalars and resolvers put in. */
import { readFileSync } from 'node:fs';
import { buildSchema, type GraphQLFieldResolver, type GraphQLSchema, isObjectType, isScalarType } from 'graphql';
import { resolvers } from './resolvers/all.ts';
import type { ServiceContext } from './resolvers/context.ts';
import { scalars } from './scalars.ts';

const contractFile = new URL('../../../queries/schema.graphql', import.meta.url);

/** @throws Error where the contract lacks a type or field that has a scalar or resolver here */
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
