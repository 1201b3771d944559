/** Graceful shutdown: in-flight requests finish, new ones are refused, then everything closes. */
import { Agent, request } from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { startControl } from '../../support/runner/control.ts';
import { startTestService, type TestService } from '../../support/service/service.ts';

const body = JSON.stringify({ query: '{ getOrganization { displayName } }' });

/** A request whose body is sent when `finish` is called, once the service has its head. */
async function startRequest(service: TestService) {
  const answered = Promise.withResolvers<readonly [status: number | undefined, connection: string | undefined]>();
  const headers = {
    authorization: `Apikey ${service.apiKeys.harbor}`,
    'content-type': 'application/json',
    'content-length': body.length,
    expect: '100-continue',
  };
  const started = request(service.url, { method: 'POST', headers, agent: new Agent({ keepAlive: true }) });
  started
    .once('response', ({ statusCode, headers }) => answered.resolve([statusCode, headers.connection]))
    .once('error', answered.reject);
  started.flushHeaders();
  await new Promise((resolve) => started.once('continue', resolve));
  return { answered: answered.promise, finish: () => started.end(body) };
}

test('running requests are answered, new ones get 503 with Retry-After, then the port is free', async () => {
  const service = await startTestService();
  const underWay = await startRequest(service);
  const closed = service.close();
  const refused = await service.post(body);
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '2']);
  expect((await fetch(new URL('/healthz', service.url))).status).toBe(503);
  // Nothing new is asked by then, and this alone is waited for.
  await wait(500);
  underWay.finish();
  expect(await underWay.answered).toEqual([200, 'close']);
  await closed;
  await expect(fetch(service.url)).rejects.toThrow();
});

test('idle connections do not delay the shutdown', async () => {
  const service = await startTestService();
  await service.post(body);
  const limit = startControl(10_000);
  await service.close();
  expect(limit.isOver()).toBe(false);
});

test('a client that keeps sending during shutdown gets 503, and no connection is reset', async () => {
  const service = await startTestService();
  const askOn = async () => {
    for (let requests = 1; ; requests += 1) {
      const { status } = await service.post(body);
      if (requests === 10) started.resolve();
      if (status !== 200) return status;
    }
  };
  const started = Promise.withResolvers<void>();
  const clients = Array.from({ length: 20 }, askOn);
  await started.promise;
  const closed = service.close();
  expect(await Promise.all(clients)).toEqual(Array(20).fill(503));
  await closed;
});
