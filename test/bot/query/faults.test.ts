/** Faults of a query service that is down, slow, busy, confused or hostile: a named error, a sentence, no crash. */

import type { LookupFunction } from 'node:net';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { AppError } from '../../../src/shared/errors.ts';
import { canaryKey, createTestQuery, lastDay, now, type TestQuery } from '../../support/bot/query.ts';
import { hostileCases } from '../../support/hostile/hostile.ts';
import { startControl } from '../../support/runner/control.ts';
import {
  answer,
  type Behaviour,
  data,
  drip,
  flood,
  type HostileHttp,
  hang,
  inTurn,
  reset,
  resetMidBody,
  startHostileHttp,
} from '../../support/service/hostile-http.ts';

const good = data({
  getOrganization: { organizationId: 'o', displayName: 'Acme', restrictionStatus: 'GATED', activeStatus: 'ACTIVE' },
});
const html = '<html><h1>Bad gateway</h1></html>';

let server: HostileHttp;
let query: TestQuery;

beforeEach(async () => {
  server = await startHostileHttp(good);
  query = createTestQuery(server.url, canaryKey);
});

afterEach(async () => {
  await query[Symbol.asyncDispose]();
  await server[Symbol.asyncDispose]();
});

async function problemOf(behaviour: Behaviour): Promise<AppError> {
  server.behaveAs(behaviour);
  const thrown = await query
    .ask()
    .organization()
    .then(
      () => undefined,
      (error: unknown) => error,
    );
  if (!(thrown instanceof AppError)) throw new Error('there was an answer, or no AppError', { cause: thrown });
  return thrown;
}

const down = 'The bot asked the query service for the organization, but it answered with an error of its own.';
const nonsense = 'The bot asked the query service for the organization, but its answer cannot be read.';
const unreachable = 'The bot asked the query service for the organization, but it cannot be reached.';

test.each([
  ['nothing at all', answer(200, '')],
  ['204', answer(204)],
  ['HTML', answer(200, html, { 'content-type': 'text/html' })],
  ['cut JSON', answer(200, '{"data":{"getOrganization":{"organizationId":"o"')],
  ['null', answer(200, 'null')],
  ['a list', answer(200, '[{"data":{}}]')],
  ['a string', answer(200, '"data"')],
  ['null data without errors', answer(200, { data: null })],
  ['no data', answer(200, { data: {} })],
  ['data that is a list', answer(200, { data: [] })],
  ['an empty list of errors', answer(200, { data: {}, errors: [] })],
  ['errors that are an object', answer(200, { errors: { message: 'boom' } })],
  ['a null operation', data({ getOrganization: null })],
  ['another type in the place of the data', data({ getOrganization: 'o' })],
  ['an organization without an id', data({ getOrganization: { organizationId: null, displayName: 'A' } })],
  ['JSON as deep as it is long', answer(200, `{"data":${'['.repeat(200_000)}"\\u0041"${']'.repeat(200_000)}}`)],
  ['a compressed body', answer(200, 'x', { 'content-encoding': 'gzip' })],
  ['60 MB, announced', flood(60, true)],
  ['60 MB, not announced', flood(60, false)],
  ['a redirect', answer(302, '', { location: 'http://127.0.0.1:1/' })],
  ['404 with HTML', answer(404, html)],
])('%s is an unreadable answer, with that error', async (_what, behaviour) => {
  const problem = await problemOf(behaviour);
  expect(problem).toMatchObject({ code: 'unavailable', publicMessage: nonsense, since: now, isRetryable: true });
  expect(server.requests).toHaveLength(1);
});

test.each([500, 502, 503, 504, 520])('HTTP %i is retried twice, and its body is never shown', async (status) => {
  const problem = await problemOf(answer(status, html));
  expect(problem).toMatchObject({ code: 'unavailable', publicMessage: down });
  expect(server.requests).toHaveLength(3);
  expect(query.waits).toEqual([200, 400]);
});

test('a service that recovers before the deadline gives the answer', async () => {
  server.behaveAs(inTurn(answer(503, html), reset, good));
  await expect(query.ask().organization()).resolves.toMatchObject({ data: { displayName: 'Acme' } });
});

