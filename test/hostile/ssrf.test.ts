/** The hostile cases of the section `ssrf`: the addresses to which a workspace may send its key, over real sockets. */
import { createServer, type LookupFunction } from 'node:net';
import { expect, test } from 'vitest';
import { canaryKey, createTestQuery } from '../support/bot/query.ts';
import { walk } from '../support/bot/walk.ts';
import { type HostileCase, hostileCases } from '../support/hostile/hostile.ts';
import { answer, data, startHostileHttp } from '../support/service/hostile-http.ts';

/** The origins in the operator's list. */
const listed = 'https://api.example.com';

type Resolved = readonly (readonly string[])[];

/** Resolves names as the case says: one answer for each look-up, then the last one. */
function resolving(answers: Resolved): { readonly lookup: LookupFunction; readonly asked: () => number } {
  let asked = 0;
  const lookup: LookupFunction = (_name, options, callback) => {
    const found = answers[Math.min(asked, answers.length - 1)] ?? [];
    asked += 1;
    const addresses = found.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));
    const [first] = addresses;
    if (options.all) callback(null, addresses);
    else callback(null, first?.address ?? '', first?.family);
  };
  return { lookup, asked: () => asked };
}

async function listen() {
  let bytes = 0;
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.on('data', (chunk) => {
      bytes += chunk.length;
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The server has no port.');
  return { port: address.port, bytes: () => bytes, [Symbol.asyncDispose]: async () => void server.close() };
}

function urlOf({ given }: HostileCase): string {
  const { base_url: url } = given as { readonly base_url?: unknown };
  if (typeof url !== 'string') throw new Error('The case names no address.');
  return url;
}

/** Refused before a DNS look-up, although every name resolves to a listening server. */
async function refused(one: HostileCase): Promise<void> {
  const names = resolving([['93.184.216.34']]);
  await using query = createTestQuery(`${listed}/graphql`, canaryKey, { origins: [listed], lookup: names.lookup });
  expect(() => query.ask({ endpoint: urlOf(one) })).toThrowError(expect.objectContaining({ code: 'forbidden' }));
  expect(names.asked()).toBe(0);
}

async function accepted(one: HostileCase, origin = listed): Promise<void> {
  await using query = createTestQuery(listed, canaryKey, { origins: [origin] });
  expect(() => query.ask({ endpoint: urlOf(one) })).not.toThrow();
}

/** The operator listed this name, and it resolves to our server: it receives no byte. */
async function leadsInside(one: HostileCase, answers: Resolved): Promise<void> {
  await using target = await listen();
  const { hostname } = new URL(urlOf(one));
  const endpoint = `https://${hostname}:${target.port}/`;
  const names = resolving(answers);
  await using query = createTestQuery(endpoint, canaryKey, { origins: [endpoint], lookup: names.lookup });
  await expect(query.ask().organization()).rejects.toMatchObject({ code: 'unavailable' });
  expect(names.asked()).toBeGreaterThan(0);
  expect(target.bytes()).toBe(0);
}

const byName: Readonly<Record<string, Resolved>> = {
  'dns-private': [['127.0.0.1']],
  'dns-mixed': [['93.184.216.34', '127.0.0.1']],
  'dns-rebind': [['240.0.0.1'], ['127.0.0.1']],
  'cname-private': [['127.0.0.1']],
};

const special: Readonly<Record<string, (one: HostileCase) => unknown>> = {
  good: (one) => accepted(one),
  'good-slash': (one) => accepted(one),
  'good-port': async (one) => {
    await accepted(one, 'https://api.example.com:8443');
    await refused(one);
  },
  redirect: async () => {
    await using other = await startHostileHttp(data({}));
    await using server = await startHostileHttp(answer(302, '', { location: other.url }));
    await using query = createTestQuery(server.url, canaryKey);
    await expect(query.ask().organization()).rejects.toMatchObject({ code: 'unavailable' });
    expect(other.requests).toHaveLength(0);
  },
  'alt-svc': async () => {
    await using other = await startHostileHttp(data({}));
    const good = JSON.stringify({ data: { getOrganization: { organizationId: 'o', displayName: 'Acme' } } });
    const elsewhere = { 'alt-svc': `h2="${new URL(other.url).host}"`, 'content-type': 'application/json' };
    await using server = await startHostileHttp(answer(200, good, elsewhere));
    await using query = createTestQuery(server.url, canaryKey);
    for (let turn = 0; turn < 3; turn += 1) await query.ask({ isFresh: true }).organization();
    expect(server.requests).toHaveLength(3);
    expect(other.requests).toHaveLength(0);
  },
};

const names = hostileCases('ssrf').map(({ id }) => id.split('/')[1] ?? id);
const elsewhere = {
  'error-oracle': 'test/bot/query/faults.test.ts',
  'key-exfil': 'test/bot/commands/words/connect/hostile.test.ts',
};
const runs = names
  .filter((name) => !(name in elsewhere))
  .map((name): readonly [string, (one: HostileCase) => unknown] => {
    const answers = byName[name];
    return [name, special[name] ?? (answers ? (one) => leadsInside(one, answers) : refused)];
  });

walk({ section: 'ssrf', runs: Object.fromEntries(runs), elsewhere });

test('an origin marked as private is used, whatever address its name has', async () => {
  await using target = await listen();
  const endpoint = `https://corp.example.com:${target.port}/`;
  const { lookup } = resolving([['127.0.0.1']]);
  await using query = createTestQuery(endpoint, canaryKey, {
    origins: [`private:${endpoint}`],
    lookup,
    deadlineMs: 300,
  });
  await expect(query.ask().organization()).rejects.toMatchObject({ code: 'unavailable' });
  expect(target.bytes()).toBeGreaterThan(0);
});
