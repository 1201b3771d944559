/** The workspace's key is sent in one header and appears nowhere else. */
import { inspect } from 'node:util';
import { expect, test } from 'vitest';
import { createScrub } from '../../../src/bot/query/client/scrub.ts';
import { canaryKey, createTestQuery, lastDay, type TestQuery } from '../../support/bot/query.ts';
import {
  answer,
  type Behaviour,
  data,
  type HostileHttp,
  type HostileRequest,
  reset,
  startHostileHttp,
} from '../../support/service/hostile-http.ts';

/** No letter of the key but its first four tells it; the name of the canary is in every spelling but base64. */
const traces = [
  'CANARY',
  Buffer.from('CANARY').toString('base64').slice(0, 7),
  Buffer.from('_CANARY').toString('base64').slice(2, 9),
  Buffer.from('q_CANARY').toString('base64').slice(3, 9),
];

function expectNoTrace(text: string): void {
  for (const trace of traces) expect(text).not.toContain(trace);
}

const echo =
  (status: number, make: (authorization: string, request: HostileRequest) => unknown): Behaviour =>
  (request, response) =>
    answer(status, make(request.headers.authorization ?? '', request))(request, response);

async function withServer(behaviour: Behaviour, run: (query: TestQuery, server: HostileHttp) => Promise<void>) {
  await using server = await startHostileHttp(behaviour);
  await using query = createTestQuery(server.url, canaryKey);
  await run(query, server);
}

const question = { uuid: 'uuid-of-a-workflow', window: lastDay, failuresMax: 3 };

test('the key is sent only in the header of the specification', async () => {
  await withServer(data({}), async (query, server) => {
    await query
      .ask()
      .organization()
      .catch(() => undefined);
    const [request] = server.requests;
    expect(request?.headers.authorization).toBe(`Apikey ${canaryKey}`);
    expectNoTrace(JSON.stringify({ ...request, headers: { ...request?.headers, authorization: '' } }));
  });
});

test.each([
  ['an error message', echo(200, (key) => ({ errors: [{ message: `Unknown field ${key}` }], data: null }))],
  ['a validation error', echo(400, (key) => ({ errors: [{ message: `Syntax Error: ${key}` }] }))],
  ['an error page', echo(500, (key) => `<html>${key}</html>`)],
  ['a refusal', echo(401, (key) => key)],
  ['what is not JSON', echo(200, (key) => `{"data": ${key}`)],
  ['the code of an error', echo(200, (key) => ({ errors: [{ message: 'x', extensions: { code: key } }] }))],
  ['everything that was sent', echo(200, (_key, request) => ({ errors: [{ message: JSON.stringify(request) }] }))],
  ['a redirect', (request, response) => answer(302, '', { location: `/${request.number}` })(request, response)],
  ['nothing', reset],
] satisfies [string, Behaviour][])(
  'a key that the service echoes in %s is in no error and no log line',
  async (_where, behaviour) => {
    await withServer(behaviour, async (query) => {
      const error = await query
        .ask()
        .workflowStatus(question)
        .catch((thrown: unknown) => thrown);
      query.log.log.error({ err: error, error: inspect(error, { depth: 9, showHidden: true }) }, 'thrown');
      expect(query.log.text()).toContain('query service gave no answer');
      expectNoTrace(query.log.text());
      expectNoTrace(inspect(error, { depth: 9, showHidden: true }) + JSON.stringify(error));
    });
  },
);

test('no error and no log line contains the query or its subject', async () => {
  const all = echo(200, (_key, { body }) => ({ errors: [{ message: `Syntax Error: ${body} uuid-of-a-workflow` }] }));
  await withServer(all, async (query) => {
    const error = await query
      .ask()
      .workflowStatus(question)
      .catch((thrown: unknown) => thrown);
    await query
      .ask()
      .workflowNames('a "quoted" \\ name')
      .catch(() => undefined);
    const text = query.log.text() + inspect(error, { depth: 9, showHidden: true });
    expect(text).not.toMatch(/uuid-of-a-workflow|quoted/);
    expect(text).not.toContain('WorkflowFields');
  });
});

test.each([
  ['as it is', (key: string) => key],
  ['encoded for a URL', encodeURIComponent],
  ['in lower-case escapes', (key: string) => encodeURIComponent(key).replace(/%../g, (hex) => hex.toLowerCase())],
  ['in JSON inside the JSON', (key: string) => JSON.stringify({ key })],
  ['in base64', (key: string) => Buffer.from(key).toString('base64')],
  ['in base64 for URLs', (key: string) => Buffer.from(key).toString('base64url')],
  ['in the base64 of a header', (key: string) => Buffer.from(`Apikey ${key}, next`).toString('base64')],
  ['in the base64 of a pair', (key: string) => Buffer.from(`me:${key}:you`).toString('base64')],
])('a key that the service echoes %s is masked before the answer is cached', async (_how, spell) => {
  const organization = { organizationId: 'o', restrictionStatus: 'GATED', activeStatus: 'ACTIVE' };
  const behaviour = data({ getOrganization: { ...organization, displayName: `before ${spell(canaryKey)} after` } });
  await withServer(behaviour, async (query) => {
    const { data: answered } = await query.ask().organization();
    expect(answered.displayName).toMatch(/^before .*\[key\].* after$/s);
    expectNoTrace(answered.displayName);
  });
});

test('a key in JSON escapes is masked, too', () => {
  const escaped = [...'a-long-secret-key'].map((letter) => `\\u00${letter.charCodeAt(0).toString(16)}`).join('');
  expect(createScrub('a-long-secret-key').parseJson(`{"name":"<${escaped}>"}`)).toEqual({ name: '<[key]>' });
});

test('a text without the key is unchanged', () => {
  const text = 'connection refused\n"quoted" \\ 50% 0xabc';
  expect(createScrub(canaryKey).parseJson(JSON.stringify([text]))).toEqual([text]);
  expect(createScrub('a').text('a banana')).toBe('a banana');
});

test('the key is decrypted for every request, and not before it is needed', async () => {
  let reads = 0;
  const apiKey = async () => {
    reads += 1;
    return canaryKey;
  };
  await withServer(answer(503), async (query) => {
    const asking = query.ask({ apiKey });
    expect(reads).toBe(0);
    await asking.organization().catch(() => undefined);
    expect(reads).toBe(3);
  });
});

test('a log line of the client has only the workspace, the operation and the fault', async () => {
  await withServer(answer(500), async (query) => {
    await query
      .ask()
      .organization()
      .catch(() => undefined);
    const [line] = query.log.text().split('\n');
    const { time: _time, durationMs: _durationMs, ...facts } = JSON.parse(line ?? '');
    expect(facts).toEqual({
      level: 'warn',
      teamId: 'T0001',
      question: 'organization',
      fault: 'server_error',
      detail: 'HTTP 500',
      msg: 'query service gave no answer',
    });
  });
});
