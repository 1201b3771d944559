/** GraphQL over HTTP: statuses, media types and invalid bodies. */
import { request } from 'node:http';
import { connect } from 'node:net';
import { serverAudits } from 'graphql-http';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startControl } from '../../support/runner/control.ts';
import { startTestService, type TestService } from '../../support/service/service.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.close());

const newer = 'application/graphql-response+json';
const good = JSON.stringify({ query: '{ getOrganization { displayName } }' });

const audits = serverAudits({
  url: () => service.url,
  fetchFn: (url: string, init: RequestInit = {}) =>
    fetch(url, { ...init, headers: { ...init.headers, authorization: `Apikey ${service.apiKeys.harbor}` } }),
});

const byGet = 'Queries come by POST alone: an address is logged on its way, and kept, with what was asked';

/** Optional audits that the service does not pass, by id; it passes every MUST and SHOULD. See docs/decisions/0018. */
const declined: Readonly<Record<string, string>> = { '5A70': byGet, D6D5: byGet, '6A70': byGet };

test.each(audits.map((audit) => [audit.id, audit.name, audit] as const))(
  'GraphQL over HTTP %s: %s',
  async (id, name, audit) => {
    const isDeclined = declined[id] !== undefined;
    expect(isDeclined && /^(MUST|SHOULD) /.test(name)).toBe(false);
    expect(await audit.fn()).toMatchObject({ status: isDeclined ? 'notice' : 'ok' });
  },
);

test.each([
  ['nothing', undefined, 'application/json'],
  ['anything', '*/*', 'application/json'],
  ['JSON', 'application/json', 'application/json'],
  ['the newer type', newer, newer],
  ['both, as the bot does', `${newer}, application/json`, newer],
  ['both, the older first', `application/json, ${newer}`, 'application/json'],
  ['both, the newer preferred', `application/json;q=0.5, ${newer};q=0.9`, newer],
  ['a web page', 'text/html', 'application/json'],
])('a client that accepts %s gets JSON that it can read', async (_, accept, expected) => {
  const { headers } = await service.post(good, accept === undefined ? {} : { accept });
  expect(headers.get('content-type')).toBe(`${expected}; charset=utf-8`);
});

const invalid = {
  unparsable: '{ getOrganization {',
  unknown: '{ nothing }',
  variable: 'query ($t: Time!) { __typename }',
};

test.each([
  ['unparsable', 'GRAPHQL_PARSE_FAILED'],
  ['unknown', 'GRAPHQL_VALIDATION_FAILED'],
] as const)('a document that is %s is 400 with the newer media type and 200 with the older', async (kind, code) => {
  const body = JSON.stringify({ query: invalid[kind] });
  for (const [accept, status] of [[newer, 400] as const, ['application/json', 200] as const]) {
    const answer = await service.post(body, { accept });
    expect({ status: answer.status, body: answer.body }).toMatchObject({
      status,
      body: { errors: [{ extensions: { code } }] },
    });
    expect(answer.body).not.toHaveProperty('data');
  }
});

test('a variable that is wrong is 400 with the newer media type and 200 with the older', async () => {
  const query = 'query ($input: WorkflowExecutionInput!) { workflowExecution(input: $input) { data { uuid } } }';
  const body = JSON.stringify({ query, variables: { input: { uuid: 7 } } });
  expect((await service.post(body, { accept: newer })).status).toBe(400);
  const { status, body: answer } = await service.post(body);
  expect(status).toBe(200);
  expect(answer).toMatchObject({ errors: [{ extensions: { code: 'BAD_USER_INPUT' } }] });
});

test('an error of a resolver is 200 with either media type', async () => {
  const body = JSON.stringify({ query: '{ workflows(input: { page: { size: 101 } }) { count } }' });
  expect((await service.post(body, { accept: newer })).status).toBe(200);
  expect((await service.post(body)).status).toBe(200);
});

