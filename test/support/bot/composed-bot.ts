/** The bot as compose wires it, in the first workspace of a local Slack, with a due digest on request. */
import { onTestFinished } from 'vitest';
import { startBot } from '../../../src/bot/compose.ts';
import type { SocketConfig } from '../../../src/bot/config.ts';
import { nextDue } from '../../../src/bot/domain/schedule.ts';
import { defaultTiming } from '../../../src/bot/outbox/timing.ts';
import { openStore } from '../../../src/bot/store/store.ts';
import { channelId, personId } from '../../../src/local-slack/state/seed.ts';
import { newSqlite } from '../databases/engines.ts';
import { createMemoryLog } from '../runner/memory-log.ts';
import type { SlackDriver } from '../slack/driver.ts';
import { plan } from './outbox.ts';

type Settings = Partial<Pick<SocketConfig, 'databaseUrl' | 'proxy' | 'queryServiceApiKey' | 'queryServiceUrl'>>;

type Connection = Pick<SlackDriver, 'apiUrl' | 'appToken' | 'botToken'>;

/** @param settings overrides */
export async function startComposed({ botToken, appToken, apiUrl }: Connection, settings: Settings = {}) {
  const log = createMemoryLog();
  const bot = await startBot(
    {
      ...{ mode: 'socket', slackBotToken: botToken, slackAppToken: appToken, slackApiUrl: apiUrl },
      ...{ slackCommand: '/workflow', logLevel: 'trace', databaseUrl: 'sqlite::memory:', keyring: undefined },
      ...{ queryServiceUrl: 'https://query.example.com/graphql', host: '127.0.0.1', port: 0, proxy: {}, ...settings },
    },
    log.log,
  );
  onTestFinished(bot.stop);
  return { bot, log };
}

const minuteMs = 60_000;

/** @returns the last minute before this time, not at a full or quarter hour, so that the digest has no jitter */
function dueMinute(before: number): number {
  const minute = before - (before % minuteMs);
  return minute % (15 * minuteMs) === 0 ? minute - minuteMs : minute;
}

/** @returns the URL of a store in which a digest of #general is due now */
export async function withDueDigest({ workspace: { teamId } }: SlackDriver): Promise<string> {
  const databaseUrl = await newSqlite();
  const store = await openStore(databaseUrl);
  const now = Date.now();
  const at = dueMinute(now - defaultTiming.serviceLagMs);
  const schedule = { ...plan.schedule, time: new Date(at).toISOString().slice(11, 16) };
  const due = nextDue(schedule, { at: at - 1 });
  const place = { ...plan, schedule, channelId: channelId('general') };
  await store.subscriptions.create(teamId, place, { userId: personId('ada'), at: now }, due);
  await store.close();
  return databaseUrl;
}
