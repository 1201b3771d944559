/** What Slack delivers twice, or somebody sends again, to several processes with one store. */
import { expect, test } from 'vitest';
import { createSharedClaim } from '../../src/slack/seen.ts';
import { mentionIn, startInstallBot } from '../support/installing.ts';
import { createMemoryLog } from '../support/memory-log.ts';
import { formBody, signatureOf } from '../support/signed-http.ts';
import { commandPayload } from '../support/slack-payloads.ts';
import { openTestStore } from '../support/store.ts';

test('of two processes that get the same event one answers', async () => {
  const bot = await startInstallBot();
  await bot.install();
  const other = await startInstallBot({ store: bot.store, slackApiUrl: bot.slack.apiUrl });
  const event = mentionIn('T1');
  for (const one of [bot, other]) expect((await one.postJson(event)).status).toBe(200);
  await other.log.until('slack delivered the same thing again');
  expect([bot.requests.length, other.requests.length]).toEqual([1, 0]);
});

test('a signed request that is sent again to another process runs nothing there', async () => {
  const bot = await startInstallBot();
  await bot.install();
  const other = await startInstallBot({ store: bot.store, slackApiUrl: bot.slack.apiUrl });
  const body = formBody(commandPayload(bot.slack, 'list', { team_id: 'T1' }));
  const headers = { 'content-type': 'application/x-www-form-urlencoded', ...signatureOf({ body }) };
  const answers = [await bot.send({ body, headers }), await other.send({ body, headers })];
  expect(answers.map(({ text }) => text.includes('You typed list'))).toEqual([true, false]);
});

test('a store that does not say counts as new, and what this process has seen needs none', async () => {
  const store = await openTestStore('sqlite::memory:');
  const { log } = createMemoryLog();
  const claim = createSharedClaim({ deliveries: store.seen, clock: () => 0, log });
  await store.close();
  expect([await claim('T1', 'Ev1'), await claim('T1', 'Ev1'), await claim('T2', 'Ev1')]).toEqual([true, false, true]);
});

test('a store that never answers holds up nobody', async () => {
  const { log, messages } = createMemoryLog();
  const deliveries = { claim: () => new Promise<never>(() => {}) };
  const claim = createSharedClaim({ deliveries, clock: () => 0, log });
  expect(await claim('T1', 'Ev1')).toBe(true);
  expect(messages()).toEqual(['store does not say whether a delivery is new']);
});
