/** Hostile cases of `connect`: forged forms, redirected keys, services that hang. No key leaks. */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { endpointId } from '../../../../../src/bot/commands/words/connect/view.ts';
import { startTestBot } from '../../../../support/bot/bot.ts';
import { startTestCommands } from '../../../../support/bot/commands.ts';
import { answer, data, relayTo, startHostileHttp } from '../../../../support/service/hostile-http.ts';
import { startTestService, type TestService } from '../../../../support/service/service.ts';
import { connectingBot } from '../../../../support/slack/connecting.ts';
import { fakeTeamId } from '../../../../support/slack/fake-slack.ts';
import { type CommandFields, submissionPayload } from '../../../../support/slack/slack-payloads.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.close());

const organization = {
  organizationId: 'o',
  displayName: 'Acme',
  restrictionStatus: 'FULL_ACCESS',
  activeStatus: 'ACTIVE',
};

/** A bot in a Slack that says whatever the test wants it to. */
async function forgeable() {
  const endpoints = [service.url] as const;
  const commands = await startTestCommands({ service: { url: service.url, apiKey: 'none' }, endpoints });
  const bot = await startTestBot({ answer: commands.dispatch, submit: commands.submit });
  onTestFinished(async () => {
    await bot[Symbol.asyncDispose]();
    await commands.close();
  });
  const send = async (fields: CommandFields) =>
    (await bot.slack.send('interactive', submissionPayload(fields))).payload;
  return { ...bot, ...commands, submit: send };
}

const filled = (key: string) => ({
  values: {
    endpoint: { value: { type: 'static_select', selected_option: { value: endpointId(service.url) } } },
    key: { value: { type: 'plain_text_input', value: key } },
  },
});
const connectView = { callback_id: 'cmd:connect', id: 'V1', hash: '1.a', state: {} };

test.each([
  ['another workspace’s id', { private_metadata: 'T0OTHER' }],
  ['an object that names another', { private_metadata: JSON.stringify({ teamId: 'T0OTHER', team_id: 'T0OTHER' }) }],
  ['another workspace in the view itself', { team_id: 'T0OTHER' }],
])('lifecycle/modal-forged-metadata: %s has no effect', async (_what, forged) => {
  const { submit, store } = await forgeable();
  await submit({ view: { ...connectView, state: filled(service.apiKeys.harbor), ...forged } });
  expect((await store.credentials.find(fakeTeamId))?.organizationName).toBe('Harbor');
  expect(await store.credentials.find('T0OTHER')).toBeUndefined();
});

test('lifecycle/modal-forged-metadata: a forged channel gets no message that others can read', async () => {
  const { slack, log } = await startTestBot({
    submit: async () => ({ kind: 'close', message: { text: 'Only for you.', blocks: [] } }),
  });
  await slack.send('interactive', submissionPayload({ view: { ...connectView, private_metadata: 'C0SECRET' } }));
  const call = await slack.until(() => slack.calls.find(({ method }) => method.startsWith('chat.')));
  expect(call).toMatchObject({ method: 'chat.postEphemeral', fields: { channel: 'C0SECRET', user: 'U0ANNA' } });
  expect(log.text()).not.toContain('Only for you.');
});

test.each([
  {},
  { values: {} },
  { values: { key: { value: { type: 'plain_text_input', value: '' } } } },
  { values: { key: { value: { type: 'plain_text_input', value: null } } } },
])('lifecycle/modal-key-empty: %j is refused beside the input', async (state) => {
  const { submit, store } = await forgeable();
  expect(await submit({ view: { ...connectView, state } })).toEqual({
    response_action: 'errors',
    errors: { key: 'Enter an API key.' },
  });
  expect(await store.credentials.find(fakeTeamId)).toBeUndefined();
});

test('lifecycle/modal-key-invalid: a well-formed key that the service refuses gets an error beside it, and is not stored', async () => {
  const { submit, store } = await forgeable();
  const key = await service.createKey({ organizationId: 'org_nowhere', name: 'x' });
  const said = await submit({ view: { ...connectView, state: filled(key) } });
  expect(said).toMatchObject({
    response_action: 'errors',
    errors: { key: expect.stringContaining('refused this key') },
  });
  expect(await store.credentials.find(fakeTeamId)).toBeUndefined();
});

test('lifecycle/modal-upstream-slow: Slack gets an answer in time, and the key is stored after the check', async () => {
  const released = Promise.withResolvers<void>();
  await using slow = await startHostileHttp(async (request, response) => {
    await released.promise;
    await data({ getOrganization: organization })(request, response);
  });
  const bot = await connectingBot([slow.url], { bot: { timing: { acknowledgeWithinMs: 20 } } });
  const view = await bot.open();
  expect(await bot.submit(view, { key: 'a-key-of-this-service' })).toContain('Checking…');
  expect(await bot.store.credentials.find(bot.teamId)).toBeUndefined();
  const changed = bot.slack.nextView({ id: view.id });
  released.resolve();
  expect(JSON.stringify(await changed)).toContain('Connected');
  expect((await bot.store.credentials.openApiKey(bot.teamId))?.apiKey).toBe('a-key-of-this-service');
});

test('lifecycle/modal-no-prefill: a reopened form shows the end of the key, its id and its day, never the key', async () => {
  const { open, submit, shown } = await connectingBot([service.url]);
  await submit(await open(), { key: service.apiKeys.harbor });
  const view = await open();
  const [, id = ''] = service.apiKeys.harbor.split('_');
  expect(shown()).toMatch(new RegExp(`wfq_${id}…${service.apiKeys.harbor.slice(-4)}.*entered by.*"type":"date"`, 's'));
  expect(JSON.stringify(view)).not.toContain('initial_value');
  expect(JSON.stringify(view)).not.toContain(service.apiKeys.harbor.slice(20, 60));
});