test.each([
  ['no JSON', '{'],
  ['empty', ''],
  ['null', 'null'],
  ['a list', `[${good}]`],
  ['a text', '"{ __typename }"'],
  ['without a query', '{"variables":{}}'],
  ['with a query that is a number', '{"query":1}'],
  ['with variables that are a list', '{"query":"{ __typename }","variables":[]}'],
  ['with variables that are a text', '{"query":"{ __typename }","variables":"{}"}'],
  ['with an operation name that is a number', '{"query":"{ __typename }","operationName":1}'],
  ['with extensions that are a text', '{"query":"{ __typename }","extensions":"x"}'],
])('a body that is %s is 400', async (_, body) => {
  const answer = await service.post(body);
  expect({ status: answer.status, body: answer.body }).toMatchObject({
    status: 400,
    body: { errors: [{ extensions: { code: 'BAD_USER_INPUT' } }] },
  });
});

test('a body that is not UTF-8 is 400', async () => {
  // With any other character in place of the invalid byte the body is valid.
  const body = Buffer.from(JSON.stringify({ query: '{ __typename } #é' }), 'latin1');
  expect((await service.post(Uint8Array.from(body))).status).toBe(400);
});

test.each([
  ['null variables', { variables: null }],
  ['a null operation name', { operationName: null }],
  ['members nobody knows', { extensions: { persisted: true }, more: [1] }],
])('%s count as missing', async (_, more) => {
  const query = '{ __typename getOrganization { displayName } }';
  const { body } = await service.post(JSON.stringify({ query, ...more }));
  expect(body).toEqual({ data: { __typename: 'Query', getOrganization: { displayName: 'Harbor' } } });
});

test('of several operations the named one runs', async () => {
  const query = 'query A { a: __typename } query B { b: __typename }';
  const named = (operationName?: string) => service.post(JSON.stringify({ query, operationName }));
  expect((await named('B')).body).toEqual({ data: { b: 'Query' } });
  expect((await named('C')).body.errors?.[0]?.message).toBe('There is no operation of that operationName.');
  expect((await named()).body.errors?.[0]?.message).toBe('operationName must say which operation to run.');
});

test.each([
  ['no type', { 'content-type': '' }],
  ['a form', { 'content-type': 'application/x-www-form-urlencoded' }],
  ['another encoding', { 'content-type': 'application/json; charset=utf-16' }],
  ['compressed', { 'content-encoding': 'gzip' }],
])('a body with %s is 415', async (_, headers) => {
  expect((await service.post(good, headers)).status).toBe(415);
});

test('the charset UTF-8 is accepted', async () => {
  expect((await service.post(good, { 'content-type': 'Application/JSON; charset="UTF-8"' })).status).toBe(200);
});

test('another path is 404, another method 405, health checks answer, and every reply is JSON', async () => {
  const { origin } = new URL(service.url);
  const get = async (path: string) => {
    const response = await fetch(origin + path);
    return [response.status, response.headers.get('allow'), Object.keys(JSON.parse(await response.text()))];
  };
  expect(await get('/')).toEqual([404, null, ['errors']]);
  expect(await get('/graphql?query=%7B__typename%7D')).toEqual([405, 'POST', ['errors']]);
  expect(await get('/healthz')).toEqual([200, null, ['status']]);
});

test('a body of more than a mebibyte is 413, with and without Content-Length', async () => {
  const long = JSON.stringify({ query: `{ __typename } #${'x'.repeat(1_048_576)}` });
  expect((await service.post(long)).status).toBe(413);
  const { promise, resolve, reject } = Promise.withResolvers<number | undefined>();
  const headers = { 'content-type': 'application/json', authorization: `Apikey ${service.apiKeys.harbor}` };
  const chunked = request(service.url, { method: 'POST', headers }, (response) => resolve(response.statusCode));
  chunked.once('error', reject);
  chunked.write(long);
  expect(await promise).toBe(413);
  chunked.destroy();
});

