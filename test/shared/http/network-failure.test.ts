/** Classes of network failures: whether a failed request may have arrived, by real sockets and by error codes. */
import { once } from 'node:events';
import { createServer, type LookupFunction, type Socket } from 'node:net';
import { WebClient } from '@slack/web-api';
import { Agent, fetch } from 'undici';
import { describe, expect, it, onTestFinished } from 'vitest';
import { networkFault } from '../../../src/bot/query/client/exchange.ts';
import { slackClientOptions } from '../../../src/bot/slack/outbound/web-api/client.ts';
import { classifyThrown } from '../../../src/bot/slack/outbound/web-api/errors.ts';
import { createSlackFetch } from '../../../src/bot/slack/outbound/web-api/slack-fetch.ts';
import { readNetworkFailure } from '../../../src/shared/http/network-failure.ts';
import { createMemoryLog } from '../../support/runner/memory-log.ts';

const failing = (code: string, more: object = {}) => Object.assign(new Error(`failed ${code}`), { code, ...more });

async function thrownBy(url: string, options: Agent.Options = {}): Promise<unknown> {
  const dispatcher = new Agent(options);
  onTestFinished(() => dispatcher.destroy());
  return fetch(url, { dispatcher })
    .then((response) => response.text())
    .then(
      () => expect.unreachable(),
      (error) => error,
    );
}

async function serverThat(treats: (socket: Socket) => void): Promise<string> {
  const server = createServer(treats).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${Object(server.address()).port}/`;
}

const resolvingTo =
  (code: string): LookupFunction =>
  (_name, _options, callback) =>
    callback(failing(code, { syscall: 'getaddrinfo' }), '', 4);

describe('a real failure', () => {
  it.each(['EAI_AGAIN', 'ENOTFOUND', 'EAI_FAIL', 'ESERVFAIL'])(
    'of the resolver, %s: nothing was sent',
    async (code) => {
      const thrown = await thrownBy('http://slack.example/', { connect: { lookup: resolvingTo(code) } });
      expect(readNetworkFailure(thrown)).toEqual({ kind: 'not_sent', code, isTransient: code === 'EAI_AGAIN' });
    },
  );

  it.each(['127.0.0.1', 'localhost'])('of a closed port of %s: nothing was sent', async (host) => {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = Object(server.address());
    server.close();
    await once(server, 'close');
    const thrown = await thrownBy(`http://${host}:${port}/`);
    expect(readNetworkFailure(thrown)).toMatchObject({ kind: 'not_sent', code: 'ECONNREFUSED' });
  });

  it('of a connection that is reset: it may have arrived', async () => {
    const url = await serverThat((socket) => socket.once('data', () => socket.resetAndDestroy()));
    expect(readNetworkFailure(await thrownBy(url)).kind).toBe('cut');
  });

  it('of a silent server: it may have arrived', async () => {
    const url = await serverThat((socket) => socket.on('error', () => undefined));
    expect(readNetworkFailure(await thrownBy(url, { headersTimeout: 100 })).kind).toBe('timeout');
  });

  it('of the resolver, in the Slack client: not sent, so it is retried', async () => {
    const dispatcher = new Agent({ connect: { lookup: resolvingTo('EAI_AGAIN') } });
    onTestFinished(() => dispatcher.destroy());
    const deps = { slackApiUrl: 'http://slack.example/api/', fetch: createSlackFetch(dispatcher), callTimeoutMs: 1000 };
    const client = new WebClient('xoxb-1', slackClientOptions({ ...deps, log: createMemoryLog().log }));
    const thrown = await client.auth.test().catch((error: unknown) => error);
    expect(classifyThrown(thrown)).toEqual({ kind: 'not_sent', error: 'EAI_AGAIN' });
  });
});

const notSent = [
  'EAI_AGAIN',
  'ENOTFOUND',
  'ECONNREFUSED',
  'UND_ERR_CONNECT_TIMEOUT',
  'EADDRNOTAVAIL',
  'EMFILE',
  'CERT_HAS_EXPIRED',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'ERR_TLS_CERT_ALTNAME_INVALID',
];
const byPhase = ['EHOSTUNREACH', 'ENETUNREACH', 'ENETDOWN', 'EHOSTDOWN', 'ETIMEDOUT', 'ECONNRESET', 'EPERM', 'EACCES'];
const maybeSent = [
  'EPIPE',
  'ECONNABORTED',
  'UND_ERR_SOCKET',
  'UND_ERR_HEADERS_TIMEOUT',
  'UND_ERR_BODY_TIMEOUT',
  'UND_ERR_ABORTED',
  'UND_ERR_DESTROYED',
  'EPROTO',
  'NEVER_HEARD_OF',
];

describe('a code', () => {
  it.each(notSent)('%s never counts as a request that arrived', (code) => {
    expect(classifyThrown(new TypeError('fetch failed', { cause: failing(code) })).kind).toBe('not_sent');
  });

  it.each(maybeSent)('%s never counts as a request that did not arrive', (code) => {
    expect(classifyThrown(new TypeError('fetch failed', { cause: failing(code) })).kind).toBe('unknown');
  });

  it.each(byPhase)('%s is classified by its phase', (code) => {
    const kindDuring = (syscall: string) => classifyThrown(failing(code, { syscall })).kind;
    expect([kindDuring('connect'), kindDuring('read'), kindDuring('write')]).toEqual([
      'not_sent',
      'unknown',
      'unknown',
    ]);
    const every = new AggregateError([failing(code, { syscall: 'connect' }), failing(code, { syscall: 'connect' })]);
    expect(classifyThrown(Object.assign(every, { code })).kind).toBe('not_sent');
  });

  it.each([...notSent, ...byPhase, ...maybeSent])('%s is a named fault of the query client', (code) => {
    expect(['unreachable', 'reset', 'timeout']).toContain(networkFault(failing(code), false).kind);
  });
});
