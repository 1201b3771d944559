/** Slack over HTTP: accepted requests, their answers, and broken or hostile requests. */
import { once } from 'node:events';
import { connect } from 'node:net';
import { expect, test } from 'vitest';
import { HttpReceiver } from '../../../../../src/bot/slack/inbound/receivers/http-receiver.ts';
import { echo, lateAnswer } from '../../../../support/bot/bot.ts';
import { testRuntime } from '../../../../support/bot/runtime.ts';
import { createMemoryLog } from '../../../../support/runner/memory-log.ts';
import {
  formBody,
  type HttpBot,
  httpNow,
  signatureOf,
  signingSecret,
  startHttpBot,
} from '../../../../support/slack/signed-http.ts';
import { commandPayload, pressPayload } from '../../../../support/slack/slack-payloads.ts';

const json = { 'content-type': 'application/json' };

async function expectAlive(run: HttpBot): Promise<void> {
  const { status, text } = await run.post(commandPayload(run.slack, 'alive'));
  expect([status, JSON.parse(text).text]).toEqual([200, 'You typed alive']);
}

/** Sends bytes as they are. @returns everything that came back until the connection closed */
async function raw(run: HttpBot, bytes: string): Promise<string> {
  const { hostname, port } = new URL(run.receiver.origin());
  const socket = connect(Number(port), hostname);
  let answered = '';
  socket.setEncoding('utf8').on('data', (part) => {
    answered += part;
  });
  socket.write(bytes);
  await once(socket, 'close');
  return answered;
}

test('a signed command is answered in the body of the response', async () => {
  await using run = await startHttpBot();
  const { status, type, text } = await run.post(commandPayload(run.slack, 'list'));
  expect([status, type]).toEqual([200, 'application/json; charset=utf-8']);
  expect(JSON.parse(text)).toMatchObject({ text: 'You typed list', response_type: 'ephemeral' });
  expect(run.slack.calls.map(({ method }) => method)).toEqual(['auth.test', 'bots.info', 'conversations.info']);
});

test('an answer that has to wait follows an empty acknowledgement', async () => {
  await using run = await startHttpBot({
    answer: lateAnswer(({ line }) => echo(line)),
  });
  expect(await run.post(commandPayload(run.slack, 'list'))).toEqual({ status: 200, type: '', text: '' });
  const [response] = await run.slack.until(() => (run.slack.responses.length > 0 ? run.slack.responses : undefined));
  expect(response?.payload).toMatchObject({ text: 'You typed list' });
});

test('a press comes as JSON in a form, and is acknowledged and answered', async () => {
  await using run = await startHttpBot();
  const pressed = pressPayload(run.slack, { mode: 'open', line: 'list' });
  expect(await run.post({ payload: JSON.stringify(pressed) })).toMatchObject({ status: 200, text: '' });
  await run.slack.until(() => run.slack.responses[0]);
  expect(run.requests).toMatchObject([{ line: 'list', actor: { userId: 'U0ANNA' } }]);
});

test('the same signed request again is acknowledged and not run, with ids of its own or without', async () => {
  await using run = await startHttpBot();
  const withId = commandPayload(run.slack, 'list');
  const without = { ...withId, trigger_id: undefined };
  for (const fields of [withId, withId, without, without]) expect((await run.post(fields)).status).toBe(200);
  expect(run.requests).toHaveLength(2);
});

test('a retried delivery runs only if it has not run before', async () => {
  await using run = await startHttpBot();
  const fields = commandPayload(run.slack, 'list');
  const retry = { 'x-slack-retry-num': '1', 'x-slack-retry-reason': 'http_timeout' };
  const mention = (event_id: string) => ({
    type: 'event_callback',
    team_id: fields.team_id,
    event_id,
    event: { type: 'app_mention', user: 'U0ANNA', channel: 'C0OPS', text: '<@U0BOT> list', ts: '1.1' },
  });
  await run.postJson(mention('Ev1'), retry);
  await run.postJson(mention('Ev1'), { ...retry, 'x-slack-retry-num': '2' });
  await run.slack.until(() => run.slack.calls.find(({ method }) => method === 'chat.postEphemeral'));
  expect(run.requests).toHaveLength(1);
});

