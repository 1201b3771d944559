/** A document has the same result the first time and from the cache of documents. */
import { readdirSync, readFileSync } from 'node:fs';
import { getIntrospectionQuery } from 'graphql';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestService, type TestService } from '../../support/service/service.ts';
import { uuidOf } from '../../support/service/service-records.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.close());

const execution = uuidOf('execution', 5);
const from = '2026-11-19T00:00:00Z';

const documents: Readonly<Record<string, readonly [query: string, variables?: object]>> = {
  introspection: [getIntrospectionQuery()],
  'aliases, fragments and fields asked for twice': [
    `{ a: workflows(input: {}) { data { ...W name } count } b: workflows(input: { page: { size: 1 } }) { data { ...W } }
       __typename workflows(input: {}) { count } workflows(input: {}) { data { uuid } } }
     fragment W on Workflow { name executionCountByStatus { success } ... on Workflow { creditUsed executedAt } }`,
  ],
  'lists in lists': [
    `{ workflowExecutions(input: { status: [FAILURE] }) { data { uuid errors { error count } } }
       workflowExecutionEvents(input: { workflowExecutionUUID: "${execution}" }) { data { status errors { count } } } }`,
  ],
  'variables inside literals': [
    'query ($size: Int, $from: Time) { workflowExecutions(input: { page: { size: $size }, from: $from }) { count data { id } } }',
    { size: 2, from },
  ],
  'variables that are left out': [
    'query ($size: Int, $from: Time) { workflowExecutions(input: { page: { size: $size }, from: $from }) { count } }',
  ],
  'variables that are null': [
    'query ($size: Int, $from: Time) { workflowExecutions(input: { page: { size: $size }, from: $from }) { count } }',
    { size: null, from: null },
  ],
  'a default': ['query ($size: Int = 1) { workflows(input: { page: { size: $size } }) { data { name } } }', {}],
  'one value for a list': [
    'query ($input: WorkflowsInput!) { workflows(input: $input) { count } }',
    { input: { status: 'ACTIVE' } },
  ],
  'a null where a default stood': [
    'query ($uuid: String = "x") { workflowExecution(input: { uuid: $uuid }) { data { id } } getOrganization { tenantId } }',
    { uuid: null },
  ],
  'fields that are left out': [
    `query ($no: Boolean!) { getOrganization { displayName tenantId @skip(if: $no) ...O @include(if: $no) } }
     fragment O on Organization { displayName createdAt }`,
    { no: true },
  ],
  'aliases that mean something to JavaScript': [
    '{ __proto__: __typename constructor: getOrganization { toString: displayName __proto__: tenantId } }',
  ],
  'several errors beside an answer': [
    `{ b: workflow(input: { uuid: "x", from: "${from}" }) { data { name } } a: workflowDeployment(input: { uuid: "x" }) {
       data { uuid } } workflows(input: { page: { size: 0 } }) { count } getOrganization { displayName } }`,
  ],
};

test.each(Object.entries(documents))('%s', async (_, [query, variables]) => {
  const first = await service.ask(query, variables);
  expect(first.body).toHaveProperty('data');
  const { text, status } = await service.ask(query, variables);
  expect({ text, status }).toEqual({ text: first.text, status: first.status });
});

test('a null in place of a default is an error of the request', async () => {
  const [query, variables] = documents['a null where a default stood'] ?? [''];
  for (let run = 0; run < 2; run += 1) {
    const { body } = await service.ask(query, variables);
    expect(body).toMatchObject({
      data: { getOrganization: { tenantId: 1 } },
      errors: [{ extensions: { code: 'BAD_USER_INPUT' } }],
    });
  }
});

test('every document of the bot is valid, and within the limits', async () => {
  const folder = new URL('../../../queries/', import.meta.url);
  const read = (path: string) => readFileSync(new URL(path, folder), 'utf8');
  const fragments = readdirSync(new URL('fragments/', folder)).map((name) => read(`fragments/${name}`));
  const operations = readdirSync(folder).filter((name) => /^[A-Z]\w+\.graphql$/.test(name));
  expect(operations.length).toBeGreaterThan(2);
  for (const operation of operations) {
    const text = read(operation);
    const { body } = await service.ask([text, ...usedIn(text, fragments)].join('\n'), {});
    // Nothing but the variables that were left out may be wrong.
    for (const { extensions } of body.errors ?? [])
      expect([operation, extensions.code]).toEqual([operation, 'BAD_USER_INPUT']);
  }
});

function usedIn(text: string, fragments: readonly string[]): readonly string[] {
  const found = fragments.filter((fragment) => text.includes(`...${/^fragment (\w+)/m.exec(fragment)?.[1]}`));
  const rest = fragments.filter((fragment) => !found.includes(fragment));
  return found.length === 0 ? [] : [...found, ...usedIn(found.join('\n'), rest)];
}
