/** Node's settings for proxies and private certificate authorities apply to the query client. */
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { readConfig } from '../../../src/bot/config.ts';
import { createTestQuery } from '../../support/bot/query.ts';
import { programFlags } from '../../support/programs/node-flags.ts';
import { data, startHostileHttp } from '../../support/service/hostile-http.ts';

const good = data({ getOrganization: { organizationId: 'o', displayName: 'Acme' } });
const key = 'key-of-a-workspace';
const fixture = (name: string) => fileURLToPath(new URL(`../../fixtures/tls/${name}`, import.meta.url));
const tls = (certificate: string) => ({
  key: readFileSync(fixture('key.pem')),
  cert: readFileSync(fixture(certificate)),
});

/** A forward proxy that resolves one name to the server at `target`. */
async function startProxy(target: string) {
  const tunnels: string[] = [];
  const proxy = createServer();
  proxy.on('connect', (request, socket) => {
    tunnels.push(request.url ?? '');
    const { port, hostname } = new URL(target);
    const upstream = connect(Number(port), hostname, () => socket.write('HTTP/1.1 200 Connected\r\n\r\n'));
    upstream.pipe(socket).pipe(upstream);
    for (const end of [upstream, socket]) end.on('error', () => upstream.destroy());
  });
  proxy.listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  const url = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
  return { url, tunnels, [Symbol.asyncDispose]: async () => void proxy.close() };
}

/** Read like in the entry point. */
function proxyOf(environment: Readonly<Record<string, string>>) {
  const result = readConfig(environment);
  if (!result.isValid) throw new Error(result.problems.join());
  return result.config.proxy;
}

test('a service is reached through the proxy of the environment, and only the proxy resolves its name', async () => {
  await using server = await startHostileHttp(good);
  await using proxy = await startProxy(server.url);
  const endpoint = 'http://query-service.test/graphql';
  await using query = createTestQuery(endpoint, key, { proxy: proxyOf({ HTTP_PROXY: proxy.url }) });
  expect((await query.ask().organization()).data.displayName).toBe('Acme');
  expect(proxy.tunnels).toEqual(['query-service.test:80']);
});

test.each([
  ['a service on this machine', {}],
  ['every host, if the environment says so', { NO_PROXY: '*' }],
])('%s is reached without the proxy', async (_what, environment) => {
  await using server = await startHostileHttp(good);
  await using proxy = await startProxy(server.url);
  const settings = proxyOf({ HTTP_PROXY: proxy.url, ...environment });
  await using query = createTestQuery(server.url, key, { proxy: settings });
  expect((await query.ask().organization()).data.displayName).toBe('Acme');
  expect(proxy.tunnels).toEqual([]);
});

test('a proxy that is down makes the service unreachable', async () => {
  const endpoint = 'http://query-service.test/graphql';
  await using query = createTestQuery(endpoint, key, { proxy: { httpProxy: 'http://127.0.0.1:1' } });
  await expect(query.ask().organization()).rejects.toMatchObject({ code: 'unavailable' });
});

async function askInAnotherProcess(endpoint: string, environment: Readonly<Record<string, string>>): Promise<string> {
  const script = fileURLToPath(new URL('../../support/programs/ask-once.ts', import.meta.url));
  const { stdout } = await promisify(execFile)(process.execPath, [...programFlags, script, endpoint], {
    env: environment,
  });
  return stdout;
}

test('a certificate of a private authority is accepted only if Node is configured with it (upstream/tls-self-signed)', async () => {
  await using server = await startHostileHttp(good, tls('certificate.pem'));
  const trusting = { NODE_EXTRA_CA_CERTS: fixture('certificate.pem') };
  expect(await askInAnotherProcess(server.url, trusting)).toBe('Acme');
  expect(await askInAnotherProcess(server.url, {})).toBe('unavailable');
  expect(server.requests).toHaveLength(1);
});

test('an expired certificate is refused without a retry, even from a trusted authority (upstream/tls-expired)', async () => {
  await using server = await startHostileHttp(good, tls('expired.pem'));
  expect(await askInAnotherProcess(server.url, { NODE_EXTRA_CA_CERTS: fixture('expired.pem') })).toBe('unavailable');
  expect(server.requests).toHaveLength(0);
  expect(server.connections()).toBe(1);
});
