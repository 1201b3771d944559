/** Runs the tests of executions with a partition for each month. */
import { makeMonthly } from '../support/monthly.ts';
import { describeOnPostgres } from '../support/on-postgres.ts';

describeOnPostgres(
  {
    executions: () => import('./executions.test.ts'),
    retention: () => import('./retention.test.ts'),
    tenancy: () => import('./tenancy.test.ts'),
    workflows: () => import('./workflows.test.ts'),
  },
  makeMonthly,
);
