/** A digest from its subscription to the channel: the whole bot, in the local Slack, over the sample. */
import { expect, it, onTestFinished } from 'vitest';
import { startBot } from '../../src/compose.ts';
import { nextDue } from '../../src/core/schedule.ts';
import type { LocalSlack } from '../../src/playground/local-slack.ts';
import { channelId, personId } from '../../src/playground/seed.ts';
import { openStore } from '../../src/store/store.ts';
import { newSqlite } from '../support/engines.ts';
import { plan } from '../support/ledger.ts';
import { localSlack } from '../support/local-slack.ts';
import { createMemoryLog } from '../support/memory-log.ts';
import { startTestService } from '../support/service.ts';

const channel = channelId('general');
/** No full hour and no quarter, so that it comes at once. */
const schedule = { ...plan.schedule, time: '09:07' };

it('a subscription that is due is a digest in its channel, with its replies below it, and one line in the log', {
  timeout: 60_000,
}, async () => {
  const slack = await localSlack({ clock: Date.now });
  const log = await startSubscribed(slack);
  await log.until('digest done');
  const messages = slack.workspace.history.list(channel);
  const [root] = messages.filter(({ threadTs }) => threadTs === null);
  expect(root?.text).toMatch(/failed/);
  const replies = messages.filter(({ threadTs }) => threadTs === root?.ts);
  expect(replies.length).toBeGreaterThan(0);
  expect(messages).toHaveLength(1 + replies.length);
  expect(log.text()).toMatch(/"state":"posted","latenessMs":\d+/);
});

/** A bot that finds a subscription of the channel that is due. */
async function startSubscribed({ botToken, appToken, apiUrl, workspace }: LocalSlack) {
  const service = await startTestService({ sample: 'fixed', hasRecords: false, clock: Date.now });
  onTestFinished(service.close);
  const databaseUrl = await newSqlite();
  await subscribe(databaseUrl, workspace.teamId);
  const log = createMemoryLog();
  const [queryServiceApiKey] = Object.values(service.sampleKeys);
  const bot = await startBot(
    {
      ...{ mode: 'socket', slackBotToken: botToken, slackAppToken: appToken, slackApiUrl: apiUrl },
      ...{ slashCommand: '/workflow', logLevel: 'trace', databaseUrl, keyring: undefined },
      ...{ queryServiceUrl: service.url, queryServiceOrigins: [], queryServiceApiKey },
      ...{ http: { host: '127.0.0.1', port: 0 }, proxy: {} },
    },
    log.log,
  );
  onTestFinished(bot.stop);
  return log;
}

async function subscribe(databaseUrl: string, teamId: string): Promise<void> {
  const store = await openStore(databaseUrl);
  const now = Date.now();
  const due = { ...nextDue(schedule, { at: now }), at: now };
  await store.subscriptions.create(
    teamId,
    { ...plan, schedule, channelId: channel },
    { userId: personId('ada'), at: now },
    due,
  );
  await store.close();
}
