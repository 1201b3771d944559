/** Hostile documents are refused quickly with a number in the message, and the next request succeeds. */
import { getIntrospectionQuery } from 'graphql';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { startControl } from '../../support/runner/control.ts';
import { startTestService, type TestService } from '../../support/service/service.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.close());

afterEach(async () => {
  expect((await service.ask('{ getOrganization { displayName } }')).status).toBe(200);
});

/** On two shared cores; undefended, the worst of these took 20 s. */
const quickMs = 10_000;

async function refusalOf(query: string, variables: object = {}) {
  const limit = startControl(quickMs);
  const { body } = await service.ask(query, variables);
  expect(limit.isOver()).toBe(false);
  return { code: body.errors?.[0]?.extensions.code, message: body.errors?.[0]?.message };
}

const code = 'QUERY_TOO_COMPLEX';
const many = (count: number, text: (index: number) => string) =>
  Array.from({ length: count }, (_, n) => text(n)).join(' ');

/** Each fragment spreads the next one twice: 2^30 fields from 60 spreads. */
const bomb = `{ ...F0 } ${many(30, (n) => `fragment F${n} on Query { ${n === 29 ? '__typename' : `...F${n + 1} ...F${n + 1}`} }`)}`;

test.each([
  ['550 kB of fields', many(50_000, () => '__typename'), 'more than 2000 tokens'],
  ['10,000 repeated fields', many(10_000, () => 'getOrganization { displayName }'), 'more than 2000 tokens'],
])('%s', async (_, selection, excess) => {
  expect(await refusalOf(`{ ${selection} }`)).toEqual({ code, message: `The document has ${excess}.` });
});

test.each([
  ['2,000 nested braces', `{ ${'a {'.repeat(2_000)} b ${'}'.repeat(2_000)} }`],
  ['41 nested braces', `${'{ a '.repeat(41)} ${'}'.repeat(41)}`],
  ['41 nested lists', `{ a(b: ${'['.repeat(41)}${']'.repeat(41)}) }`],
])('%s', async (_, query) => {
  expect(await refusalOf(query)).toEqual({ code, message: 'The document has more than 40 open brackets.' });
});

test.each([
  ['16 aliases', `{ ${many(16, (n) => `a${n}: __typename`)} }`, '15 aliases'],
  ['401 fields', `{ getOrganization { ${many(400, () => 'displayName')} } }`, '400 fields'],
  ['21 root fields', `{ ${many(21, () => '__typename')} }`, '20 root fields'],
  ['a bomb of fragments', bomb, '400 fields'],
  [
    '21 root fields in fragments',
    `{ ${many(3, () => '...F')} } fragment F on Query { ${many(7, () => '__typename')} }`,
    '20 root fields',
  ],
  [
    '16 aliases in fragments',
    `{ ${many(4, () => '...F')} } fragment F on Query { ${many(4, (n) => `a${n}: __typename`)} }`,
    '15 aliases',
  ],
])('%s', async (_, query, most) => {
  expect(await refusalOf(query)).toEqual({ code, message: `The document asks for more than ${most}.` });
});

test('a document at every limit is answered', async () => {
  const fields = many(30, () => 'uuid name status workflowId ownerAddress registeredAt executedAt executionCount');
  const query = `{ ${many(15, (n) => `a${n}: __typename`)} workflows(input: {}) { data { ${fields} } } }`;
  expect((await service.ask(query)).body.errors).toBeUndefined();
});

test('introspection is answered, deep recursion of it is not', async () => {
  expect((await service.ask(getIntrospectionQuery())).body.errors).toBeUndefined();
  const deep = `{ __schema { types ${'{ fields { type '.repeat(8)} { name } ${'} }'.repeat(8)} } }`;
  expect(await refusalOf(deep)).toEqual({
    code: 'GRAPHQL_VALIDATION_FAILED',
    message: 'Maximum introspection depth exceeded',
  });
});

test('a mutation is refused as invalid, as is a subscription', async () => {
  expect(await refusalOf('mutation { anything }')).toEqual({
    code: 'GRAPHQL_VALIDATION_FAILED',
    message: 'The schema has no mutation.',
  });
  expect(await refusalOf('subscription { anything }')).toMatchObject({ message: 'The schema has no subscription.' });
});

