/** Runs the tests of queries with the records on PostgreSQL. */
import { describeOnPostgres } from '../support/on-postgres.ts';

describeOnPostgres({
  activity: () => import('./activity.test.ts'),
  deployments: () => import('./deployments.test.ts'),
  executions: () => import('./executions.test.ts'),
  keys: () => import('./keys.test.ts'),
  organization: () => import('./organization.test.ts'),
  'repeated documents': () => import('./repeated-documents.test.ts'),
  retention: () => import('./retention.test.ts'),
  tenancy: () => import('./tenancy.test.ts'),
  workflows: () => import('./workflows.test.ts'),
});