test('a delivery that another process claimed first does not run here', async () => {
  const claimed: string[] = [];
  await using run = await startHttpBot({
    shared: {
      idempotencyKeys: { claim: async (_, key) => claimed.push(key) > 1 },
      leases: { take: async () => undefined },
    },
  });
  expect((await run.post(commandPayload(run.slack, 'list'))).text).toBe('');
  await expectAlive(run);
  expect(new Set(claimed).size).toBe(2);
});

test('Slack’s two questions about the address are answered and dispatch nothing', async () => {
  await using run = await startHttpBot();
  const ssl = { headers: { 'content-type': 'application/x-www-form-urlencoded' }, body: 'token=x&ssl_check=1' };
  expect(await run.send(ssl)).toEqual({ status: 200, type: '', text: '' });
  const { text } = await run.postJson({ type: 'url_verification', challenge: 'c-1' });
  expect(JSON.parse(text)).toEqual({ challenge: 'c-1' });
  expect(run.requests).toEqual([]);
});

const signedJson = (body: string) => ({ body, headers: { ...json, ...signatureOf({ body }) } });

test.each<[string, Parameters<HttpBot['send']>[0], number, string]>([
  ['another path', { path: '/slack/commands' }, 404, 'not found'],
  ['a path with two slashes', { path: '//slack/events' }, 404, 'not found'],
  ['a path to be resolved', { path: '/slack/../slack/events' }, 404, 'not found'],
  ['a whole address', { path: 'http://x/slack/events' }, 404, 'not found'],
  ['another method', { method: 'GET' }, 405, 'method not allowed'],
  ['a type nobody sends', { body: 'x', headers: { 'content-type': 'text/xml' } }, 415, 'unsupported content type'],
  ['no signature', { body: '{}', headers: json }, 401, 'not authorized'],
  ['too large a body', { body: 'x'.repeat(262_145), headers: json }, 413, 'too large'],
  ['signed null', signedJson('null'), 400, 'bad request'],
  ['a signed list', signedJson('[]'), 400, 'bad request'],
  ['signed words', signedJson('"words"'), 400, 'bad request'],
  ['half a signed body', signedJson('{"a":'), 400, 'bad request'],
])('%s is refused in few words', async (_, request, status, words) => {
  await using run = await startHttpBot();
  expect(await run.send(request)).toEqual({ status, type: 'text/plain; charset=utf-8', text: words });
  await expectAlive(run);
  expect(run.requests).toHaveLength(1);
});

test('a large body that is only announced is not waited for', async () => {
  await using run = await startHttpBot({ http: { timing: { headersMs: 500, requestMs: 1000 } } });
  const head = 'POST /slack/events HTTP/1.1\r\nhost: x\r\ncontent-length: 262145\r\n\r\n';
  expect(await raw(run, head)).toContain('413 Payload Too Large');
});

test('a body of the largest allowed size is read whole', async () => {
  await using run = await startHttpBot();
  const body = JSON.stringify({ type: 'url_verification', challenge: 'c', padding: 'x'.repeat(262_080) });
  expect(body.length).toBeLessThanOrEqual(262_144);
  expect((await run.send(signedJson(body))).status).toBe(200);
});

test('a signed object of an unknown shape is acknowledged, and the process continues', async () => {
  await using run = await startHttpBot();
  const deep = `{"type":"block_actions","actions":${'['.repeat(100_000)}${']'.repeat(100_000)}}`;
  const shapes = ['{}', '{"type":"view_submission"}', '{"type":"event_callback","event":null}', '{"command":{}}', deep];
  for (const body of shapes) expect((await run.send(signedJson(body))).status).toBe(200);
  await expectAlive(run);
});

test('further routes are served, and one that throws is answered with 500', async () => {
  const broken = () => {
    throw new Error('the disk is full');
  };
  const routes = { 'GET /healthz': (_: unknown, response: { end: (text: string) => unknown }) => response.end('ok') };
  await using run = await startHttpBot({ http: { routes: { ...routes, 'GET /broken': broken } } });
  expect(await run.send({ method: 'GET', path: '/healthz?deep=1' })).toMatchObject({ status: 200, text: 'ok' });
  expect(await run.send({ method: 'POST', path: '/healthz' })).toMatchObject({ status: 405 });
  const answer = await run.send({ method: 'GET', path: '/broken' });
  expect(answer).toMatchObject({ status: 500, text: 'something went wrong' });
  expect(run.log.text()).toContain('the disk is full');
});