test('a client that sends 50 MB reads the refusal before the connection closes', async () => {
  const socket = connect(Number(new URL(service.url).port), '127.0.0.1');
  const body = Buffer.alloc(50_000_000, 'x');
  const next = 'GET /healthz HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n';
  socket.write(`POST /graphql HTTP/1.1\r\nhost: x\r\ncontent-length: ${body.length}\r\n\r\n`);
  socket.write(body);
  socket.write(next);
  expect((await socket.toArray()).join('').match(/HTTP\/1.1 \d+/g)).toEqual(['HTTP/1.1 413', 'HTTP/1.1 200']);
});

test('a refused client that never ends its body is cut off', async () => {
  const socket = connect(Number(new URL(service.url).port), '127.0.0.1');
  socket.write('POST /graphql HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\n\r\n1\r\n{\r\n');
  const limit = startControl(30_000);
  expect((await socket.toArray()).join('')).toMatch('HTTP/1.1 401 ');
  expect(limit.isOver()).toBe(false);
});

test('the key is checked before the body is read', async () => {
  const { promise, resolve, reject } = Promise.withResolvers<number | undefined>();
  const unfinished = request(service.url, { method: 'POST', headers: { 'content-type': 'application/json' } });
  unfinished.once('response', (response) => resolve(response.statusCode)).once('error', reject);
  unfinished.write('{');
  expect(await promise).toBe(401);
  unfinished.destroy();
});

test.each([
  ['no HTTP', 'HELO\r\n\r\n', 400],
  ['headers of 20 kB', `POST /graphql HTTP/1.1\r\nhost: x\r\nx: ${'x'.repeat(20_000)}\r\n\r\n`, 431],
  ['without a Host', 'POST /graphql HTTP/1.1\r\n\r\n', 400],
  ['of an expectation nobody knows', 'POST /graphql HTTP/1.1\r\nhost: x\r\nexpect: more\r\n\r\n', 417],
  ['a CONNECT', 'CONNECT x:80 HTTP/1.1\r\nhost: x\r\n\r\n', 405],
])('input that is %s is answered in JSON', async (_, bytes, status) => {
  const socket = connect(Number(new URL(service.url).port), '127.0.0.1');
  socket.write(bytes);
  const answer = (await socket.toArray()).join('');
  expect(answer).toMatch(`HTTP/1.1 ${status} `);
  expect(answer).toMatch(/^content-type: application\/json; charset=utf-8\r$/im);
  expect(JSON.parse(answer.split('\r\n\r\n')[1] ?? '')).toMatchObject({ errors: [{}] });
});

test('a connection reset during a reply does no harm', async () => {
  for (const bytes of ['CONNECT x:80 HTTP/1.1\r\nhost: x\r\n\r\n', 'HELO\r\n\r\n', 'POST /graphql HTTP/1.1\r\n\r\n']) {
    const socket = connect(Number(new URL(service.url).port), '127.0.0.1');
    await new Promise((resolve) => socket.write(bytes, resolve));
    socket.resetAndDestroy();
  }
  expect((await service.post(good)).status).toBe(200);
});

test('the request line may have the absolute URL, and the encoding may be in capitals', async () => {
  const socket = connect(Number(new URL(service.url).port), '127.0.0.1');
  const lines = ['POST http://x/graphql?a HTTP/1.1', 'host: x', 'connection: close', 'content-encoding: Identity'];
  const key = `authorization: Apikey ${service.apiKeys.harbor}`;
  const rest = [key, 'content-type: application/json', `content-length: ${good.length}`, '', good];
  socket.write([...lines, ...rest].join('\r\n'));
  expect((await socket.toArray()).join('')).toMatch('HTTP/1.1 200 ');
});

test('a document is not checked without a key', async () => {
  const { status, text } = await service.ask('{ nothing }', null, 'wrong');
  expect({ status, isSilent: !text.includes('nothing') }).toEqual({ status: 401, isSilent: true });
});
