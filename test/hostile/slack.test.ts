/**
 * The hostile cases of the section `slack`: Slack's answers and their classes, over real HTTP. The tests of digests cover the effects
 * on digests (pauses, notices, deferred messages).
 */
import { Agent } from 'undici';
import { expect, onTestFinished } from 'vitest';
import type { Sent } from '../../src/bot/outbox/ports.ts';
import { createOutboxPosting } from '../../src/bot/slack/outbound/delivery/outbox-posting.ts';
import { createSlackClients } from '../../src/bot/slack/outbound/web-api/client.ts';
import { createHistoryReader } from '../../src/bot/slack/outbound/web-api/history-reader.ts';
import { createSlackFetch } from '../../src/bot/slack/outbound/web-api/slack-fetch.ts';
import { channelId, personId } from '../../src/local-slack/state/seed.ts';
import { echo, lateAnswer, startTestBot, type TestDispatch } from '../support/bot/bot.ts';
import { allDay, digest, sendMany, startPostingBot, startScriptedPosting } from '../support/bot/posting-bot.ts';
import { type CaseRun, walk } from '../support/bot/walk.ts';
import { type HostileCase, hostileCases } from '../support/hostile/hostile.ts';
import { createMemoryLog } from '../support/runner/memory-log.ts';
import { type FakeReply, startFakeSlack } from '../support/slack/fake-slack.ts';
import {
  delayed,
  httpStatus,
  oncePerInterval,
  replacedAnswer,
  resetAfterwards,
  slackError,
  visibleLate,
} from '../support/slack/faults.ts';
import { slackNow } from '../support/slack/local-slack.ts';
import { commandPayload } from '../support/slack/slack-payloads.ts';

const ada = personId('ada');
const error = ({ given }: HostileCase) => String(JSON.parse(JSON.stringify(given['body'] ?? {})).error);

/** Slack's answer in a case. */
function replyOf({ given }: HostileCase): FakeReply {
  const { status, headers, body = '' } = JSON.parse(JSON.stringify(given));
  return { body, ...(status && { status }), ...(headers && { headers }) };
}

/** One call with the case's answer; then Slack is healthy again and accepts a post. */
function answered(expected: (one: HostileCase) => Sent): CaseRun {
  return async (one) => {
    const { digests, slack, target, callsOf } = await startScriptedPosting();
    slack.script('chat.postMessage', replyOf(one));
    expect(await digests.send(target, digest, 'd1')).toEqual(expected(one));
    expect(callsOf('chat.postMessage')).toHaveLength(1);
    expect(await digests.send(target, digest, 'd2')).toMatchObject({ kind: 'posted' });
  };
}

const permanent = answered((one) => ({ kind: 'permanent', error: error(one) }));
const unknown = answered((one) => ({ kind: 'unknown', error: error(one) }));
const limited = (seconds: number) =>
  answered(() => ({ kind: 'not_sent', error: 'ratelimited', retryAfterMs: seconds * 1000 }));
const serverError = answered(({ given }) => ({ kind: 'unknown', error: `http_${given['status']}` }));

/** Refused once; the next call posts a simpler form, and it is there once. */
const content: CaseRun = async (one) => {
  const { digests, slack, target, visible } = await startPostingBot();
  slack.fail('chat.postMessage', slackError(error(one)));
  expect(await digests.send(target, digest, 'd1')).toEqual({ kind: 'content', error: error(one) });
  expect(visible()).toEqual([]);
  const form = error(one) === 'invalid_metadata_format' ? 'unmarked' : 'text';
  expect(await digests.send(target, digest, 'd1', form)).toMatchObject({ kind: 'posted' });
  expect(visible()).toEqual(['2 failures']);
};

const tokenRefused = answered((one) => ({ kind: 'not_sent', error: error(one), retryAfterMs: 300_000 }));

/** Cases that are one answer to one post, by the class in `expect`. */
function runOf(one: HostileCase): CaseRun {
  if (one.expect['state'] === 'UNKNOWN') return unknown;
  return 'postsMax' in one.expect ? content : permanent;
}

/** A post with an unknown outcome, which is found in the history once. */
function lost(
  fault: Parameters<Awaited<ReturnType<typeof startPostingBot>>['slack']['fail']>[1],
  callTimeoutMs = 5_000,
) {
  return async () => {
    const { digests, slack, target, visible } = await startPostingBot({ timing: { callTimeoutMs } });
    slack.fail('chat.postMessage', fault);
    expect(await digests.send(target, digest, 'd1')).toMatchObject({ kind: 'unknown' });
    expect(visible()).toHaveLength(1);
    expect(await digests.find(target, allDay, 15_000)).toMatchObject([{ opaqueId: 'd1' }]);
  };
}

