/** Fields beyond the specification are left out of documents for a service that lacks them. */

import { readFileSync } from 'node:fs';
import type { TypedDocumentNode } from '@graphql-typed-document-node/core';
import { buildSchema, parse, print, validate } from 'graphql';
import { expect, test } from 'vitest';
import { measureNothing } from '../../../src/bot/domain/measure.ts';
import { createAnswerStore, createAnswers, createWorkspaceHealths } from '../../../src/bot/query/cache/answers.ts';
import { createClient } from '../../../src/bot/query/client/client.ts';
import { createAdaptation, withoutFields } from '../../../src/bot/query/client/lacking-fields.ts';
import { createPool } from '../../../src/bot/query/client/pool.ts';
import { readOrigins } from '../../../src/shared/allowed-endpoint.ts';
import { expectEvery } from '../../support/every.ts';
import { startHostileHttp } from '../../support/hostile-http.ts';
import { createMemoryLog } from '../../support/memory-log.ts';
import { createTestQuery, lastDay } from '../../support/query.ts';
import { startTestService } from '../../support/service.ts';
import { specificationKey, startSpecificationService } from '../../support/specification-service.ts';

const specification = buildSchema(
  readFileSync(new URL('../../fixtures/specification.graphql', import.meta.url), 'utf8'),
);

type Sources = { readonly workflows: unknown; readonly tenant: unknown };

/** Selects five fields beyond the specification, one of them a root field with a variable and a fragment of its own. */
const beyond: TypedDocumentNode<Sources, { input: object; latest: object }> = parse(`
  query Beyond($input: WorkflowsInput!, $latest: WorkflowExecutionsInput!) {
    workflows(input: $input) { data { uuid ...Sources } count }
    executions: workflowExecutions(input: $latest) { data { uuid creditUsed workflowUUID } }
    tenant: getTenantConfig { ...Tenant }
  }
  fragment Sources on Workflow { name workflowSource creditUsed }
  fragment Tenant on TenantConfig { tenantId }
`);
const variables = { input: { page: { number: 0, size: 10 } }, latest: { page: { number: 0, size: 10 } } };

async function askBeyond(url: string, apiKey: string, times = 1): Promise<readonly unknown[]> {
  const pool = createPool({ proxy: {}, origins: readOrigins([url]) });
  const clock = () => 0;
  const health = createWorkspaceHealths(clock).get('w');
  const store = createAnswerStore(10);
  const { log } = createMemoryLog();
  const client = createClient({ pool, clock });
  const answers = createAnswers({
    clock,
    log,
    measure: measureNothing,
    store,
    client,
    deadlineMs: 8000,
    wait: async () => undefined,
  });
  const access = { url: new URL(url), apiKey: () => apiKey, adaptation: health.adaptation };
  const found: unknown[] = [];
  for (let turn = 0; turn < times; turn += 1) {
    const { data } = await answers.answer(
      { teamId: 'T1', identity: ['w'], health, access, batchSizes: new Map() },
      {
        name: 'beyond',
        parameters: [turn],
        subject: 'the sources',
        freshMs: () => 0,
        read: async (ask) => {
          const outcome = await ask(beyond, variables);
          if ('fault' in outcome) return outcome;
          const { part } = outcome.value;
          return { value: { data: [part('workflows')?.['data'], part('tenant')], missing: [] } };
        },
      },
      { isFresh: true },
    );
    found.push(data);
  }
  store.close();
  await pool.close();
  return found;
}

test('a service that has the fields returns them in one request', async () => {
  const service = await startTestService();
  const [answered] = await askBeyond(service.url, service.apiKeys.harbor);
  await service.close();
  expect(answered).toMatchObject([[{ workflowSource: 'GIT' }, {}, {}], { tenantId: 1 }]);
});

test('a service that lacks the fields returns the rest, and is not asked for them again', async () => {
  await using service = await startSpecificationService();
  const found = await askBeyond(service.url, specificationKey, 3);
  expect(found).toHaveLength(3);
  for (const answered of found) expect(answered).toMatchObject([{ 0: { uuid: 'w-0', name: 'workflow 0' } }, undefined]);
  const texts = service.requests.map(({ body }) => JSON.parse(body).query);
  expect(texts.slice(-3).join()).not.toMatch(/workflowSource|creditUsed|workflowUUID|tenant/i);
  expectEvery(texts.slice(-3), (text) => validate(specification, parse(text)).length === 0);
  expect(texts.length).toBeLessThanOrEqual(5);
});

test('the client gives up on a service that names a missing field every time', async () => {
  let turn = 0;
  await using service = await startHostileHttp((_request, response) => {
    turn += 1;
    response.end(JSON.stringify({ errors: [{ message: `Cannot query field "f${turn}" on type "Workflow".` }] }));
  });
  await expect(askBeyond(service.url, 'key')).rejects.toMatchObject({ code: 'internal' });
  expect(service.requests).toHaveLength(6);
});

