/** Runs the tests of shutdown, counts and fairness with the records on PostgreSQL; those of HTTP and its limits are in the long test. */
import { describeOnPostgres } from '../../support/databases/on-postgres.ts';

describeOnPostgres({
  drain: () => import('../http/drain.test.ts'),
  fairness: () => import('../limits/fairness.test.ts'),
  operating: () => import('../operating.test.ts'),
});
