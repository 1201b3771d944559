/** Host names under which metrics and readiness answer: a web page can point its own name at any address. Those of the bot’s own pages are in test/bin/start.test.ts. */
import { once } from 'node:events';
import { request as httpRequest } from 'node:http';
import fc from 'fast-check';
import { describe, expect, it, onTestFinished } from 'vitest';
import { startOperatedService } from '../../../src/query-service/compose.ts';
import { readServiceConfig } from '../../../src/query-service/config.ts';
import { monitoringRoutes } from '../../../src/shared/http/operations.ts';
import { createHttpServer } from '../../../src/shared/http/server.ts';
import { createMemoryLog } from '../../support/runner/memory-log.ts';

/** @returns the status and the body of a request under this name */
async function ask(port: number, path: string, host: string) {
  const request = httpRequest({ host: '127.0.0.1', port, path, headers: { host } }).end();
  const [response] = await once(request, 'response');
  const text = (await response.setEncoding('utf8').toArray()).join('');
  return { status: response.statusCode, text };
}

async function serve(hostNames: readonly string[]) {
  const metrics = { text: async () => 'numbers', contentType: 'text/plain' };
  const onError = (error: unknown) => expect.unreachable(String(error));
  const routes = monitoringRoutes({ problems: async () => [], metrics, hostNames });
  const server = createHttpServer({ host: '127.0.0.1', port: 0, routes, onError });
  await server.start();
  onTestFinished(server.stop);
  return Number(new URL(server.origin()).port);
}

const answered = [
  ...['localhost', 'LOCALHOST:9', 'bot.localhost', '127.0.0.1', '127.0.0.1:8080', '10.1.2.3', '[::1]:80', '[fd00::1]'],
  ...['bot', 'bot:8080', 'workflow-bot_1', 'bot.monitoring.svc', 'bot.monitoring.svc.cluster.local:8080', 'localhost.'],
  ...['bot.example.com', 'Bot.Example.com:443', 'bot.example.com.'],
];
/** Names that public DNS can have. */
const ownable = fc.domain().filter((name) => !/\.(localhost|local|internal|lan|arpa|svc)$/.test(name));
const refused = [
  ...[
    'evil.example',
    'evil.example:8080',
    '127.0.0.1.evil.example',
    'localhost.evil.example',
    'bot.example.com.evil.io',
  ],
  ...[
    'xbot.example.com',
    'example.com',
    '127.0.0.1@evil.example',
    'localhost/@evil.example',
    'bot.example.com#',
    '[::1',
  ],
];

describe('metrics and readiness', () => {
  it.each(answered)('answer under %s', async (host) => {
    const port = await serve(['bot.example.com']);
    expect((await ask(port, '/metrics', host)).text).toBe('numbers');
    expect((await ask(port, '/readyz', host)).text).toBe('ready\n');
  });

  it.each(refused)('are refused under %s, while health answers', async (host) => {
    const port = await serve(['bot.example.com']);
    for (const path of ['/metrics', '/readyz', '/metrics?x']) {
      expect(await ask(port, path, host)).toEqual({ status: 421, text: expect.stringContaining('METRICS_HOSTS') });
    }
    expect(await ask(port, '/healthz', host)).toEqual({ status: 200, text: 'ok\n' });
  });

  it('are refused under every name that a person can own', async () => {
    const port = await serve(['bot.example.com']);
    await fc.assert(
      fc.asyncProperty(ownable, async (host) => {
        expect([host, (await ask(port, '/metrics', host)).status]).toEqual([host, 421]);
      }),
    );
  });
});

it('the service’s metrics answer only under the names of METRICS_HOSTS', async () => {
  const environment = { METRICS_HOSTS: 'metrics.example.com', SERVICE_METRICS_PORT: '0' };
  const read = readServiceConfig(['--port', '0', '--database', 'sqlite::memory:'], environment);
  if (!read.isValid) return expect.unreachable(read.problems.join());
  const log = createMemoryLog();
  const service = await startOperatedService(read.config, log.log);
  onTestFinished(service.close);
  const [, port] = /"origin":"http:[^"]*:(\d+)".*metrics are listening/.exec(log.text()) ?? [];
  const statusUnder = async (host: string) => (await ask(Number(port), '/metrics', host)).status;
  const names = ['metrics.example.com', 'service:4001', 'evil.example'];
  expect(await Promise.all(names.map(statusUnder))).toEqual([200, 200, 421]);
});
