/** Keys: every reason to refuse one looks the same from outside. */
import { request } from 'node:http';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createKeys, generateKey } from '../../../src/query-service/keys/keys.ts';
import { openRecords } from '../../../src/query-service/records/open.ts';
import { keyChecksum, parseKeyText } from '../../../src/shared/key-shape.ts';
import { startTestService, type TestService } from '../../support/service/service.ts';
import { harbor, ledger } from '../../support/service/service-records.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.close());

const query = '{ getOrganization { displayName } }';
const { organizationId } = harbor.organization;

/** The whole reply to a refused request, except the date. */
async function answerTo(authorization: Readonly<Record<string, string>>) {
  const response = await fetch(service.url, {
    method: 'POST',
    body: JSON.stringify({ query }),
    headers: { 'content-type': 'application/json', 'x-request-id': 'test', ...authorization },
  });
  const headers = Object.fromEntries([...response.headers].filter(([name]) => name !== 'date'));
  return { status: response.status, headers, text: await response.text() };
}

async function restrictedKey(change: object): Promise<string> {
  const organization = { ...harbor.organization, organizationId: `org_${JSON.stringify(change)}` };
  await service.writer.putOrganization(organization);
  const key = await service.createKey({ organizationId: organization.organizationId, name: 'x' });
  expect((await service.ask(query, null, key)).status).toBe(200);
  await service.writer.putOrganization({ ...organization, ...change });
  return key;
}

async function revokedKey(): Promise<string> {
  const { id, text } = await service.keys.create({ organizationId, name: 'x' });
  await service.keys.revoke(organizationId, id);
  return text;
}

const swapped = (key: string) => `${key.slice(0, 30)}${key[30] === 'a' ? 'b' : 'a'}${key.slice(31)}`;

const causes: Readonly<
  Record<string, () => Readonly<Record<string, string>> | Promise<Readonly<Record<string, string>>>>
> = {
  missing: () => ({}),
  empty: () => ({ authorization: '' }),
  'the scheme alone': () => ({ authorization: 'Apikey' }),
  'a wrong scheme': () => ({ authorization: `Bearer ${service.apiKeys.harbor}` }),
  'no scheme': () => ({ authorization: service.apiKeys.harbor }),
  'two tokens': () => ({ authorization: `Apikey ${service.apiKeys.harbor} ${service.apiKeys.harbor}` }),
  malformed: () => ({ authorization: 'Apikey secret' }),
  unknown: () => ({ authorization: `Apikey ${generateKey().text}` }),
  mistyped: () => ({ authorization: `Apikey ${swapped(service.apiKeys.harbor)}` }),
  'with the secret of another': () => {
    const { id = '' } = parseKeyText(service.apiKeys.harbor) ?? {};
    const { secret = '' } = parseKeyText(service.apiKeys.ledger) ?? {};
    return { authorization: `Apikey wfq_${id}_${secret}${keyChecksum(id, secret)}` };
  },
  expired: async () => ({
    authorization: `Apikey ${await service.createKey({ organizationId, name: 'x', expiresAt: service.now })}`,
  }),
  revoked: async () => ({ authorization: `Apikey ${await revokedKey()}` }),
  'of a gated organization': async () => ({
    authorization: `Apikey ${await restrictedKey({ restrictionStatus: 'GATED' })}`,
  }),
  'of a deleted organization': async () => ({
    authorization: `Apikey ${await restrictedKey({ activeStatus: 'DELETED' })}`,
  }),
  'of an organization that is not there': async () => ({
    authorization: `Apikey ${await service.createKey({ organizationId: 'org_nowhere', name: 'x' })}`,
  }),
};

test.each(Object.entries(causes))('a key that is %s is refused like every other', async (_, headers) => {
  const refused = await answerTo(await headers());
  const errors = [
    {
      message: 'A valid key is needed: Authorization: Apikey <API_KEY>.',
      extensions: { code: 'UNAUTHENTICATED' },
    },
  ];
  expect({ status: refused.status, body: JSON.parse(refused.text) }).toEqual({ status: 401, body: { errors } });
  expect(refused).toEqual(await answerTo({}));
});

test('two headers are refused, even when both are right', async () => {
  const { promise, resolve, reject } = Promise.withResolvers<number | undefined>();
  const key = `Apikey ${service.apiKeys.harbor}`;
  const sent = request(service.url, { method: 'POST' }, (response) => resolve(response.statusCode));
  sent.setHeader('content-type', 'application/json').setHeader('authorization', [key, key]);
  sent.once('error', reject).end(JSON.stringify({ query }));
  expect(await promise).toBe(401);
  sent.destroy();
});

test('the name of the scheme is case-insensitive', async () => {
  const { status } = await answerTo({ authorization: `aPIKEY   ${service.apiKeys.harbor}` });
  expect(status).toBe(200);
});

test('a key works until the moment it expires', async () => {
  const clock = { now: service.now };
  const moving = await startTestService({ clock: () => clock.now });
  const key = await moving.createKey({ organizationId, name: 'x', expiresAt: clock.now + 1 });
  expect((await moving.ask(query, null, key)).status).toBe(200);
  clock.now += 1;
  expect((await moving.ask(query, null, key)).status).toBe(401);
  await moving.close();
});

test('an organization cannot revoke the key of another', async () => {
  const { id, text } = await service.keys.create({ organizationId, name: 'x' });
  await service.keys.revoke(ledger.organization.organizationId, id);
  expect((await service.ask(query, null, text)).status).toBe(200);
});

test('a key is recognizable, and every mistyped character is detected', () => {
  const { text, id, secret } = generateKey();
  expect(text).toMatch(/^wfq_[0-9a-z]{13}_[0-9a-z]{57}$/);
  expect(parseKeyText(text)).toEqual({ id, secret });
  for (let index = 0; index < text.length; index += 1) {
    const other = text[index] === 'x' ? 'y' : 'x';
    expect(parseKeyText(text.slice(0, index) + other + text.slice(index + 1))).toBeNull();
  }
});

test('the database has no secret of a key, and another database hashes it differently', async () => {
  const hashes: string[] = [];
  for (const url of ['sqlite::memory:', 'sqlite::memory:']) {
    const store = await openRecords(url);
    const keys = await createKeys({ keys: store.keys, clock: () => 0 });
    await store.writer.putOrganization(harbor.organization);
    const { id, text } = await keys.create({ organizationId, name: 'x' });
    const row = await store.keys.key(id);
    expect(JSON.stringify(row)).not.toContain(parseKeyText(text)?.secret);
    hashes.push(row?.hash ?? '');
    await store.close();
  }
  expect(new Set(hashes).size).toBe(2);
});
