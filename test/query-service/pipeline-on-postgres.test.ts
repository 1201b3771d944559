/** Runs the tests of limits, counts and faults with the records on PostgreSQL. */
import { describeOnPostgres } from '../support/on-postgres.ts';

describeOnPostgres({
  drain: () => import('./drain.test.ts'),
  hostile: () => import('./hostile.test.ts'),
  fairness: () => import('./fairness.test.ts'),
  http: () => import('./http.test.ts'),
  limits: () => import('./limits.test.ts'),
  operating: () => import('./operating.test.ts'),
});
