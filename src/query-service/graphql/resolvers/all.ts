/** Every resolver, by type and field. */
import type { GraphQLFieldResolver } from 'graphql';
import { activityResolvers } from './activity.ts';
import type { ServiceContext } from './context.ts';
import { deploymentResolvers } from './deployments.ts';
import { executionResolvers } from './executions.ts';
import { organizationResolvers } from './organization.ts';
import { workflowResolvers } from './workflows.ts';

/** Of the parent and the arguments that its field in the contract has. */
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
