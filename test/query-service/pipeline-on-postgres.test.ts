/** What the service refuses, counts and survives is the same with the records on PostgreSQL. */
import { describeOnPostgres } from '../support/on-postgres.ts';

describeOnPostgres({
  drain: () => import('./drain.test.ts'),
  hostile: () => import('./hostile.test.ts'),
  fairness: () => import('./fairness.test.ts'),
  http: () => import('./http.test.ts'),
  limits: () => import('./limits.test.ts'),
  operating: () => import('./operating.test.ts'),
});