test('503 with Retry-After is retried as long as the deadline allows', async () => {
  server.behaveAs(inTurn(answer(503, '', { 'retry-after': '3' }), good));
  await query.ask().organization();
  expect(query.waits).toEqual([3000]);
  await query[Symbol.asyncDispose]();
  query = createTestQuery(server.url, canaryKey, { deadlineMs: 20_000 });
  await problemOf(answer(503, '', { 'retry-after': '30' }));
  expect(query.waits).toEqual([]);
});

test.each([
  ['before the answer', reset],
  ['in its middle', resetMidBody],
])('a connection that breaks %s is retried once', async (_when, behaviour) => {
  expect(await problemOf(behaviour)).toMatchObject({ code: 'unavailable', publicMessage: unreachable });
  expect(server.requests).toHaveLength(2);
});

test.each([
  ['EAI_AGAIN', 3],
  ['ENOTFOUND', 1],
])('a resolver that answers %s is asked %i times', async (code, times) => {
  let asked = 0;
  const lookup: LookupFunction = (_name, _options, callback) => {
    asked += 1;
    callback(Object.assign(new Error(code), { code, syscall: 'getaddrinfo' }), '', 4);
  };
  await query[Symbol.asyncDispose]();
  query = createTestQuery('http://service.example/graphql', canaryKey, { lookup });
  expect(await problemOf(good)).toMatchObject({ publicMessage: unreachable, isRetryable: true });
  expect(asked).toBe(times);
});

test('a temporary failure to resolve the host is retried, and the query succeeds', async () => {
  let asked = 0;
  const lookup: LookupFunction = (_name, _options, callback) => {
    asked += 1;
    if (asked > 1) callback(null, [{ address: '127.0.0.1', family: 4 }]);
    else callback(Object.assign(new Error('EAI_AGAIN'), { code: 'EAI_AGAIN' }), '', 4);
  };
  await query[Symbol.asyncDispose]();
  query = createTestQuery(server.url.replace('127.0.0.1', 'service.example'), canaryKey, { lookup });
  expect((await query.ask().organization()).data.displayName).toBe('Acme');
});

test.each([
  ['says nothing', hang],
  ['drips', drip],
])('a request to a service that %s ends at the deadline', async (_how, behaviour) => {
  await query[Symbol.asyncDispose]();
  query = createTestQuery(server.url, canaryKey, { deadlineMs: 1_000 });
  // The deadline includes connecting, which a busy machine may not do in time.
  await problemOf(answer(200, 'no JSON'));
  const limit = startControl(15_000);
  const problem = await problemOf(behaviour);
  expect(problem.publicMessage).toBe(
    'The bot asked the query service for the organization, but it did not answer within 1 s.',
  );
  expect(limit.isOver()).toBe(false);
  expect(server.requests).toHaveLength(2);
});

test('a closed port, an unknown host and a bad certificate have the same error (ssrf/error-oracle)', async () => {
  const closed = 'http://127.0.0.1:1/graphql';
  const unknown = 'http://no-such-host.invalid/graphql';
  const noTls = server.url.replace('http:', 'https:');
  await query[Symbol.asyncDispose]();
  query = createTestQuery(server.url, canaryKey, { origins: [closed, unknown, noTls] });
  const asked = [closed, unknown, noTls].map((endpoint) => query.ask({ endpoint }).organization());
  const problems = await Promise.allSettled(asked);
  const reasons = problems.map((outcome) => (outcome.status === 'rejected' ? outcome.reason.publicMessage : 'none'));
  expect(reasons).toEqual([unreachable, unreachable, unreachable]);
});

test.each([
  ['7', 7],
  ['86400', 300],
  ['-5, soon', 5],
  [undefined, 5],
  ['Fri, 20 Nov 2026 12:00:04 GMT', 4],
])('429 with Retry-After %s has an error with the seconds to wait', async (header, seconds) => {
  const problem = await problemOf(answer(429, '', header === undefined ? {} : { 'retry-after': header }));
  expect(problem.code).toBe('rate_limited');
  expect(problem.publicMessage).toBe(`The query service is busy. Try again in ${seconds} s.`);
  expect(problem.retryAfterMs).toBe(seconds * 1000);
});