/** Clients for many workspaces, without a reachable Slack. */
function bareDigests(slackApiUrl: string, uptime: () => number = () => 0) {
  const dispatcher = new Agent();
  onTestFinished(() => dispatcher.destroy());
  const { log } = createMemoryLog();
  const clients = createSlackClients({ slackApiUrl, fetch: createSlackFetch(dispatcher), log, callTimeoutMs: 5_000 });
  return createOutboxPosting({
    slashCommand: '/workflow',
    clients,
    workspaces: { find: async (teamId) => ({ teamId, botToken: `xoxb-of-${teamId}`, botUserId: 'U0BOT' }) },
    audienceOf: async () => 'own',
    notifyPerson: async () => false,
    history: createHistoryReader({ clients, clock: () => slackNow, stopping: new AbortController().signal }),
    uptime,
  });
}

/** A command with a late answer, and these replies of its response_url. */
async function answerLate(answer: TestDispatch, ...replies: readonly FakeReply[]) {
  const run = await startTestBot({ answer });
  onTestFinished(() => run[Symbol.asyncDispose]());
  run.slack.script('response_url', ...replies);
  await run.slack.send('slash_commands', commandPayload(run.slack, 'list'));
  await run.bot.stop();
  return run;
}
const late = lateAnswer(({ line }) => echo(line));
/** Shows more progress notes than a response_url allows. */
const talkative: TestDispatch = async ({ line }, onProgress) => {
  for (let step = 0; step < 20; step += 1) {
    onProgress?.(digest);
    await new Promise(setImmediate);
  }
  return echo(line);
};