test('lifecycle/modal-double-submit: a form that is submitted twice at once stores one key once', async () => {
  const { submit, store } = await forgeable();
  const view = { ...connectView, state: filled(service.apiKeys.harbor) };
  const [one, two] = await Promise.all([submit({ view }), submit({ view })]);
  expect(one).toEqual(two);
  expect(one).toMatchObject({ response_action: 'update' });
  const actions = (await store.audit.page(fakeTeamId, 50)).map(({ action }) => action);
  expect(actions.filter((action) => action.startsWith('key'))).toEqual(['key set']);
});

test('ssrf/key-exfil: another allowed endpoint needs the key to be entered again, and never receives the stored one', async () => {
  await using other = await startHostileHttp(data({ getOrganization: organization }));
  const endpoints = [service.url, other.url] as const;
  const bot = await connectingBot(endpoints);
  await bot.submit(await bot.open(), { key: service.apiKeys.harbor });
  expect(await bot.submit(await bot.open(), { endpoint: endpointId(other.url) })).toContain('required');
  expect(await bot.type('list')).toContain('Workflows');
  expect(other.requests).toEqual([]);
});

test('ssrf/key-exfil: a connection with another endpoint, made by another process, sends the earlier key nowhere else', async () => {
  await using other = await startHostileHttp(data({ getOrganization: organization }));
  const bot = await connectingBot([service.url, other.url]);
  await bot.submit(await bot.open(), { key: service.apiKeys.harbor });
  await bot.type('account');
  // Like another process: this one has cached the endpoint some seconds ago.
  const known = { organizationId: 'o', organizationName: 'Acme', connectedBy: 'UADA', connectedAt: 0 };
  await bot.store.credentials.connect(bot.teamId, { ...known, endpoint: other.url, apiKey: 'canary', keyHint: '' });
  await bot.type('list');
  expect(other.requests.length).toBeGreaterThan(0);
  expect(JSON.stringify(other.requests)).not.toContain(service.apiKeys.harbor);
});

test('ssrf/key-exfil: an endpoint that the operator removes from the list gets no key any more', async () => {
  await using dropped = await startHostileHttp(data({ getOrganization: organization }));
  const { store, commands, teamId, type } = await connectingBot([service.url]);
  const known = { organizationId: 'o', organizationName: 'Acme', connectedBy: 'UADA', connectedAt: 0 };
  await store.credentials.connect(teamId, { ...known, endpoint: dropped.url, apiKey: 'canary', keyHint: '' });
  expect(await type('list')).toContain('query service is not on the bot’s list');
  await commands.connections.round();
  expect(dropped.requests).toEqual([]);
});

test('upstream/key-other-org: a key of another organization needs consent, and the form names both', async () => {
  const { open, submit, store, teamId } = await connectingBot([service.url]);
  await submit(await open(), { key: service.apiKeys.harbor });
  expect(await submit(await open(), { key: service.apiKeys.ledger })).toMatch(
    /belongs to Ledger, .*connected to Harbor/,
  );
  expect((await store.credentials.find(teamId))?.organizationName).toBe('Harbor');
});

test('upstream/key-rotated: a key that is replaced during a query is not used again, and its answers are discarded', async () => {
  const [held, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const relay = relayTo(service.url);
  await using server = await startHostileHttp(async (request, response) => {
    if (request.body.includes('query Account')) {
      held.resolve();
      await released.promise;
    }
    await relay(request, response);
  });
  const bot = await connectingBot([server.url]);
  await bot.submit(await bot.open(), { key: service.apiKeys.harbor });
  const asked = bot.type('account');
  await held.promise;
  const before = server.requests.length;
  await bot.submit(await bot.open(), { key: service.apiKeys.ledger, move: ['move'] });
  released.resolve();
  await asked;
  expect(await bot.type('account')).toContain('Organization Ledger');
  expect(await bot.type('executions')).not.toContain('cached');
  const keys = server.requests.slice(before).map(({ headers }) => headers.authorization);
  expect(new Set(keys)).toEqual(new Set([`Apikey ${service.apiKeys.ledger}`]));
});

test('no submitted key is in a log line, in a request to Slack or in the files of the store', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'connecting-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  await using server = await startHostileHttp(answer(401));
  const endpoints = [service.url, server.url, 'http://127.0.0.1:9/graphql'] as const;
  const bot = await connectingBot(endpoints, { databaseUrl: `sqlite:${folder}/bot.db` });
  const offered = [service.apiKeys.harbor, service.apiKeys.ledger, 'canary-of-a-refused-key-0123456789'];
  const said: string[] = [];
  for (const endpoint of endpoints) {
    for (const key of offered) {
      said.push(await bot.submit(await bot.open(), { key, endpoint: endpointId(endpoint), move: ['move'] }));
    }
  }
  for (const line of ['account', 'list', 'audit']) said.push(await bot.type(line));
  said.push(JSON.stringify(await bot.open(`connect ${offered[0]}`)));
  await bot.submit(await bot.open('disconnect'), {});
  const written = readdirSync(folder).map((name) => readFileSync(join(folder, name), 'latin1'));
  const everything = [
    bot.log.text(),
    bot.commands.logged(),
    JSON.stringify(bot.slack.requests),
    ...said,
    ...written,
  ].join('\n');
  expect(everything.length).toBeGreaterThan(10_000);
  for (const key of offered) {
    for (const part of [key, key.slice(5, 30), key.slice(-24)]) expect(everything).not.toContain(part);
    expect(everything).not.toContain(Buffer.from(key).toString('base64').slice(0, 24));
  }
});
