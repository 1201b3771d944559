/** The hostile cases of the section `lifecycle` during a digest: the worker with a real bot and a Slack. */
import { describe, expect, it } from 'vitest';
import { channelId, personId } from '../../src/local-slack/state/seed.ts';
import { dayMs, plan } from '../support/bot/outbox.ts';
import { startWorker } from '../support/bot/outbox-worker.ts';
import { startPostingBot } from '../support/bot/posting-bot.ts';
import { contentOver } from '../support/bot/scheduled.ts';
import { relayTo, startHostileHttp } from '../support/service/hostile-http.ts';
import { startWorld, worldKey } from '../support/service/world.ts';
import { slackError } from '../support/slack/faults.ts';
import { eventPayload, type InstallBot, installNow, startInstallBot } from '../support/slack/installing.ts';

const minuteMs = 60_000;

/** A due digest of T1, during which T1 uninstalls the bot. @param moment the failpoint */
async function startLeaving(url: string, moment: 'before' | 'after') {
  let bot: InstallBot | undefined;
  let hasLeft = false;
  const uninstall = async () => {
    if (hasLeft) return;
    hasLeft = true;
    await bot?.postJson(eventPayload({ type: 'app_uninstalled' }, { event_time: installNow / 1000 + 1 }));
    await bot?.log.until('workspace uninstalled the bot');
  };
  const test = await startWorker({
    postingOf: async ({ store, clock }) => {
      bot = await startInstallBot({ store });
      await bot.install();
      const key = { keyHint: 'wfq_…', connectedBy: 'U0ADMIN', connectedAt: clock() };
      const organization = { organizationId: 'o-1', organizationName: 'Acme' };
      await store.credentials.connect('T1', { endpoint: url, apiKey: worldKey, ...key, ...organization });
      return bot.bot.outboxPosting;
    },
    contentOf: (outbox) => {
      const content = contentOver(outbox, url);
      return {
        ...content,
        build: async (...request) => {
          if (moment === 'before') await uninstall();
          const made = await content.build(...request);
          if (moment === 'after') await uninstall();
          return made;
        },
      };
    },
  });
  await test.subscribe();
  test.pass(1000);
  test.worker.start();
  const isOfDigest = (fields: Readonly<Record<string, unknown>>) =>
    fields['channel'] === 'C1' || fields['users'] === 'U1';
  return { ...test, calls: () => bot?.slack.calls.filter(({ fields }) => isOfDigest(fields)) };
}

describe('lifecycle/uninstall-during-digest: a workspace that leaves', () => {
  it('before its digest is built: its key is not used, and its occurrence is not claimed again', async () => {
    await using server = await startHostileHttp(() => undefined);
    const { subscribe, until, pass, calls, outbox } = await startLeaving(server.url, 'before');
    await until('after release');
    await subscribe('T2');
    pass(0);
    for (let tried = 1; tried <= 15; tried += 1) {
      await until('after release', 1 + tried);
      pass(minuteMs);
    }
    await until('after finish');
    expect(server.requests).toEqual([]);
    expect(calls()).toEqual([]);
    expect(await outbox.page('T1', 1)).toMatchObject([{ state: 'due', attempts: 1, messages: [] }]);
  });

  it('after its digest is built and before it is sent: nothing is posted', async () => {
    await using world = await startWorld();
    await using server = await startHostileHttp(relayTo(world.url));
    const { until, calls, outbox } = await startLeaving(server.url, 'after');
    await until('after finish');
    expect(server.requests.length).toBeGreaterThan(0);
    expect(calls()).toEqual([]);
    expect(await outbox.page('T1', 1)).toMatchObject([{ state: 'missed', error: 'not_installed' }]);
  });
});

/** A subscription of a channel of the local Slack, whose first digest was posted. */
async function startInChannel() {
  let now = Date.now();
  const { digests, slack, target, visible } = await startPostingBot({ clock: () => now });
  const test = await startWorker({ postingOf: async () => digests });
  const owner = { userId: personId('ada'), at: test.clock() };
  const due = { localTime: '2026-11-22T09:00', at: test.clock(), shift: 'none' } as const;
  const { id } = await test.subscriptions.create(target.teamId, { ...plan, channelId: target.channelId }, owner, due);
  test.pass(1000);
  test.worker.start();
  await test.until('after finish');
  return {
    ...{ ...test, slack, visible },
    pauseOf: async () => (await test.subscriptions.find(target.teamId, id))?.pause?.reason,
    notices: () => slack.requests.filter(({ name }) => name === 'conversations.open').length,
    tomorrow: () => {
      now += dayMs;
      test.pass(dayMs);
    },
    askNow: () => {
      const occurrence = {
        occurrenceId: 'now',
        dueAt: test.clock(),
        window: { from: 0, to: test.clock() },
        isLate: false,
      };
      return test.outbox.add(target.teamId, id, { ...occurrence, state: 'due' });
    },
  };
}

describe('a channel', () => {
  it('lifecycle/channel-made-shared: its digests pause while it is shared, and continue when it is not', async () => {
    const { slack, tomorrow, until, visible, pauseOf, log } = await startInChannel();
    const [first = ''] = visible();
    slack.changeChannel(channelId('general'), { isShared: true });
    tomorrow();
    await until('after finish', 2);
    await log.until('a digest is missing, late or unconfirmed');
    expect([visible().length, await pauseOf()]).toEqual([2, 'channel_is_shared']);
    slack.changeChannel(channelId('general'), { isShared: false });
    tomorrow();
    await log.until('a digest schedule resumed');
    expect([visible().at(-2), await pauseOf()]).toEqual([first, undefined]);
  });

  it('whose readers are unknown gets its digest once they are known', async () => {
    const { slack, tomorrow, until, pass, visible, pauseOf } = await startInChannel();
    slack.failWhen('conversations.info', () => slackError('missing_scope'));
    tomorrow();
    await until('after release');
    expect([visible().length, await pauseOf()]).toEqual([2, undefined]);
    slack.failWhen('conversations.info', null);
    pass(5 * minuteMs);
    await until('after finish', 2);
    expect(visible()).toHaveLength(4);
  });

  it('lifecycle/bot-removed: its digests pause without the bot, and their owner is notified once', async () => {
    const { slack, tomorrow, until, pass, visible, pauseOf, notices, askNow, log } = await startInChannel();
    slack.changeChannel(channelId('general'), { memberIds: [personId('ada')] });
    tomorrow();
    await log.until('a digest is missing, late or unconfirmed');
    await askNow();
    pass(1000);
    await until('after finish', 3);
    expect([visible().length, await pauseOf(), notices()]).toEqual([2, 'not_in_channel', 1]);
  });
});