test('a field is removed only from the type that lacks it', () => {
  const lacking = [{ name: 'creditUsed', type: 'Workflow' }];
  const kept = withoutFields(beyond, lacking).definitions.map((definition) => JSON.stringify(definition));
  expect(kept[0]).toContain('creditUsed');
  expect(kept[1]).not.toContain('creditUsed');
});

test('a shortened document selects something everywhere, and declares nothing unused', () => {
  const names = [
    'workflowSource',
    'creditUsed',
    'name',
    'uuid',
    'workflowUUID',
    'getTenantConfig',
    'workflowExecutions',
  ];
  const left = withoutFields(
    beyond,
    names.map((name) => ({ name, type: undefined })),
  );
  expect(validate(specification, left)).toEqual([]);
  expect(JSON.stringify(left)).toContain('__typename');
});

const listed: TypedDocumentNode<{ readonly list: unknown }, { input: object }> = parse(`
  query Listed($input: WorkflowExecutionsInput!) { list: workflowExecutions(input: $input) { data { ...Row } count } }
  fragment Row on WorkflowExecution { uuid status detailedStatus }
`);

test.each([
  'Cannot query field "detailedStatus" on type "WorkflowExecution".',
  'Cannot query field "detailedStatus" on type "WorkflowExecution". Did you mean "classifiedStatus"?',
  "Field 'detailedStatus' doesn't exist on type 'WorkflowExecution'",
  "Validation error (FieldUndefined@[list/data/detailedStatus]) : Field 'detailedStatus' in type 'WorkflowExecution' is undefined",
  'The field `detailedStatus` does not exist on the type `WorkflowExecution`.',
  "field 'detailedStatus' not found in type: 'WorkflowExecution'",
  'Unknown field "detailedStatus" on type "WorkflowExecution".',
])('a field is known to lack after the refusal: %s', (message) => {
  const adaptation = createAdaptation(print);
  expect(adaptation.learn([{ message, code: 'GRAPHQL_VALIDATION_FAILED', part: undefined }])).toBe(true);
  expect(adaptation.textOf(listed)).not.toContain('detailedStatus');
  expect(adaptation.textOf(listed)).toContain('status');
});

test.each([
  'Unknown argument "search" on field "Query.workflowExecutions".',
  'Variable "$input" got invalid value; Field "search" is not defined by type "WorkflowExecutionsInput".',
  'Field "workflowExecutions" argument "input" of type "WorkflowExecutionsInput!" is required, but it was not provided.',
])('no field is known to lack after another refusal: %s', (message) => {
  const adaptation = createAdaptation(print);
  expect(adaptation.learn([{ message, code: 'GRAPHQL_VALIDATION_FAILED', part: undefined }])).toBe(false);
});

/** Refuses without a reason every document that this test rejects. */
async function startSecretiveService(isRefused: (query: string) => boolean) {
  const refusal = { errors: [{ message: 'Invalid request', extensions: { code: 'GRAPHQL_VALIDATION_FAILED' } }] };
  const row = { uuid: 'e-1', status: 'SUCCESS', startedAt: '2026-11-20T11:00:00Z' };
  return startHostileHttp(({ body }, response) => {
    const isBad = isRefused(JSON.parse(body).query);
    const answer = isBad ? refusal : { data: { workflowExecutions: { data: [row], count: 1 } } };
    response.writeHead(isBad ? 400 : 200, { 'content-type': 'application/json' }).end(JSON.stringify(answer));
  });
}

const page = { window: lastDay, page: 0, size: 10 };

test('a service that refuses the field without naming it is asked without it, from then on at once', async () => {
  await using service = await startSecretiveService((query) => query.includes('detailedStatus'));
  await using query = createTestQuery(service.url, 'key');
  for (const size of [10, 20]) {
    const { data } = await query.ask().executions({ ...page, size });
    expect(data.executions).toMatchObject([{ uuid: 'e-1', status: 'SUCCESS', detailedStatus: null }]);
  }
  expect(service.requests.map(({ body }) => body.includes('detailedStatus'))).toEqual([true, false, false]);
});

test('a refusal for another reason does not cost the field', async () => {
  let isRefusing = true;
  await using service = await startSecretiveService(() => isRefusing);
  await using query = createTestQuery(service.url, 'key');
  await expect(query.ask().executions(page)).rejects.toMatchObject({ code: 'internal' });
  isRefusing = false;
  await query.ask().executions({ ...page, size: 20 });
  expect(service.requests.at(-1)?.body).toContain('detailedStatus');
});
