/** Runs the tests of queries with the records on PostgreSQL. */
import { describeOnPostgres } from '../../support/databases/on-postgres.ts';

describeOnPostgres({
  activity: () => import('../graphql/activity.test.ts'),
  deployments: () => import('../graphql/deployments.test.ts'),
  executions: () => import('../graphql/executions.test.ts'),
  keys: () => import('../keys/keys.test.ts'),
  organization: () => import('../graphql/organization.test.ts'),
  'repeated documents': () => import('../graphql/repeated-documents.test.ts'),
  retention: () => import('./retention.test.ts'),
  tenancy: () => import('./tenancy.test.ts'),
  workflows: () => import('../graphql/workflows.test.ts'),
});
