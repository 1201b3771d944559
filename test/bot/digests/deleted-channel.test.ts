/** A deleted channel ends its digests and threads, and each owner is notified once. */
import { expect, onTestFinished, test, vi } from 'vitest';
import { endDigestsIn } from '../../../src/bot/digests/deleted-channel.ts';
import { nextDue } from '../../../src/bot/domain/schedule.ts';
import { createAuditLog } from '../../../src/bot/store/audit-recorder.ts';
import type { Store } from '../../../src/bot/store/store.ts';
import { channelId, directId, personId } from '../../../src/local-slack/state/seed.ts';
import { startComposed } from '../../support/bot/composed-bot.ts';
import { beginThread, plan } from '../../support/bot/outbox.ts';
import { testRuntime } from '../../support/bot/runtime.ts';
import { openBeside, openTestStore, testKeys } from '../../support/bot/store.ts';
import { newSqlite } from '../../support/databases/engines.ts';
import { createMemoryLog } from '../../support/runner/memory-log.ts';
import { eventPayload, startInstallBot } from '../../support/slack/installing.ts';
import { localSlack } from '../../support/slack/local-slack.ts';
import { signatureOf } from '../../support/slack/signed-http.ts';

const [ops, other, ada] = ['C0OPS', 'C0OTHER', 'U0ADA'];

async function subscribe(store: Store, teamId: string, channel: string, userId = ada): Promise<string> {
  const now = await store.outbox.now();
  const next = nextDue(plan.schedule, { at: now });
  return (await store.subscriptions.create(teamId, { ...plan, channelId: channel }, { userId, at: now }, next)).id;
}

/** Two workspaces with a digest in a channel of the same id, one more elsewhere, and a thread. */
async function prepare(onNotice: () => Promise<void> = async () => undefined) {
  let now = 0;
  const store = await openTestStore(await newSqlite(), testKeys(), () => now);
  const told: string[] = [];
  const { log } = createMemoryLog();
  const audit = createAuditLog(
    store,
    testRuntime(() => 5, log),
  );
  const notifyUser = async ({ teamId, userId }: { readonly teamId: string; readonly userId: string }) => {
    told.push(`${teamId} ${userId}`);
    await onNotice();
    return true;
  };
  const bot = await startInstallBot({
    store,
    onChannelDeleted: (channel) => endDigestsIn(channel, { store, audit, notifyUser, log }),
  });
  for (const id of ['T1', 'T2']) {
    await bot.install({ team: { id, name: id }, access_token: `xoxb-canary-of-${id}` });
    for (const channel of [ops, other]) await subscribe(store, id, channel);
  }
  const channels = async (teamId: string) => (await store.subscriptions.list(teamId)).map((each) => each.channelId);
  let events = 0;
  const send = async (event: object, envelope = {}) => {
    events += 1;
    return bot.postJson(
      eventPayload({ type: 'channel_deleted', channel: ops, ...event }, { event_id: `Ev${events}`, ...envelope }),
    );
  };
  const later = () => {
    now += 60_000;
  };
  return { ...bot, told, channels, bareSend: bot.send, send, later };
}

test.each(['channel_deleted', 'group_deleted'])(
  '%s ends only the digests of that channel in that workspace',
  async (type) => {
    const bot = await prepare();
    await bot.send({ type });
    await bot.bot.stop();
    expect(bot.told).toEqual([`T1 ${ada}`]);
    expect([await bot.channels('T1'), await bot.channels('T2')]).toEqual([[other], [ops, other]]);
    const [entry] = await bot.store.audit.page('T1', 1);
    expect(entry).toMatchObject({
      action: 'digest removed',
      userId: '',
      detail: { in: ops, why: 'the channel was deleted' },
    });
  },
);

test('repeated and concurrent events notify once', async () => {
  const bot = await prepare();
  const event = { event_id: 'EvSame' };
  await Promise.all([
    bot.send({}),
    bot.send({}),
    bot.send({ type: 'group_deleted' }),
    bot.send({}, event),
    bot.send({}, event),
  ]);
  await bot.bot.stop();
  expect(bot.told).toEqual([`T1 ${ada}`]);
});

