/** Fields beyond the specification are left out of documents for a service that lacks them. */

import { readFileSync } from 'node:fs';
import type { TypedDocumentNode } from '@graphql-typed-document-node/core';
import { buildSchema, parse, validate } from 'graphql';
import { expect, test } from 'vitest';
import { measureNothing } from '../../../src/bot/domain/measure.ts';
import { createAnswerStore, createAnswers, createWorkspaceHealths } from '../../../src/bot/query/cache/answers.ts';
import { createClient } from '../../../src/bot/query/client/client.ts';
import { withoutFields } from '../../../src/bot/query/client/lacking-fields.ts';
import { createPool } from '../../../src/bot/query/client/pool.ts';
import { readOrigins } from '../../../src/shared/allowed-endpoint.ts';
import { startHostileHttp } from '../../support/hostile-http.ts';
import { createMemoryLog } from '../../support/memory-log.ts';
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
      { teamId: 'T1', identity: ['w'], health, access },
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
      { isFresh: true, onWait: () => undefined },
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
  expect(texts.slice(-3).every((text) => validate(specification, parse(text)).length === 0)).toBe(true);
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