test('a busy service is retried once after its Retry-After', async () => {
  server.behaveAs(inTurn(answer(429, '', { 'retry-after': '7' }), good));
  await expect(query.ask().organization()).resolves.toMatchObject({ provenance: { source: 'live' } });
  expect(query.waits).toEqual([7000]);
});

test('every caller that waits for a busy service gets the remaining time, also one that joins later', async () => {
  server.behaveAs(inTurn(answer(429, '', { 'retry-after': '7' }), good));
  const [paused, over] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  await query[Symbol.asyncDispose]();
  const wait = () => {
    paused.resolve();
    return over.promise;
  };
  query = createTestQuery(server.url, canaryKey, { wait });
  const [first, second] = [query.ask(), query.ask()];
  const answers = [first.organization()];
  await paused.promise;
  answers.push(second.organization());
  over.resolve();
  await Promise.all(answers);
  expect(first.pauses).toEqual([7000]);
  expect(Math.ceil((second.pauses[0] ?? 0) / 1000)).toBe(7);
});

test('no caller of the workspace sends a request during the Retry-After', async () => {
  await query[Symbol.asyncDispose]();
  query = createTestQuery(server.url, canaryKey, { deadlineMs: 20_000 });
  await problemOf(answer(429, '', { 'retry-after': '60' }));
  const asked = query.ask().allWorkflows();
  await expect(asked).rejects.toMatchObject({ code: 'rate_limited', retryAfterMs: 60_000 });
  expect(server.requests).toHaveLength(1);
  query.clock.now += 60_000;
  server.behaveAs(good);
  await expect(query.ask().organization()).resolves.toMatchObject({ data: { displayName: 'Acme' } });
});

test.each([
  ['401 with an empty body', answer(401, '')],
  ['401 with a login page', answer(401, html, { 'content-type': 'text/html' })],
  ['403', answer(403, { errors: [{ message: 'no' }] })],
  ['an error entry at 200', answer(200, { errors: [{ message: 'x', extensions: { code: 'UNAUTHENTICATED' } }] })],
  ['an error entry without a code', answer(200, { errors: [{ message: 'Invalid API key' }], data: null })],
])('%s means a refused key', async (_what, behaviour) => {
  const problem = await problemOf(behaviour);
  expect(problem).toMatchObject({ code: 'unauthorized', since: now, isRetryable: false });
  expect(problem.publicMessage).toBe('The query service refused this workspace’s API key.');
  expect(server.requests).toHaveLength(1);
});

test.each([
  ['401', answer(401, { errors: [{ message: 'API key expired' }] }, { 'content-type': 'application/json' })],
  [
    'an error entry at 200',
    answer(200, { errors: [{ message: 'Your key has expired', extensions: { code: 'UNAUTHENTICATED' } }] }),
  ],
])('an error says that the key has expired if the service says so: %s', async (_what, behaviour) => {
  expect(await problemOf(behaviour)).toMatchObject({
    reason: 'expired',
    hint: 'A workspace admin or bot admin can press Connect and enter a new key.',
  });
});

test('each accepted or refused key is reported, and a refusal has its first time', async () => {
  const verdicts: boolean[] = [];
  const credential = {
    refusedSince: now - 60_000,
    onKeyChecked: (isAccepted: boolean) => void verdicts.push(isAccepted),
  };
  server.behaveAs(inTurn(answer(401), answer(503), answer(503), answer(503), good));
  await expect(query.ask(credential).organization()).rejects.toMatchObject({ since: now - 60_000 });
  await expect(query.ask(credential).organization()).rejects.toMatchObject({ code: 'unavailable' });
  await query.ask(credential).organization();
  expect(verdicts).toEqual([false, true]);
});

test('a refusal is not cached: the next query uses its own answer', async () => {
  await problemOf(answer(401));
  server.behaveAs(good);
  await expect(query.ask().organization()).resolves.toMatchObject({ data: { displayName: 'Acme' } });
});

test.each([
  ['RATE_LIMITED', 'rate_limited'],
  ['INTERNAL', 'unavailable'],
  ['SOMETHING_NEW', 'unavailable'],
  ['BAD_USER_INPUT', 'internal'],
  ['QUERY_TOO_COMPLEX', 'internal'],
])('errors without data with the code %s are %s', async (code, expected) => {
  const problem = await problemOf(answer(200, { errors: [{ message: 'x', extensions: { code } }], data: null }));
  expect(problem.code).toBe(expected);
  expect(server.requests).toHaveLength(1);
});

