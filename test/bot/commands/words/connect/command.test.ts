/** `connect` in the local Slack, against the real service, with the real store. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { endpointId } from '../../../../../src/bot/commands/words/connect/view.ts';
import { parseMetadata } from '../../../../../src/bot/views/blocks/modal.ts';
import { personId } from '../../../../../src/local-slack/state/seed.ts';
import { everybodyIs } from '../../../../support/bot/authorise.ts';
import { secret } from '../../../../support/runner/canaries.ts';
import { answer, data, startHostileHttp } from '../../../../support/service/hostile-http.ts';
import { startTestService, type TestService } from '../../../../support/service/service.ts';
import { harbor, ledger } from '../../../../support/service/service-records.ts';
import { connectingBot, optionsIn } from '../../../../support/slack/connecting.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.close());

const organization = {
  organizationId: 'org_x',
  displayName: 'Meridian Labs',
  restrictionStatus: 'FULL_ACCESS',
  activeStatus: 'ACTIVE',
};
const json = { 'content-type': 'application/json' };
const swapped = (key: string) => `${key.slice(0, 30)}${key[30] === 'a' ? 'b' : 'a'}${key.slice(31)}`;

describe('a valid key', () => {
  test('is stored, and the form shows its organization, its access and the next command', async () => {
    const { open, submit, store, teamId, audited } = await connectingBot([service.url]);
    const said = await submit(await open(), { key: service.apiKeys.harbor });
    expect(said).toMatch(/Connected to .*Harbor.*, .*3 workflows.*full access.*\/workflow list/s);
    const { apiKey, endpoint } = (await store.credentials.openApiKey(teamId)) ?? {};
    expect([apiKey, endpoint]).toEqual([service.apiKeys.harbor, service.url]);
    expect(await audited()).toContain('key set');
  });

  test('is used by the next command, and a key that replaces it at once', async () => {
    const { open, submit, type } = await connectingBot([service.url]);
    expect(await type('account')).toContain('not connected to an organization');
    await submit(await open(), { key: service.apiKeys.harbor });
    expect(await type('account')).toContain(harbor.organization.displayName);
    await submit(await open(), { key: service.apiKeys.ledger, move: ['move'] });
    expect(await type('account')).toContain(ledger.organization.displayName);
  });

  test('may include the header’s name and surrounding spaces', async () => {
    const { open, submit, store, teamId } = await connectingBot([service.url]);
    await submit(await open(), { key: `  Authorization: Apikey ${service.apiKeys.harbor} ` });
    expect((await store.credentials.openApiKey(teamId))?.apiKey).toBe(service.apiKeys.harbor);
  });

  test('is shown afterwards only by its hint', async () => {
    const { open, submit, shown } = await connectingBot([service.url]);
    await submit(await open(), { key: service.apiKeys.harbor });
    await open();
    expect(shown()).toContain(service.apiKeys.harbor.slice(-4));
    expect(shown()).not.toContain(service.apiKeys.harbor.slice(10, 60));
    expect(shown()).toContain(personId('ada'));
  });
});

test('a key that is too short for a hint has no empty hint in the audit', async () => {
  await using other = await startHostileHttp(data({ getOrganization: organization }));
  const { open, submit, store, teamId } = await connectingBot([other.url]);
  await submit(await open(), { key: 'a-short-key' });
  const [set] = (await store.audit.page(teamId, 50)).filter(({ action }) => action === 'key set');
  expect(set?.detail).toEqual({ endpoint: other.url, organization: 'Meridian Labs', ref: expect.any(String) });
});

describe('a refused key', () => {
  const expired = async () =>
    service.createKey({ organizationId: harbor.organization.organizationId, name: 'x', expiresAt: 1 });
  test.each<[string, () => string | Promise<string>, RegExp]>([
    [
      'with a typing error',
      () => swapped(service.apiKeys.harbor),
      /refused this key, and it looks incomplete: copy all of it again/,
    ],
    [
      'with a past expiry',
      expired,
      /refused this key and did not say why: .*expired or revoked, or its organization may be restricted/,
    ],
    ['of another kind', () => 'a-key-of-something-else', /and did not say why: it may be unknown/],
    ['of several words', () => 'two words', /one word, without spaces/],
    ['of spaces', () => '   ', /Enter an API key/],
  ])('%s: the form shows the reason beside it, and nothing is stored', async (_what, key, words) => {
    const { open, submit, store, teamId } = await connectingBot([service.url]);
    const view = await open();
    expect(await submit(view, { key: await key() })).toMatch(words);
    expect(await store.credentials.find(teamId)).toBeUndefined();
    expect(await submit(view, { key: service.apiKeys.harbor })).toContain('Connected');
  });

  test.each([
    [
      'of which the service says that it has expired',
      answer(401, { errors: [{ message: 'API key expired' }] }, json),
      /says that this key has expired/,
    ],
    [
      'of a restricted organization',
      data({ getOrganization: { ...organization, restrictionStatus: 'GATED' } }),
      /Meridian Labs is restricted \(gated\), so its key gives no data/,
    ],
    [
      'of a deleted organization',
      data({ getOrganization: { ...organization, activeStatus: 'DELETED' } }),
      /Meridian Labs is deleted/,
    ],
    ['of no organization', data({ getOrganization: null }), /its answer cannot be read/],
    [
      'at a server that is no query service',
      answer(200, '<html>', { 'content-type': 'text/html' }),
      /its answer cannot be read/,
    ],
    ['at a busy service', answer(429, '', { 'retry-after': '60' }), /busy. Try again in 60 s/],
    ['at a service that fails', answer(503), /answered with an error of its own/],
  ])('%s: the form shows the reason, and nothing is stored', async (_what, behaviour, words) => {
    await using server = await startHostileHttp(behaviour);
    const { open, submit, store, teamId } = await connectingBot([server.url], {
      query: { wait: async () => undefined },
    });
    expect(await submit(await open(), { key: 'a-key-of-something-else' })).toMatch(words);
    expect(await store.credentials.find(teamId)).toBeUndefined();
  });

  test('a closed port and an unknown host name have the same text', async () => {
    const key = { key: 'a-key-of-something-else' };
    const endpoints = ['http://127.0.0.1:9/graphql', 'http://no-such-name.invalid/graphql'] as const;
    const said = await Promise.all(
      endpoints.map(async (endpoint) => {
        const { open, submit } = await connectingBot([endpoint]);
        return submit(await open(), key);
      }),
    );
    expect(said[0]).toContain('it cannot be reached. So this key could not be tested.');
    expect(said[1]).toBe(said[0]);
  });
});

describe('several endpoints', () => {
  test('show the error at the unreachable service; the key may work with another', async () => {
    const dead = 'http://127.0.0.1:9/graphql';
    const { open, submit } = await connectingBot([service.url, dead]);
    const view = await open();
    const said = await submit(view, { endpoint: endpointId(dead), key: service.apiKeys.harbor });
    expect(JSON.parse(said)).toEqual({ endpoint: expect.stringMatching(/cannot be reached.*Nothing was stored/) });
    const other = { endpoint: endpointId(service.url), key: service.apiKeys.harbor };
    expect(await submit(view, other)).toContain('Connected');
  });

  test('are offered, and the key is sent only to the chosen one', async () => {
    await using other = await startHostileHttp(data({ getOrganization: organization }));
    const { open, submit, store, teamId } = await connectingBot([other.url, service.url]);
    const view = await open();
    const [, chosen] = optionsIn(view, 'endpoint');
    expect(await submit(view, { endpoint: chosen ?? '', key: service.apiKeys.harbor })).toContain('Connected');
    expect((await store.credentials.find(teamId))?.endpoint).toBe(service.url);
    expect(other.requests).toHaveLength(0);
  });

  test('are the only possible choices, whatever is submitted', async () => {
    await using other = await startHostileHttp(data({ getOrganization: organization }));
    const { commands, teamId } = await connectingBot([service.url, 'http://127.0.0.1:9/graphql']);
    const values = { endpoint: other.url, key: service.apiKeys.harbor };
    await commands.submit({ command: 'connect', actor: { teamId, userId: 'U1' }, values });
    expect(other.requests).toHaveLength(0);
  });
});

describe('a form whose query service was removed from the list', () => {
  const left = 'https://left.example/graphql';
  const other = () => startHostileHttp(data({ getOrganization: organization }));
  const key = secret('a-key-of-the-service-that-left-0123456789');

  test('the only one: the key is sent nowhere, and the form opens again with the reason', async () => {
    await using listed = await other();
    const before = await connectingBot([left]);
    const carried = (await before.open()).privateMetadata;
    const { commands, teamId, audited, log } = await connectingBot([listed.url]);
    const values = { ...parseMetadata(carried).carries, key };
    const said = await commands.submit({ command: 'connect', actor: { teamId, userId: 'U1' }, values });
    expect(said).toMatchObject({ kind: 'view', view: { carries: { endpoint: endpointId(listed.url) } } });
    expect(JSON.stringify(said)).toContain('Your key was neither sent nor stored.');
    expect(listed.requests).toHaveLength(0);
    expect([await audited(), await commands.store.credentials.find(teamId)]).toEqual([[], undefined]);
    expect(JSON.stringify(said) + log.text() + commands.logged()).not.toContain(key);
  });

  test.each([[left], ['0'], ['__proto__'], [''], [undefined]])(
    'one of several, %j: no other one is preselected',
    async (gone) => {
      await using listed = await other();
      const { commands, teamId } = await connectingBot([listed.url, service.url]);
      const endpoint = gone === left ? endpointId(left) : gone;
      const values = { key, ...(endpoint !== undefined && { endpoint }) };
      const said = await commands.submit({ command: 'connect', actor: { teamId, userId: 'U1' }, values });
      expect(JSON.stringify(said)).toContain('no longer on the bot’s list');
      expect(JSON.stringify(said)).not.toContain('initial_option');
      expect(listed.requests).toHaveLength(0);
    },
  );

  test('opens again in Slack with an empty input for the key, and works', async () => {
    const { open, submit, slack, store, teamId } = await connectingBot([service.url]);
    const view = await open();
    slack.tamper((payload) => JSON.parse(JSON.stringify(payload).replace(endpointId(service.url), endpointId(left))));
    expect(await submit(view, { key })).toContain('neither sent nor stored');
    slack.tamper((payload) => payload);
    const [again] = slack.modals(personId('ada'));
    expect(JSON.stringify(again?.blocks)).not.toContain(key);
    if (again) expect(await submit(again, { key: service.apiKeys.harbor })).toContain('Connected');
    expect((await store.credentials.find(teamId))?.endpoint).toBe(service.url);
  });
});

describe('another organization', () => {
  test('needs consent: the form names both organizations, and its box has to be ticked', async () => {
    const { open, submit, store, teamId } = await connectingBot([service.url]);
    await submit(await open(), { key: service.apiKeys.harbor });
    const view = await open();
    const [from, to] = [harbor, ledger].map((each) => each.organization.displayName);
    const said = await submit(view, { key: service.apiKeys.ledger });
    expect(said).toContain(`This key belongs to ${to}, and this workspace is connected to ${from}.`);
    expect((await store.credentials.find(teamId))?.organizationName).toBe(from);
    expect(await submit(view, { key: service.apiKeys.ledger, move: ['move'] })).toMatch(
      /Connected to .*Until now, this workspace/s,
    );
    expect((await store.credentials.find(teamId))?.organizationName).toBe(to);
  });

  test('is not assumed for a new key of the same one, which needs no box', async () => {
    const { open, submit, store, teamId, audited } = await connectingBot([service.url]);
    await submit(await open(), { key: service.apiKeys.harbor });
    const next = await service.createKey({ ...harbor.account, name: 'the next' });
    expect(await submit(await open(), { key: next })).toContain('Connected');
    expect((await store.credentials.openApiKey(teamId))?.apiKey).toBe(next);
    expect(await audited()).toContain('key replaced');
  });
});

describe('a slow service', () => {
  async function slowly(behaviour = data({ getOrganization: organization })) {
    const released = Promise.withResolvers<void>();
    const server = await startHostileHttp(async (request, response) => {
      await released.promise;
      await behaviour(request, response);
    });
    const bot = await connectingBot([server.url], { bot: { timing: { acknowledgeWithinMs: 20 } } });
    const view = await bot.open();
    const said = await bot.submit(view, { key: 'a-key-of-something-else' });
    return { ...bot, view, said, server, released };
  }

  test('gets time while the form says “Checking…”, and then the form says “Connected”', async () => {
    const { slack, view, said, released, server } = await slowly();
    expect(said).toContain('Checking…');
    const changed = slack.nextView({ id: view.id });
    released.resolve();
    expect(JSON.stringify(await changed)).toContain('Connected');
    await server[Symbol.asyncDispose]();
  });

  test('that refuses the key leaves the form open with the reason and all input except the key', async () => {
    const { slack, view, released, server, shown, submit } = await slowly(answer(401));
    const changed = slack.nextView({ id: view.id });
    released.resolve();
    const again = await changed;
    expect(shown()).toMatch(/refused this key.*Query service/s);
    expect(await submit(again, {})).toContain('required');
    expect(JSON.stringify(slack.requests)).not.toContain('a-key-of-something-else');
    await server[Symbol.asyncDispose]();
  });
});

test('without a keyring the bot asks for no key, and the answer names the command that makes one', async () => {
  const { type, slack } = await connectingBot([service.url], { hasKeyring: false });
  expect(await type('connect')).toContain('npm run store:make-key');
  expect(slack.modals(personId('ada'))).toEqual([]);
});

test('a member who is no admin gets no form, and a key that they submit is not stored', async () => {
  const { commands, store, teamId } = await connectingBot([service.url], { people: everybodyIs('member') });
  const actor = { teamId, userId: 'UMEMBER' };
  const values = { key: service.apiKeys.harbor };
  expect(JSON.stringify(await commands.submit({ command: 'connect', actor, values }))).toContain('Only bot admins');
  expect(await store.credentials.find(teamId)).toBeUndefined();
});
