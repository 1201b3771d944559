/** Connection limits of servers: real sockets, many of which never send a whole request. */
import { once } from 'node:events';
import { Agent, request as httpRequest } from 'node:http';
import { connect, type Socket } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { type ServiceOptions, startService } from '../../../src/query-service/service.ts';
import { createHttpServer, type HttpServerDeps } from '../../../src/shared/http/server.ts';
import { createMemoryLog } from '../../support/runner/memory-log.ts';
import { formBody, signatureOf, startHttpBot } from '../../support/slack/signed-http.ts';
import { commandPayload } from '../../support/slack/slack-payloads.ts';

/** Incomplete requests that keep a server waiting. */
const halves = [
  '',
  'G',
  'POST /slack/events HTTP/1.1\r\nhost: x\r\nx-slow: ',
  'POST /slack/events HTTP/1.1\r\nhost: x\r\ncontent-length: 200000\r\n\r\n{',
];

type Target = { readonly origin: string; readonly from?: string };

/** @returns a connection that sends this text; it is closed when the test ends */
async function hold({ origin, from = '127.0.0.1' }: Target, text = ''): Promise<Socket> {
  const socket = connect({ host: '127.0.0.1', port: Number(new URL(origin).port), localAddress: from });
  socket.on('error', () => {});
  onTestFinished(() => void socket.destroy());
  await once(socket, 'connect');
  if (text !== '') socket.write(text);
  return socket;
}

/** Reconnects whenever it is closed. */
async function flood(target: Target, count: number): Promise<{ readonly opened: () => number }> {
  let opened = 0;
  let isOver = false;
  onTestFinished(() => {
    isOver = true;
  });
  const come = async (number: number): Promise<void> => {
    const socket = await hold(target, halves[number % halves.length]);
    opened += 1;
    socket.resume().once('close', () => isOver || void come(number).catch(() => {}));
  };
  await Promise.all(Array.from({ length: count }, (_, number) => come(number)));
  return { opened: () => opened };
}

async function get(url: string, agent?: Agent): Promise<number | undefined> {
  const request = httpRequest(url, { agent: agent ?? new Agent() }).end();
  const [response] = await once(request, 'response');
  await response.resume().toArray();
  return response.statusCode;
}

async function serve(deps: Partial<HttpServerDeps> = {}) {
  const routes = { 'GET /healthz': (_: unknown, response: { end: (text: string) => unknown }) => response.end('ok') };
  const onError = (error: unknown) => expect.unreachable(String(error));
  const server = createHttpServer({ host: '127.0.0.1', port: 0, routes, onError, ...deps });
  await server.start();
  onTestFinished(server.stop);
  return server;
}

async function serviceWith(options: Partial<ServiceOptions> = {}) {
  const { log } = createMemoryLog();
  const given = {
    databaseUrl: 'sqlite::memory:',
    host: '127.0.0.1',
    port: 0,
    clock: Date.now,
    sample: 'none',
    log,
  } as const;
  const service = await startService({ ...given, ...options });
  onTestFinished(service.close);
  return new URL(service.url).origin;
}