test('a null list of errors beside data is no error', async () => {
  const getOrganization = { organizationId: 'o', displayName: 'Acme' };
  server.behaveAs(answer(200, { data: { getOrganization }, errors: null, extensions: null }));
  const { data: organization, provenance } = await query.ask().organization();
  expect(organization).toMatchObject({ displayName: 'Acme', restrictionStatus: 'UNKNOWN' });
  expect(provenance.missing).toEqual([]);
});

/** The cases of the corpus that are one answer, as they stand there. */
const corpus = hostileCases('upstream').flatMap(({ id, given, expect: expected }) => {
  const { status = 'body' in given ? 200 : undefined, body = '', ctype = 'application/json', headers } = given;
  if (typeof status !== 'number' || 'workspaces' in given) return [];
  const code = expected['state'] === 'key_rejected' ? 'unauthorized' : status === 429 ? 'rate_limited' : 'unavailable';
  const behaviour = answer(status, body, { 'content-type': String(ctype), ...(headers as object) });
  return [[id, { code, behaviour, retries: expected['retries'] ?? expect.anything() }] as const];
});

test.each(corpus)('the case %s has its error and its retries', async (_id, { code, behaviour, retries }) => {
  expect((await problemOf(behaviour)).code).toBe(code);
  expect(server.requests.length - 1).toEqual(retries);
});

test('the corpus has at least twenty cases of one answer', () => {
  expect(corpus.length).toBeGreaterThanOrEqual(20);
});

test('a redirect is not followed, and the key is not sent to its target', async () => {
  await using other = await startHostileHttp(good);
  await problemOf(answer(307, '', { location: other.url }));
  expect(other.requests).toHaveLength(0);
});

test('nothing outside the operator’s origins is contacted, nor an address with user info', () => {
  const { host } = new URL(server.url);
  const refused = ['http://127.0.0.1:1/', `http://user:pass@${host}/`, `https://${host}/`, 'file:///etc', 'no url'];
  for (const endpoint of refused) {
    expect(() => query.ask({ endpoint })).toThrowError(expect.objectContaining({ code: 'forbidden' }));
  }
  expect(server.requests).toHaveLength(0);
});

test('a key that is invalid in a header counts as refused', async () => {
  const asked = query.ask({ apiKey: 'two\r\nlines' }).organization();
  await expect(asked).rejects.toMatchObject({ code: 'unauthorized' });
  expect(server.requests).toHaveLength(0);
});

test('connections are reused', async () => {
  for (let turn = 0; turn < 20; turn += 1) await query.ask({ isFresh: true }).organization();
  expect(server.requests.map(({ headers }) => headers.connection)).toEqual(Array(20).fill('keep-alive'));
  expect(server.connections()).toBeLessThan(4);
});

test('a partial answer about a workflow names the missing parts', async () => {
  server.behaveAs(answer(200, partlyAnswered));
  const asked = query.ask().workflowStatus({ uuid: 'w-1', window: lastDay, failuresMax: 3 });
  const { data: found, provenance } = await asked;
  expect(found).toMatchObject({
    counts: null,
    countsBefore: null,
    failures: [],
    newestExecutions: [{ uuid: 'e-2' }],
    days: null,
  });
  expect(provenance.missing).toEqual([
    'the number of runs',
    'the previous window',
    'the days',
    'the successes with errors',
    '2 of the newest runs',
    'the deployments',
  ]);
});

const partlyAnswered = {
  data: {
    sinceStart: { data: { uuid: 'w-1', name: 'payments', status: 'NEW', executionCount: -1, futureField: {} } },
    sinceBefore: null,
    activity: { data: null },
    failures: { data: [] },
    recent: {
      data: [
        { uuid: null, startedAt: '2026-01-01T00:00:00Z' },
        null,
        { uuid: 'e-2', startedAt: '2026-01-01T00:00:00.123456789Z', finishedAt: 7, errors: [{}, null], status: 'NEW' },
      ],
    },
    deployments: null,
  },
  errors: [{ message: 'boom', path: ['deployments'], extensions: { code: 'INTERNAL' } }, null, 'x'],
};
