/** A digest from its subscription to its channel: the whole bot, the local Slack, the sample. */
import { expect, it, onTestFinished } from 'vitest';
import { openStore } from '../../../src/bot/store/store.ts';
import { channelId } from '../../../src/local-slack/state/seed.ts';
import { startComposed, withDueDigest } from '../../support/bot/composed-bot.ts';
import { recentSampleTime } from '../../support/service/sample-database.ts';
import { startTestService } from '../../support/service/service.ts';
import type { SlackDriver } from '../../support/slack/driver.ts';
import { delayedUntil } from '../../support/slack/faults.ts';
import { localSlack } from '../../support/slack/local-slack.ts';

const channel = channelId('general');

it('a due subscription posts a digest with its replies in its channel, and one line in the log', async () => {
  const slack = await localSlack({ clock: Date.now });
  const { log } = await startSubscribed(slack);
  await log.until('digest done');
  const messages = slack.workspace.history.list(channel);
  const [root] = messages.filter(({ threadTs }) => threadTs === null);
  expect(root?.text).toMatch(/\b[1-9][\d,]* failures?\b/);
  expect(root?.text).toContain('payments');
  const replies = messages.filter(({ threadTs }) => threadTs === root?.ts);
  expect(replies.length).toBeGreaterThan(0);
  expect(messages).toHaveLength(1 + replies.length);
  expect(log.text()).toMatch(/"state":"posted","latenessMs":\d+/);
});

it('a bot that stops during a send records its outcome and starts nothing new', async () => {
  const slack = await localSlack({ clock: Date.now });
  const [begun, taken] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  slack.failWhen('chat.postMessage', () => {
    begun.resolve();
    return delayedUntil(() => taken.promise);
  });
  const { bot, databaseUrl } = await startSubscribed(slack);
  await begun.promise;
  const stopped = bot.stop();
  // For longer than this the digest alone is waited for.
  await expect.poll(() => slack.connectionCount()).toBe(0);
  taken.resolve();
  await stopped;
  const store = await openStore(databaseUrl);
  onTestFinished(store.close);
  const [occurrence] = await store.outbox.page(slack.workspace.teamId, 1);
  expect(occurrence?.messages[0]).toMatchObject({ state: 'sent', attempts: 1 });
});

/** A bot that finds a subscription of the channel that is due. */
async function startSubscribed(slack: SlackDriver) {
  const now = recentSampleTime();
  const service = await startTestService({ sample: 'fixed', hasRecords: false, clock: () => now });
  onTestFinished(service.close);
  const databaseUrl = await withDueDigest(slack);
  const [queryServiceApiKey] = Object.values(service.sampleKeys);
  const started = await startComposed(slack, { databaseUrl, queryServiceApiKey, queryServiceUrl: service.url });
  return { ...started, databaseUrl };
}