test('an event during which the process ends is finished by the next one: the owner is notified, then the digest ends', async () => {
  const [reached, ended] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  let notices = 0;
  const bot = await prepare(async () => {
    notices += 1;
    if (notices > 1) return;
    reached.resolve();
    await ended.promise;
  });
  onTestFinished(() => ended.resolve());
  await bot.send({});
  await reached.promise;
  expect(await bot.channels('T1')).toEqual([ops, other]);
  bot.later();
  await bot.send({});
  await expect.poll(() => bot.channels('T1')).toEqual([other]);
  expect(bot.told).toEqual([`T1 ${ada}`, `T1 ${ada}`]);
});

test('a look-up that fails keeps the next event from nothing', async () => {
  const bot = await prepare();
  const away = vi.spyOn(bot.store.subscriptions, 'find').mockRejectedValueOnce(new Error('away'));
  await bot.send({});
  await expect.poll(() => away.mock.calls).toHaveLength(1);
  await bot.send({});
  await expect.poll(() => bot.channels('T1')).toEqual([other]);
});

test.each<[string, object, object]>([
  ['names no channel', { channel: undefined }, {}],
  ['names a channel that is none', { channel: '../C0OPS' }, {}],
  ['names something else', { channel: { id: ops } }, {}],
  ['names the channel of another workspace', { channel: 'C0ELSEWHERE' }, {}],
  ['is of a workspace that has no bot', {}, { team_id: 'T0NOBODY' }],
  ['is of another app', {}, { api_app_id: 'A0OTHER' }],
  ['is a message that says so', { type: 'message', channel_type: 'channel', subtype: 'channel_deleted' }, {}],
])('an event that %s changes nothing', async (_, event, envelope) => {
  const bot = await prepare();
  await bot.send(event, envelope);
  await bot.bot.stop();
  expect([await bot.channels('T1'), await bot.channels('T2'), bot.told]).toEqual([[ops, other], [ops, other], []]);
});

test('an event that Slack did not sign changes nothing', async () => {
  const bot = await prepare();
  const body = JSON.stringify(eventPayload({ type: 'channel_deleted', channel: ops }, { event_id: 'EvForged' }));
  const signature = signatureOf({ body, secret: 'of-somebody-else' });
  const { status } = await bot.bareSend({ body, headers: { 'content-type': 'application/json', ...signature } });
  await bot.bot.stop();
  expect([status, await bot.channels('T1'), bot.told]).toEqual([401, [ops, other], []]);
});

test('its threads are deleted, and those of other channels stay', async () => {
  const bot = await prepare();
  const keyOf = (teamId: string, channel: string) => ({ teamId, channelId: channel, subject: 'e1' });
  for (const key of [keyOf('T1', ops), keyOf('T1', other), keyOf('T2', ops)]) {
    const { lease } = await beginThread(bot.store, { key, posted: { root: '1.1', verdict: '1.2' } });
    await lease.defer(0);
  }
  await bot.send({});
  await bot.bot.stop();
  const postedIn = async (...key: Parameters<typeof keyOf>) =>
    (await beginThread(bot.store, { key: keyOf(...key) })).messages.map(({ ts }) => ts);
  expect([await postedIn('T1', ops), await postedIn('T1', other), await postedIn('T2', ops)]).toEqual([
    [],
    ['1.1', '1.2'],
    ['1.1', '1.2'],
  ]);
});

test.each(['general', 'incident-room'] as const)(
  'the composed bot handles the deletion of #%s, and the owner of its digest is notified',
  async (name) => {
    const slack = await localSlack();
    const databaseUrl = await newSqlite();
    const store = await openTestStore(databaseUrl);
    await subscribe(store, slack.workspace.teamId, channelId(name), personId('ada'));
    await store.close();
    const { memberIds = [] } = slack.workspace.channels.find(({ id }) => id === channelId(name)) ?? {};
    slack.changeChannel(channelId(name), { memberIds: [...memberIds, slack.workspace.botUserId] });
    const { bot } = await startComposed(slack, { databaseUrl });
    const direct = slack.nextMessage({
      viewer: personId('ada'),
      matches: ({ channel }) => channel === directId('ada'),
    });
    await slack.deleteChannel(channelId(name));
    expect((await direct).text).toMatch(new RegExp(`${channelId(name)} has ended: the channel was deleted`));
    expect(slack.messages({ channel: channelId(name), viewer: personId('ada') })).toEqual([]);
    await bot.stop();
    const left = (await openBeside(databaseUrl)).selectFrom('subscription').select('id').where('removedAt', 'is', null);
    expect(await left.execute()).toEqual([]);
  },
);