const special: Readonly<Record<string, CaseRun>> = {
  '429-ra-3600': limited(3600),
  '429-no-ra': limited(1),
  org_login_required: answered((one) => ({ kind: 'not_sent', error: error(one), retryAfterMs: 3_600_000 })),
  invalid_auth: tokenRefused,
  token_revoked: tokenRefused,
  duplicate_channel_not_found: unknown,
  'http-500': serverError,
  'http-503': serverError,
  'ok-no-ts': async (one) => {
    await answered(() => ({ kind: 'unknown', error: 'no_ts' }))(one);
    await lost(replacedAnswer({ ok: true }))();
  },
  'ok-html': answered(() => ({ kind: 'unknown', error: 'not_an_answer_of_slack' })),
  'reset-after-post': lost(resetAfterwards()),
  'slow-29s': lost(delayed(29_000)),

  'history-denied': async (one) => {
    const { digests, slack, target } = await startPostingBot();
    slack.fail('conversations.history', slackError(error(one)));
    expect(await digests.find(target, allDay, 15_000)).toEqual({ kind: 'unreadable', error: 'missing_scope' });
  },
  'history-1-per-min': async ({ expect: { callsPerMin } }) => {
    let now = slackNow;
    const { digests, slack, target } = await startPostingBot({ clock: () => now });
    await sendMany({ digests }, target, 1);
    slack.failWhen(
      'conversations.history',
      oncePerInterval(60_000, () => now),
    );
    const outcomes = [];
    for (let minute = 0; minute < 5; minute += 1) {
      for (let times = 0; times < 3; times += 1) outcomes.push(await digests.find(target, allDay, 15_000));
      now += 60_000;
    }
    // The first refusal shows the limit.
    const calls = slack.requests.filter(({ name }) => name === 'conversations.history');
    expect(calls).toHaveLength(5 * Number(callsPerMin) + 1);
    expect(outcomes.filter((found) => !('kind' in found))).toHaveLength(5);
  },
  'history-busy-channel': async ({ given }) => {
    const { digests, slack, target } = await startPostingBot();
    await sendMany({ digests }, target, 1);
    const newer = Array.from({ length: Number(given['newer']) }, (_, index) => `hello ${index}`);
    for (const text of newer) slack.say({ user: ada, channel: target.channelId, text });
    expect(await digests.find(target, allDay, 15_000)).toMatchObject([{ opaqueId: 'd0' }]);
    const [first] = slack.requests.filter(({ name }) => name === 'conversations.history');
    const [oldest, latest] = [allDay.from, allDay.to].map((ms) => (ms / 1000).toFixed(6));
    expect(first?.fields).toMatchObject({ oldest, latest, inclusive: 'true', include_all_metadata: 'true' });
  },
  'history-lag': async () => {
    const { digests, slack, target } = await startPostingBot();
    const shown = Promise.withResolvers<void>();
    slack.fail(
      'chat.postMessage',
      visibleLate(() => shown.promise, 'drop'),
    );
    await digests.send(target, digest, 'd1');
    expect(await digests.find(target, allDay, 15_000)).toEqual([]);
    const seen = slack.nextMessage();
    shown.resolve();
    await seen;
    expect(await digests.find(target, allDay, 15_000)).toMatchObject([{ opaqueId: 'd1' }]);
  },
  'parent-deleted': async () => {
    const { digests, slack, target, visible } = await startPostingBot();
    const [root = ''] = await sendMany({ digests }, target, 1);
    slack.deleteMessage({ user: ada, channel: target.channelId, ts: root });
    const reply = await digests.send({ ...target, threadTs: root }, digest, 'reply');
    expect(reply).toEqual({ kind: 'permanent', error: 'cannot_reply_to_message' });
    expect(await digests.send(target, digest, 'reply')).toMatchObject({ kind: 'posted' });
    expect(visible()).toHaveLength(1);
  },

  'respond-404': async () => {
    const { slack, log } = await answerLate(late, { status: 404, body: 'expired_url' });
    expect(slack.responses).toHaveLength(1);
    expect(log.text()).toContain('expired_url');
    expect(log.messages()).toContain('answer could not be delivered this way');
  },
  'respond-6th': async () => {
    const { slack } = await answerLate(talkative);
    expect(slack.responses.length).toBeLessThanOrEqual(5);
    expect(slack.responses.at(-1)?.payload).toMatchObject({ text: 'You typed list' });
  },
  'respond-500': async ({ expect: { retries } }) => {
    const failing = { status: 500, body: '' };
    const { slack } = await answerLate(late, failing, failing, failing);
    expect(slack.responses).toHaveLength(1 + Number(retries));
  },
  'files-fail': async () => {
    const file = { name: 'log.txt', title: 'The log', content: async () => Buffer.from('all of it') };
    const answer: TestDispatch = ({ line }) => ({ ...echo(line), file });
    const { slack } = await startPostingBot({ answer });
    slack.fail('files.getUploadURLExternal', httpStatus(500));
    const told = slack.nextMessage({ viewer: ada });
    await slack.command({ user: ada, channel: channelId('general'), text: '/workflow logs' });
    expect((await told).text).toMatch(/You typed logs[\s\S]*Slack did not confirm that the file was sent to you/);
  },

  dns: async () => {
    const digests = bareDigests('http://slack.invalid/api/');
    const sent = await digests.send({ teamId: 'T1', channelId: 'C1' }, digest, 'd1');
    expect(sent).toMatchObject({ kind: 'not_sent', error: expect.stringMatching(/^(?:ENOTFOUND|EAI_AGAIN)$/) });
  },
  'all-teams-down': async ({ given }) => {
    let now = 0;
    const slack = await startFakeSlack();
    onTestFinished(() => slack.close());
    const digests = bareDigests(slack.apiUrl, () => now);
    const send = (team: number) => digests.send({ teamId: `T${team}`, channelId: 'C1' }, digest, `d${team}`);
    slack.script('chat.postMessage', ...Array(22).fill({ status: Number(given['status']), body: '' }));
    for (let team = 0; team < Number(given['teams']); team += 1) await send(team);
    expect(slack.calls).toHaveLength(20);
    now += 10_000;
    expect([await send(1), await send(2)]).toMatchObject([{ kind: 'unknown' }, { error: 'slack_is_down' }]);
    now += 10_000;
    await send(1);
    now += 10_000;
    expect([await send(1), await send(2)]).toMatchObject([{ kind: 'posted' }, { kind: 'posted' }]);
  },
};

const elsewhere = {
  'views-expired-trigger': 'test/bot/slack/inbound/listeners/modals.test.ts',
  'views-hash-conflict': 'test/bot/slack/inbound/listeners/modals.test.ts',
};

const runs = Object.fromEntries(
  hostileCases('slack')
    .map((one) => [one.id.replace('slack/', ''), one] as const)
    .filter(([name]) => !(name in elsewhere))
    .map(([name, one]) => [name, special[name] ?? runOf(one)] as const),
);

const waits =
  'nothing is deleted, and the digest waits until Slack accepts the token: a changed egress address is refused, too';

walk({ section: 'slack', runs, elsewhere, instead: { invalid_auth: waits, token_revoked: waits } });