test('a client that leaves in the middle of its body logs no error', async () => {
  await using run = await startHttpBot();
  const { hostname, port } = new URL(run.receiver.origin());
  const socket = connect(Number(port), hostname);
  await once(socket, 'connect');
  socket.write('POST /slack/events HTTP/1.1\r\nhost: x\r\ncontent-length: 100\r\n\r\nhalf', () => socket.destroy());
  await once(socket, 'close');
  await expectAlive(run);
  expect(run.log.messages()).not.toContain('http request could not be answered');
});

test.each([
  ['headers', 'POST /slack/events HTTP/1.1\r\nhost: x\r\n'],
  ['body', 'POST /slack/events HTTP/1.1\r\nhost: x\r\ncontent-length: 100\r\n\r\nhalf'],
])('%s that do not end are given up', async (_, bytes) => {
  await using run = await startHttpBot({ http: { timing: { headersMs: 500, requestMs: 1000 } } });
  expect(await raw(run, bytes)).toContain('408 Request Timeout');
  await expectAlive(run);
});

test('a stop answers the running requests and accepts no new ones', async () => {
  const started = Promise.withResolvers<void>();
  const finish = Promise.withResolvers<void>();
  await using run = await startHttpBot({
    answer: async ({ line }) => {
      started.resolve();
      await finish.promise;
      return echo(line);
    },
  });
  const answer = run.post(commandPayload(run.slack, 'list'));
  await started.promise;
  const stopped = run.bot.stop();
  expect(run.bot.isConnected()).toBe(false);
  finish.resolve();
  await stopped;
  expect(await answer).toMatchObject({ status: 200 });
  await run.slack.until(() => run.slack.responses[0]);
});

test('above the connection limit the connection that has waited longest is closed, and the others continue', async () => {
  await using run = await startHttpBot({ http: { connectionsMax: 2, timing: { headersMs: 500, requestMs: 1000 } } });
  const half = 'POST /slack/events HTTP/1.1\r\nhost: x\r\ncontent-length: 100\r\n\r\nhalf';
  const held = [0, 1, 2].map(() => raw(run, half).catch(() => ''));
  const answers = await Promise.all(held);
  expect(answers.map((answered) => answered.slice(0, 12))).toEqual(['', 'HTTP/1.1 408', 'HTTP/1.1 408']);
  await expectAlive(run);
});

test('Slack’s connections are reused, and other connections close after their answer', async () => {
  await using run = await startHttpBot({ http: { timing: { idleMs: 50 } } });
  const body = formBody(commandPayload(run.slack, 'list'));
  const type = `content-type: application/x-www-form-urlencoded\r\ncontent-length: ${Buffer.byteLength(body)}`;
  const ask = (headers: string) =>
    raw(run, `POST /slack/events HTTP/1.1\r\nhost: x\r\n${type}\r\n${headers}\r\n${body}`);
  const signed = Object.entries(signatureOf({ body })).map((header) => `${header.join(': ')}\r\n`);
  const close = /\r\nconnection: close\r\n/i;
  expect(await ask(signed.join(''))).toMatch(/^HTTP\/1\.1 200 /);
  expect(await ask(signed.join(''))).not.toMatch(close);
  expect(await ask('')).toMatch(close);
  for (const path of ['/healthz', '/elsewhere']) {
    expect(await raw(run, `GET ${path} HTTP/1.1\r\nhost: x\r\n\r\n`)).toMatch(close);
  }
});

test('a connection that sends nothing does not hold up a stop', async () => {
  await using run = await startHttpBot({ http: { timing: { farewellMs: 20 } } });
  const answered = raw(run, 'POST /slack/events HTTP/1.1\r\nhost: x\r\ncontent-length: 100\r\n\r\nhalf');
  await expectAlive(run);
  await run.bot.stop();
  expect(await answered).toBe('');
});

test('a port that is taken is named', async () => {
  await using run = await startHttpBot();
  const port = Number(new URL(run.receiver.origin()).port);
  const { log } = createMemoryLog();
  const runtime = testRuntime(() => httpNow * 1000, log);
  const second = new HttpReceiver({ signingSecret, runtime, host: '127.0.0.1', port });
  await expect(second.start()).rejects.toMatchObject({
    code: 'unavailable',
    publicMessage: `The bot cannot listen on 127.0.0.1 port ${port}: another program is listening there already.`,
  });
});
