/** Stored keys that stop working, and work again: over the real service, in the local Slack. */
import { afterAll, beforeAll, beforeEach, expect, onTestFinished, test } from 'vitest';
import { createConnections, type KeyChecks } from '../../../src/bot/connection/connections.ts';
import { CredentialResolver } from '../../../src/bot/connection/credential-resolver.ts';
import type { ConnectionServices } from '../../../src/bot/connection/key-health.ts';
import { createQueryService } from '../../../src/bot/query/query-client.ts';
import { createAuditLog } from '../../../src/bot/store/audit-recorder.ts';
import { testRuntime } from '../../support/bot/runtime.ts';
import { createMemoryLog } from '../../support/runner/memory-log.ts';
import { answer, type HostileHttp, relayTo, startHostileHttp } from '../../support/service/hostile-http.ts';
import { startTestService, type TestService } from '../../support/service/service.ts';
import { adasDirect, type ConnectingBot, connectingBot } from '../../support/slack/connecting.ts';

let service: TestService;
let server: HostileHttp;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.close());
beforeEach(async () => {
  server = await startHostileHttp(relayTo(service.url));
  return server[Symbol.asyncDispose];
});

/** @param waitForSecondTry what passes before a refused key is tried once more */
async function connected(waitForSecondTry = async () => {}): Promise<ConnectingBot> {
  const bot = await connectingBot([server.url], { waitForSecondTry });
  await bot.submit(await bot.open(), { key: service.apiKeys.harbor });
  return bot;
}

/** The connections of another process with the same store. */
function connectionsBeside(
  { store, time }: ConnectingBot,
  notifyPerson: ConnectionServices['notifyPerson'],
): KeyChecks {
  const runtime = testRuntime(() => time.now, createMemoryLog().log);
  const query = createQueryService({ ...runtime, origins: [server.url] });
  const audit = createAuditLog(store, runtime);
  const keys = { runtime, store, audit, endpoints: [server.url] as const, defaultKey: undefined };
  const connections = createConnections({ ...keys, query, resolver: new CredentialResolver(keys), notifyPerson });
  onTestFinished(async () => {
    await connections.stop();
    await query.close();
  });
  return connections;
}

const notices = ({ slack }: ConnectingBot) =>
  slack
    .messages({ channel: adasDirect, viewer: adasUser(slack) })
    .filter(({ text }) => text.includes('refused the API key'));

function adasUser({ workspace }: ConnectingBot['slack']): string {
  return workspace.people.find(({ name }) => name === 'ada')?.id ?? '';
}

const dayMs = 24 * 60 * 60_000;

test('a refused key is tried once more, and the person who connected it is notified once', async () => {
  const bot = await connected();
  server.behaveAs(answer(401));
  const [told] = await Promise.all([
    bot.slack.nextMessage({ channel: adasDirect }),
    ...Array.from({ length: 5 }, () =>
      bot.commands.run('list', { person: { teamId: bot.teamId, userId: 'U1', channelId: 'C1' } }),
    ),
  ]);
  expect(told.text).toMatch(/Since .*, the query service has refused the API key that you entered for .*Harbor/);
  expect(JSON.stringify(told.blocks)).toContain('cmd:open:connect');
  bot.time.now += 3_600_000;
  await bot.type('list');
  await bot.commands.connections.stop();
  expect(notices(bot)).toHaveLength(1);
});

test('the time of the refusal is shown from then on, also after a restart', async () => {
  const bot = await connected();
  server.behaveAs(answer(401));
  const told = bot.slack.nextMessage({ channel: adasDirect });
  await bot.type('list');
  await told;
  const since = bot.time.now;
  const { refusedSince } = (await bot.store.credentials.find(bot.teamId)) ?? {};
  expect(refusedSince).toBe(since);
  bot.time.now += 3_600_000;
  expect(await bot.type('account')).toContain(`Refused since <!date^${Math.floor(since / 1000)}^`);
});

test('a service that accepts the second try causes no notification and no record', async () => {
  const minute = Promise.withResolvers<void>();
  const bot = await connected(() => minute.promise);
  server.behaveAs(answer(401));
  await bot.type('list');
  await bot.type('list');
  server.behaveAs(relayTo(service.url));
  const before = server.requests.length;
  minute.resolve();
  await bot.commands.connections.stop();
  expect(server.requests).toHaveLength(before + 1);
  expect(notices(bot)).toEqual([]);
  expect((await bot.store.credentials.find(bot.teamId))?.refusedSince).toBeNull();
});

test('a bot that stops tries no key any more', async () => {
  const { promise: minute } = Promise.withResolvers<void>();
  const bot = await connectingBot([server.url], {
    waitForSecondTry: (_ms, signal) =>
      Promise.race([minute, new Promise((resolve) => signal.addEventListener('abort', resolve))]),
  });
  await bot.submit(await bot.open(), { key: service.apiKeys.harbor });
  server.behaveAs(answer(401));
  await bot.type('list');
  const before = server.requests.length;
  await bot.commands.connections.stop();
  expect(server.requests).toHaveLength(before);
});

