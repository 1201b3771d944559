/** Repeated deliveries and replayed requests to several processes with one store. */
import { expect, test } from 'vitest';
import type { Submitted } from '../../../../src/bot/commands/framework/dispatch.ts';
import { createClaim } from '../../../../src/bot/slack/inbound/middleware/deduplicate.ts';
import type { Leases } from '../../../../src/bot/store/repositories/coordination.ts';
import { testRuntime } from '../../../support/bot/runtime.ts';
import { openTestStore } from '../../../support/bot/store.ts';
import { createMemoryLog } from '../../../support/runner/memory-log.ts';
import { mentionIn, startInstallBot } from '../../../support/slack/installing.ts';
import { formBody, signatureOf } from '../../../support/slack/signed-http.ts';
import { commandPayload, pressPayload, submissionPayload } from '../../../support/slack/slack-payloads.ts';

test('one of two processes that get the same event answers', async () => {
  const bot = await startInstallBot();
  await bot.install();
  const other = await startInstallBot({ store: bot.store, slackApiUrl: bot.slack.apiUrl });
  const event = mentionIn('T1');
  for (const one of [bot, other]) expect((await one.postJson(event)).status).toBe(200);
  await other.log.until('slack repeated a delivery');
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

test('a delivery counts as new if the store fails, and a duplicate within one process needs no store', async () => {
  const store = await openTestStore();
  const { log } = createMemoryLog();
  const claim = createClaim(
    store.idempotencyKeys,
    testRuntime(() => 0, log),
  );
  await store.close();
  expect([await claim('T1', 'Ev1'), await claim('T1', 'Ev1'), await claim('T2', 'Ev1')]).toEqual([true, false, true]);
});

test('a store that never answers delays no command', async () => {
  const { log, messages } = createMemoryLog();
  const deliveries = { claim: () => new Promise<never>(() => {}) };
  const claim = createClaim(
    deliveries,
    testRuntime(() => 0, log),
  );
  expect(await claim('T1', 'Ev1')).toBe(true);
  expect(messages()).toEqual(['the bot’s database could not check whether slack sent this before']);
});

/** Presses Share below one answer, which each of two processes receives. @returns how many posts the channel sees */
async function shareTwice(takeLease?: Leases['take']) {
  const store = await openTestStore();
  const shared = { store, shared: takeLease ? { ...store, leases: { take: takeLease } } : store };
  const bot = await startInstallBot(shared);
  await bot.install();
  const other = await startInstallBot({ ...shared, slackApiUrl: bot.slack.apiUrl });
  const press = () => pressPayload(bot.slack, { mode: 'share', line: 'list' }, { team: { id: 'T1' } });
  await Promise.all([bot, other].map((one) => one.post({ payload: JSON.stringify(press()) })));
  await Promise.all([bot, other].map((one) => one.bot.finish()));
  return bot.slack.responses.filter(({ payload }) => payload['response_type'] === 'in_channel').length;
}

test('an answer whose Share button is pressed twice is posted once, also if two processes get one press each', async () => {
  expect(await shareTwice()).toBe(1);
});

test('an answer is shared although the store fails', async () => {
  expect(await shareTwice(() => Promise.reject(new Error('The store is down.')))).toBe(2);
});

/** Sends the same form to two processes. @returns both answers, and the number of submissions */
async function sendTwice(outcome: Submitted, takeLease?: Leases['take']) {
  const store = await openTestStore();
  let count = 0;
  const submit = async () => {
    count += 1;
    return outcome;
  };
  const shared = { store, shared: takeLease ? { ...store, leases: { take: takeLease } } : store, submit };
  const bot = await startInstallBot(shared);
  await bot.install();
  const other = await startInstallBot({ ...shared, slackApiUrl: bot.slack.apiUrl });
  const view = { id: 'V1', hash: 'h1', callback_id: 'cmd:connect', state: { values: {} } };
  const send = async ({ post }: typeof bot) => {
    const fields = { team: { id: 'T1' }, user: { id: 'U0ANNA', team_id: 'T1' }, view };
    return (await post({ payload: JSON.stringify(submissionPayload(fields)) })).text;
  };
  return { answers: [await send(bot), await send(other)], count };
}

test('lifecycle/modal-double-submit: a form sent to two processes is submitted once, and the second answer says so', async () => {
  const { answers, count } = await sendTwice({ kind: 'close' });
  expect(answers).toEqual(['{"response_action":"clear"}', expect.stringContaining('Already submitted')]);
  expect(count).toBe(1);
});

test.each<Submitted>([
  { kind: 'errors', errors: { key: 'It is refused.' }, form: null },
  { kind: 'problem', message: { text: 'It is down.', blocks: [] } },
])('after $kind it is submitted again, by either process', async (outcome) => {
  expect((await sendTwice(outcome)).count).toBe(2);
});

test('a form is submitted although the store fails', async () => {
  const takeLease = () => Promise.reject(new Error('The store is down.'));
  expect((await sendTwice({ kind: 'close' }, takeLease)).count).toBe(2);
});
