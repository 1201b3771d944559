/** Runs with the records on PostgreSQL the tests of what is decided before any statement: HTTP, documents and limits. */
import { describeOnPostgres } from '../../support/databases/on-postgres.ts';

describeOnPostgres({
  hostile: () => import('../http/hostile.test.ts'),
  http: () => import('../http/http.test.ts'),
  limits: () => import('../http/limits.test.ts'),
});
