/** Runs the tests of limits, counts and faults with the records on PostgreSQL. */
import { describeOnPostgres } from '../../support/databases/on-postgres.ts';

describeOnPostgres({
  drain: () => import('../http/drain.test.ts'),
  hostile: () => import('../http/hostile.test.ts'),
  fairness: () => import('../limits/fairness.test.ts'),
  http: () => import('../http/http.test.ts'),
  limits: () => import('../http/limits.test.ts'),
  operating: () => import('../operating.test.ts'),
});