describe('with more incomplete connections than a server accepts', () => {
  it('Slack’s signed requests and health checks are answered', async () => {
    const routes = { 'GET /healthz': (_: unknown, response: { end: (text: string) => unknown }) => response.end('ok') };
    await using run = await startHttpBot({ http: { routes } });
    const { opened } = await flood({ origin: run.receiver.origin() }, 1_100);
    for (let turn = 0; turn < 10; turn += 1) {
      expect((await run.post(commandPayload(run.slack, `turn ${turn}`))).status).toBe(200);
      expect(await get(`${run.receiver.origin()}/healthz`)).toBe(200);
    }
    expect(run.requests).toHaveLength(10);
    await expect.poll(opened).toBeGreaterThan(1_100);
    expect(run.log.text()).toContain('too many connections');
  });

  it('a connection that Slack has used before keeps working', async () => {
    await using run = await startHttpBot({ http: { connectionsMax: 40 } });
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    onTestFinished(() => agent.destroy());
    const ask = async (words: string) => {
      const body = formBody(commandPayload(run.slack, words));
      const type = 'application/x-www-form-urlencoded';
      const headers = { 'content-type': type, 'content-length': Buffer.byteLength(body), ...signatureOf({ body }) };
      const request = httpRequest(`${run.receiver.origin()}/slack/events`, { method: 'POST', agent, headers });
      const [response] = await once(request.end(body), 'response');
      await response.resume().toArray();
      return { status: response.statusCode, isReused: request.reusedSocket };
    };
    expect(await ask('first')).toEqual({ status: 200, isReused: false });
    await flood({ origin: run.receiver.origin() }, 80);
    expect(await ask('second')).toEqual({ status: 200, isReused: true });
  });

  it('the query service answers', async () => {
    const origin = await serviceWith();
    const { opened } = await flood({ origin }, 2_100);
    for (let turn = 0; turn < 10; turn += 1) expect(await get(`${origin}/healthz`)).toBe(200);
    await expect.poll(opened).toBeGreaterThan(2_100);
  });
});

it('idle connections make room for new ones', async () => {
  const origin = await serviceWith({ limits: { connectionsMax: 40 } });
  const agent = new Agent({ keepAlive: true });
  onTestFinished(() => agent.destroy());
  await Promise.all(Array.from({ length: 40 }, () => get(`${origin}/healthz`, agent)));
  for (let turn = 0; turn < 10; turn += 1) expect(await get(`${origin}/healthz`)).toBe(200);
});

it('the network with the most connections loses one of its own', async () => {
  const { origin } = await serve({ connectionsMax: 40 });
  const quiet = await hold({ origin: origin() });
  await flood({ origin: origin(), from: '127.0.0.2' }, 80);
  quiet.write('GET /healthz HTTP/1.1\r\nhost: x\r\n\r\n');
  expect((await quiet.toArray()).join('')).toMatch(/^HTTP\/1\.1 200 /);
});

it('a running request is never dropped; if all connections have one, a new one is refused', async () => {
  const finish = Promise.withResolvers<void>();
  const begun: unknown[] = [];
  const slow = async (request: unknown, response: { end: (text: string) => unknown }) => {
    begun.push(request);
    await finish.promise;
    response.end('done');
  };
  const { origin } = await serve({ connectionsMax: 5, routes: { 'GET /slow': slow } });
  const text = 'GET /slow HTTP/1.1\r\nhost: x\r\n\r\n';
  const asked = await Promise.all(Array.from({ length: 5 }, () => hold({ origin: origin() }, text)));
  await expect.poll(() => begun).toHaveLength(5);
  for (let turn = 0; turn < 5; turn += 1) expect(await (await hold({ origin: origin() })).toArray()).toEqual([]);
  finish.resolve();
  for (const socket of asked) expect((await socket.toArray()).join('')).toMatch(/^HTTP\/1\.1 200 .*done$/s);
});

it.each([
  ['nothing', '', undefined],
  ['a head by the letter', 'GET /healthz HTTP/1.1\r\nhost: x\r\nx-slow: ', 'a'],
  ['a body by the letter', 'POST /healthz HTTP/1.1\r\nhost: x\r\ncontent-length: 9000\r\n\r\n', 'a'],
])('a connection that sends %s is closed in time, however lively it is', async (_, text, drip) => {
  const swallow = (request: { resume: () => unknown }) => request.resume();
  const timing = { headersMs: 100, requestMs: 200 };
  const { origin } = await serve({ timing, routes: { 'POST /healthz': swallow } });
  const socket = await hold({ origin: origin() }, text);
  const dripping = setInterval(() => drip !== undefined && socket.write(drip), 10);
  onTestFinished(() => clearInterval(dripping));
  await new Promise((resolve) => socket.resume().once('close', resolve));
  expect(await get(`${origin()}/elsewhere`)).toBe(404);
});
