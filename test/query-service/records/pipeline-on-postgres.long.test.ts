/** Runs with the records on PostgreSQL the tests of what is decided before any statement (HTTP, documents and limits) and of heavy documents. */
import { describeOnPostgres } from '../../support/databases/on-postgres.ts';

describeOnPostgres({
  'heavy documents': () => import('../limits/heavy-documents.test.ts'),
  hostile: () => import('../http/hostile.test.ts'),
  http: () => import('../http/http.test.ts'),
  limits: () => import('../http/limits.test.ts'),
});
