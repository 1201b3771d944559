/** A bot whose clock differs from Slack's reports it, because it refuses all signed requests. */
import { expect, onTestFinished, test } from 'vitest';
import { startBot } from '../../../../../src/bot/compose.ts';
import { ClockCheck } from '../../../../../src/bot/slack/inbound/receivers/clock-check.ts';
import { testRuntime } from '../../../../support/bot/runtime.ts';
import { keyLine } from '../../../../support/bot/store.ts';
import { newSqlite } from '../../../../support/databases/engines.ts';
import { createMemoryLog } from '../../../../support/runner/memory-log.ts';
import { answer, startHostileHttp } from '../../../../support/service/hostile-http.ts';

const minuteMs = 60_000;
const wrong = 'the clock of this machine is wrong';

/** The whole bot, which Slack comes to, and which asks a Slack of that time. */
async function startBeside(aheadMs: number) {
  const slack = await startHostileHttp((...request) =>
    answer(200, { ok: true }, { date: new Date(Date.now() - aheadMs).toUTCString() })(...request),
  );
  const log = createMemoryLog();
  const bot = await startBot(
    {
      ...{ mode: 'http', slackCommand: '/workflow', logLevel: 'info', proxy: {}, host: '127.0.0.1', port: 0 },
      ...{ slackSigningSecret: 's'.repeat(32), slackClientId: '1.2', slackClientSecret: 'c'.repeat(32) },
      ...{ slackApiUrl: slack.url.replace('graphql', 'api/'), publicUrl: 'https://bot.example.com' },
      ...{ queryServiceUrl: 'https://service.example/graphql' },
      ...{ databaseUrl: await newSqlite(), keyring: { kind: 'text', text: keyLine('test') } },
    },
    log.log,
  );
  onTestFinished(async () => {
    await bot.stop();
    await slack[Symbol.asyncDispose]();
  });
  return { log, readiness: () => fetch(`${bot.origin}/readyz`) };
}

test('process/clock-2s-signature: with a clock six minutes behind, the bot is not ready, and the log has the reason', async () => {
  const { log, readiness } = await startBeside(-6 * minuteMs);
  await log.until(wrong);
  const response = await readiness();
  expect(response.status).toBe(503);
  expect((await response.text()).split('\n')).toContain('clock: 6 min behind Slack’s');
});

test('a difference of up to five minutes is not logged; a larger one is logged once, as is its end', () => {
  const log = createMemoryLog();
  const { onSlackDate, problem } = new ClockCheck(testRuntime(() => 0, log.log));
  const told = [4, -4, 7, 8, -9, 1].map((ahead) => {
    onSlackDate(new Date(-ahead * minuteMs).toUTCString());
    return problem();
  });
  const ahead = (minutes: number) => `clock: ${minutes} min ahead of Slack’s`;
  expect(told).toEqual([undefined, undefined, ahead(7), ahead(8), 'clock: 9 min behind Slack’s', undefined]);
  onSlackDate(null);
  onSlackDate('yesterday');
  expect(log.messages()).toEqual([wrong, 'the clock of this machine is right again']);
});