test('an unknown field is named, without similar names', async () => {
  expect(await refusalOf('{ getOrganisation { displayName } }')).toEqual({
    code: 'GRAPHQL_VALIDATION_FAILED',
    message: 'Cannot query field "getOrganisation" on type "Query".',
  });
});

test.each([
  ['a value', { status: ['ACTIV'] }],
  ['a member', { stat: [] }],
])('%s of a variable that is nearly right is refused without a hint', async (_, input) => {
  const query = 'query ($input: WorkflowsInput!) { workflows(input: $input) { count } }';
  const refusal = await refusalOf(query, { input });
  expect(refusal.code).toBe('BAD_USER_INPUT');
  expect(refusal.message).not.toMatch(/did you mean|ACTIVE"|"status"/i);
});

test('at most five errors of at most 300 characters come back', async () => {
  const { body } = await service.ask(`{ ${many(100, (n) => `${'x'.repeat(500)}${n}`)} }`);
  expect(body.errors).toHaveLength(5);
  expect(Math.max(...(body.errors ?? []).map(({ message }) => message.length))).toBeLessThanOrEqual(300);
  const variables = { input: { status: Array(100).fill('x'.repeat(500)) } };
  const query = 'query ($input: WorkflowsInput!) { workflows(input: $input) { count } }';
  const wrong = (await service.ask(query, variables)).body.errors ?? [];
  expect([wrong.length, wrong.every(({ message }) => message.length <= 300)]).toEqual([5, true]);
});

test('400 fields that contradict each other are refused quickly', async () => {
  const fields = many(399, (n) => `uuid${n % 2 === 0 ? ' @skip(if: false)' : ''}`);
  await refusalOf(`{ workflows(input: {}) { data { ${fields} } } }`);
  const conflicting = many(14, (n) => `a: ${n % 2 === 0 ? 'uuid' : 'name'}`);
  expect(await refusalOf(`{ workflows(input: {}) { data { ${conflicting} } } }`)).toMatchObject({
    code: 'GRAPHQL_VALIDATION_FAILED',
  });
});

test('deep variables do no harm', async () => {
  const query = 'query ($input: WorkflowsInput!) { workflows(input: $input) { count } }';
  const deep = `${'['.repeat(100_000)}${']'.repeat(100_000)}`;
  for (const input of [deep, `{"status":${deep}}`, `{"search":${deep}}`]) {
    const { body } = await service.post(`{"query":${JSON.stringify(query)},"variables":{"input":${input}}}`);
    expect(body.errors?.[0]?.extensions.code).toBe('BAD_USER_INPUT');
  }
});

test('oddly named variables do no harm', async () => {
  const query = 'query ($input: WorkflowsInput!) { workflows(input: $input) { count } }';
  const odd = JSON.parse('{"input":{"__proto__":{"search":"x"}},"constructor":1,"__proto__":{}}');
  expect(await refusalOf(query, odd)).toMatchObject({ code: 'BAD_USER_INPUT' });
});

test.each([
  '2024-02-30T00:00:00Z',
  '2024-02-29T24:00:00Z',
  '2024-02-29',
  'now',
  '1700000000000',
  1_700_000_000_000,
  true,
])('the time %j is refused, in a variable and in a document', async (time) => {
  const message = 'Time must be an ISO 8601 instant with a zone, such as 2026-11-20T10:00:00Z.';
  const query = 'query ($input: WorkflowActivityInput!) { workflowActivity(input: $input) { data { to } } }';
  expect((await refusalOf(query, { input: { to: time } })).message).toContain(message);
  const literal = `{ workflowActivity(input: { to: ${JSON.stringify(time)} }) { data { to } } }`;
  expect(await refusalOf(literal)).toMatchObject({ code: 'GRAPHQL_VALIDATION_FAILED' });
});

test('a literal of the wrong form is refused with its location', async () => {
  const { body } = await service.ask('{ workflowExecutions(input: { from: "2024-02-30T00:00:00Z" }) { count } }');
  expect(body).toEqual({
    errors: [
      {
        message: 'Time must be an ISO 8601 instant with a zone, such as 2026-11-20T10:00:00Z.',
        extensions: { code: 'GRAPHQL_VALIDATION_FAILED' },
        locations: [{ line: 1, column: 37 }],
      },
    ],
  });
});