test('a key that works again is used again, and the next refusal notifies again', async () => {
  const bot = await connected();
  for (const _ of [1, 2]) {
    server.behaveAs(answer(401));
    const told = bot.slack.nextMessage({ channel: adasDirect });
    await bot.type('list');
    await told;
    server.behaveAs(relayTo(service.url));
    bot.time.now += dayMs;
    expect(await bot.type('list')).not.toContain('refused');
    expect(await bot.type('list')).not.toContain('refused');
    expect((await bot.store.credentials.find(bot.teamId))?.refusedSince).toBeNull();
    bot.time.now += dayMs;
  }
  expect(notices(bot)).toHaveLength(2);
});

test('every key is checked once a day, also without queries', async () => {
  const bot = await connected();
  const asked = server.requests.length;
  await bot.commands.connections.round();
  expect(server.requests).toHaveLength(asked);
  bot.time.now += dayMs;
  await bot.commands.connections.round();
  await bot.commands.connections.round();
  expect(server.requests).toHaveLength(asked + 1);
  expect((await bot.store.credentials.find(bot.teamId))?.checkedAt).toBe(bot.time.now);
});

test('a refusal at the daily check notifies without any query', async () => {
  const bot = await connected();
  server.behaveAs(answer(401));
  bot.time.now += dayMs;
  const told = bot.slack.nextMessage({ channel: adasDirect });
  await bot.commands.connections.round();
  expect((await told).text).toContain('refused the API key');
});

test('a notification that Slack refused is repeated the next day', async () => {
  const tried = Promise.withResolvers<void>();
  const told: string[] = [];
  const notifyPerson = async ({ userId }: { readonly userId: string }) => {
    tried.resolve();
    return told.push(userId) > 1;
  };
  const bot = await connectingBot([server.url], { waitForSecondTry: async () => {}, notifyPerson });
  await bot.submit(await bot.open(), { key: service.apiKeys.harbor });
  server.behaveAs(answer(401));
  await bot.type('list');
  await tried.promise;
  for (const _ of [1, 2]) {
    bot.time.now += dayMs;
    await bot.commands.connections.round();
  }
  expect(told).toHaveLength(2);
});

test('a notification during which the process ends is sent the next day, by one of two processes', async () => {
  const told: string[] = [];
  const never = Promise.withResolvers<boolean>();
  const tried = Promise.withResolvers<void>();
  const notifyPerson = async () => {
    tried.resolve();
    return never.promise;
  };
  const bot = await connectingBot([server.url], { waitForSecondTry: async () => {}, notifyPerson });
  await bot.submit(await bot.open(), { key: service.apiKeys.harbor });
  server.behaveAs(answer(401));
  await bot.type('list');
  await tried.promise;
  onTestFinished(() => never.resolve(false));
  bot.time.now += dayMs;
  const others = [1, 2].map(() => connectionsBeside(bot, async ({ userId }) => told.push(userId) > 0));
  await Promise.all(others.map(({ round }) => round()));
  expect(told).toEqual([adasUser(bot.slack)]);
});

test('a service that accepts the second try at the daily check causes no notification', async () => {
  const minute = Promise.withResolvers<void>();
  const bot = await connected(() => minute.promise);
  server.behaveAs(answer(401));
  bot.time.now += dayMs;
  await bot.commands.connections.round();
  server.behaveAs(relayTo(service.url));
  minute.resolve();
  await bot.commands.connections.stop();
  expect(notices(bot)).toEqual([]);
  expect(await bot.store.credentials.find(bot.teamId)).toMatchObject({ checkedAt: bot.time.now, refusedSince: null });
});

test('a key of an unlisted service is never sent, causes one notification, and is checked daily', async () => {
  const bot = await connectingBot([`${server.url}/v2`], { waitForSecondTry: async () => {} });
  const given = { connectedBy: adasUser(bot.slack), connectedAt: bot.time.now, keyHint: 'wfq_…' };
  const harbor = { organizationId: 'o', organizationName: 'Harbor', apiKey: service.apiKeys.harbor };
  // The operator lists another path of the same service.
  await bot.store.credentials.connect(bot.teamId, { ...given, ...harbor, endpoint: server.url });
  const days: (number | null | undefined)[] = [];
  for (let day = 0; day < 3; day += 1) {
    bot.time.now += dayMs;
    for (const _ of [1, 2]) await bot.commands.connections.round();
    days.push((await bot.store.credentials.find(bot.teamId))?.checkedAt);
  }
  expect(days.map((at) => bot.time.now - (at ?? 0))).toEqual([2 * dayMs, dayMs, 0]);
  const { messages } = bot.slack;
  const told = messages({ channel: adasDirect, viewer: adasUser(bot.slack) }).map(({ text }) => text);
  expect(told).toEqual([
    expect.stringMatching(/the API key that you entered for .*Harbor.* query service .*was taken off the bot’s list/),
  ]);
  expect(await bot.type('account')).toMatch(/not on the bot’s list.*No longer used/s);
  expect(server.requests).toEqual([]);
});

test('an unreachable service gives no verdict on the key, and is tried again', async () => {
  const bot = await connected();
  server.behaveAs(answer(503));
  bot.time.now += dayMs;
  await bot.commands.connections.round();
  expect(await bot.store.credentials.find(bot.teamId)).toMatchObject({ checkedAt: null, refusedSince: null });
  server.behaveAs(relayTo(service.url));
  await bot.commands.connections.round();
  expect((await bot.store.credentials.find(bot.teamId))?.checkedAt).toBe(bot.time.now);
});
