/** Documents without optional fields, for a service that has only what the specification names. */
import { readFileSync } from 'node:fs';
import { buildSchema, type DocumentNode, parse, validate } from 'graphql';
import { expect, test } from 'vitest';
import { ServiceDocuments, withoutOptional } from '../../../src/bot/query/client/documents.ts';
import * as operations from '../../../src/bot/query/generated/operations.ts';
import { createTestQuery, lastDay } from '../../support/bot/query.ts';
import { expectEvery } from '../../support/runner/every.ts';
import { startHostileHttp } from '../../support/service/hostile-http.ts';
import { specificationKey, startSpecificationService } from '../../support/service/specification-service.ts';

const specification = buildSchema(
  readFileSync(new URL('../../fixtures/specification.graphql', import.meta.url), 'utf8'),
);

const documents = Object.entries(operations).flatMap(([name, document]): [string, DocumentNode][] =>
  name.endsWith('Document') ? [[name, document as DocumentNode]] : [],
);

test.each(documents)('%s without its optional fields is a document of the specification', (_, document) => {
  expect(validate(specification, withoutOptional(document)).map(({ message }) => message)).toEqual([]);
});

test('a service that lacks the fields returns the rest, and is not asked for them again', async () => {
  await using service = await startSpecificationService();
  await using query = createTestQuery(service.url, specificationKey);
  for (const uuid of ['w-1', 'w-2', 'w-40']) {
    const { data } = await query.ask().workflowStatus({ uuid, window: lastDay, failuresMax: 3 });
    expect(data).toMatchObject({ workflow: { uuid }, creditUsed: null });
  }
  const texts = service.requests.map(({ body }) => JSON.parse(body).query);
  expect(texts[0]).toContain('detailedStatus');
  expectEvery(texts.slice(1), (text) => validate(specification, parse(text)).length === 0);
});

const page = { window: lastDay, page: 0, size: 10 };

/** Refuses each document that this test rejects, in the words of the refusal. */
async function startRefusing(isRefused: (query: string) => boolean, errors: readonly object[], status = 400) {
  const row = { uuid: 'e-1', status: 'SUCCESS', startedAt: '2026-11-20T11:00:00Z' };
  return startHostileHttp(({ body }, response) => {
    const isBad = isRefused(JSON.parse(body).query);
    const answer = isBad ? { errors } : { data: { workflowExecutions: { data: [row], count: 1 } } };
    response.writeHead(isBad ? status : 200, { 'content-type': 'application/json' }).end(JSON.stringify(answer));
  });
}

/** In the wordings of graphql-js, graphql-ruby, graphql-java, Hot Chocolate, Hasura and async-graphql. */
const wordings = [
  'Cannot query field "detailedStatus" on type "WorkflowExecution". Did you mean "classifiedStatus"?',
  "Field 'detailedStatus' doesn't exist on type 'WorkflowExecution'",
  "Validation error (FieldUndefined@[list/data/detailedStatus]) : Field 'detailedStatus' in type 'WorkflowExecution' is undefined",
  'The field `detailedStatus` does not exist on the type `WorkflowExecution`.',
  "field 'detailedStatus' not found in type: 'WorkflowExecution'",
  'Unknown field "detailedStatus" on type "WorkflowExecution".',
];

test.each<[string, object, number?]>([
  ...wordings.map((message) => [`says ${message}`, { message }, 200] as [string, object, number]),
  ['names no field', { message: 'Invalid request', extensions: { code: 'GRAPHQL_VALIDATION_FAILED' } }],
  ['has a code of its own', { message: 'Invalid request', extensions: { code: 'HC0020' } }],
])('a service whose refusal %s is asked without the fields, from then on at once', async (_, error, status) => {
  await using service = await startRefusing((query) => query.includes('detailedStatus'), [error], status);
  await using query = createTestQuery(service.url, 'key');
  for (const size of [10, 20]) {
    const { data } = await query.ask().executions({ ...page, size });
    expect(data.executions).toMatchObject([{ uuid: 'e-1', status: 'SUCCESS', detailedStatus: null }]);
  }
  expect(service.requests.map(({ body }) => body.includes('detailedStatus'))).toEqual([true, false, false]);
});

test('a service is asked for the fields again after an hour', () => {
  let now = 0;
  const known = new ServiceDocuments(() => now);
  const { WorkflowExecutionsDocument: document } = operations;
  known.rememberFallback();
  const hasField = () => known.textOf(document).includes('detailedStatus');
  now = 60 * 60_000 - 1;
  expect(hasField()).toBe(false);
  now += 1;
  expect(hasField()).toBe(true);
});

test('a refusal for another reason, or of the cost, does not take the fields away', async () => {
  let isRefusing = true;
  const costly = { message: 'The query is too complex.', extensions: { code: 'QUERY_TOO_COMPLEX' } };
  for (const error of [{ message: 'Invalid request', extensions: { code: 'BAD_USER_INPUT' } }, costly]) {
    isRefusing = true;
    await using service = await startRefusing(() => isRefusing, [error]);
    await using query = createTestQuery(service.url, 'key');
    await expect(query.ask().executions(page)).rejects.toMatchObject({ code: 'internal' });
    isRefusing = false;
    await query.ask().executions({ ...page, size: 20 });
    expect(service.requests.at(-1)?.body).toContain('detailedStatus');
  }
});
