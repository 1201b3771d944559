/** Digests are posted once with metadata, and found again by it among other messages. */
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import type { OutboxPosting as Port } from '../../../../../src/bot/outbox/ports.ts';
import { CircuitBreaker } from '../../../../../src/bot/slack/outbound/delivery/outbox-posting.ts';
import { channelId, personId } from '../../../../../src/local-slack/state/seed.ts';
import {
  allDay,
  digest,
  sendMany,
  startPostingBot,
  startScriptedPosting,
} from '../../../../support/bot/posting-bot.ts';
import type { FakeReply } from '../../../../support/slack/fake-slack.ts';
import {
  delayed,
  httpStatus,
  oncePerInterval,
  rateLimited,
  slackError,
  visibleLate,
} from '../../../../support/slack/faults.ts';
import { slackNow, webClient } from '../../../../support/slack/local-slack.ts';

const waitMsMax = 15_000;
const ada = personId('ada');
const ids = (found: Awaited<ReturnType<Port['find']>>) =>
  'kind' in found ? found : found.map((each) => each.opaqueId);

describe('a digest that is sent', () => {
  it('is posted once, without previews, with only its id as metadata', async () => {
    const { digests, target, slack, visible } = await startPostingBot();
    const port: Port = digests;
    expect(await port.send(target, digest, 'd1')).toEqual({
      kind: 'posted',
      ts: expect.stringMatching(/^\d+\.\d{6}$/),
    });
    expect(visible()).toEqual(['2 failures']);
    const [call] = slack.requests.filter(({ name }) => name === 'chat.postMessage');
    expect(call?.fields).toMatchObject({ unfurl_links: 'false', unfurl_media: 'false' });
    // Slack documents no such argument.
    expect(call?.fields).not.toHaveProperty('client_msg_id');
    expect(JSON.parse(String(call?.fields['metadata']))).toEqual({
      event_type: 'workflow_bot_message',
      event_payload: { id: 'd1' },
    });
  });

  it('is posted in the given thread', async () => {
    const { digests, target, slack } = await startPostingBot();
    const [root = ''] = await sendMany({ digests }, target, 1);
    await digests.send({ ...target, threadTs: root }, digest, 'reply');
    expect(slack.messages({ channel: target.channelId, viewer: ada }).map(({ threadTs }) => threadTs)).toEqual([
      null,
      root,
    ]);
  });

  it('has no blocks or no metadata on request', async () => {
    const { digests, target, slack } = await startPostingBot();
    await digests.send(target, digest, 'd1', 'text');
    await digests.send(target, digest, 'd2', 'unmarked');
    const [words, unmarked] = slack.workspace.history.list(target.channelId);
    expect(words).toMatchObject({ text: '2 failures', blocks: [], metadata: { event_payload: { id: 'd1' } } });
    expect(unmarked).toMatchObject({ text: '2 failures', metadata: null });
    expect(unmarked?.blocks).not.toEqual([]);
  });

  it('is not sent to a workspace that has not installed the bot', async () => {
    const { digests, slack, target } = await startPostingBot();
    const sent = await digests.send({ ...target, teamId: 'T0NOWHERE' }, digest, 'd1');
    expect(sent).toEqual({ kind: 'permanent', error: 'not_installed' });
    expect(await digests.find({ ...target, teamId: 'T0NOWHERE' }, allDay, waitMsMax)).toMatchObject({
      kind: 'unreadable',
    });
    expect(slack.requests.map(({ name }) => name)).not.toContain('chat.postMessage');
  });
});

it.each<[string, FakeReply]>([
  ['an empty object', { body: {} }],
  ['a refusal without a reason', { body: { ok: false } }],
  ['nothing at all', { body: '' }],
  ['null', { body: 'null' }],
  ['half of an answer', { body: '{"ok":true,"ts":"1.' }],
  ['an empty ts', { body: { ok: true, ts: '' } }],
])('%s leaves it unknown whether a digest was posted', async (_, reply) => {
  const { digests, slack, target } = await startScriptedPosting();
  slack.script('chat.postMessage', reply);
  expect(await digests.send(target, digest, 'd1')).toMatchObject({ kind: 'unknown' });
});

it.each([
  [7, 7_000],
  [3_600, 3_600_000],
  [1_795_335_000, 3_600_000],
])('a Retry-After of %i s is respected, up to one hour', async (seconds, retryAfterMs) => {
  const { digests, slack, target } = await startPostingBot();
  slack.fail('chat.postMessage', rateLimited(seconds));
  expect(await digests.send(target, digest, 'd1')).toEqual({ kind: 'not_sent', error: 'ratelimited', retryAfterMs });
});

it('a notification is not repeated after a Retry-After of an hour', async () => {
  const { bot, slack, target } = await startPostingBot();
  slack.fail('chat.postMessage', rateLimited(3600));
  expect(await bot.notifyPerson({ teamId: target.teamId, userId: ada }, digest)).toBe(false);
  expect(slack.requests.filter(({ name }) => name === 'chat.postMessage')).toHaveLength(1);
});

describe('a posted message', () => {
  it('is found by its metadata, page after page, and messages of others are not', async () => {
    const { digests, target, slack } = await startPostingBot();
    await sendMany({ digests }, target, 3);
    for (let index = 0; index < 450; index += 1) slack.say({ user: ada, channel: target.channelId, text: 'hello' });
    await sendMany({ digests }, target, 1);
    expect(ids(await digests.find(target, allDay, waitMsMax))).toEqual(['d0', 'd2', 'd1', 'd0']);
    expect(slack.requests.filter(({ name }) => name === 'conversations.history')).toHaveLength(3);
  });

  it('is found between two times, both inclusive', async () => {
    let now = slackNow;
    const { digests, target } = await startPostingBot({}, { clock: () => now });
    for (const id of ['early', 'first', 'last', 'late']) {
      await digests.send(target, digest, id);
      now += 1_000;
    }
    const found = await digests.find(target, { from: slackNow + 1_000, to: slackNow + 2_000 }, waitMsMax);
    expect(ids(found)).toEqual(['last', 'first']);
  });

  it('is found in a thread, and a deleted thread is empty', async () => {
    const { digests, target, slack } = await startPostingBot();
    const [root = ''] = await sendMany({ digests }, target, 1);
    await digests.send({ ...target, threadTs: root }, digest, 'reply');
    expect(ids(await digests.find(target, allDay, waitMsMax))).toEqual(['d0']);
    expect(ids(await digests.find({ ...target, threadTs: root }, allDay, waitMsMax))).toEqual(['d0', 'reply']);
    await webClient(slack).chat.delete({ channel: target.channelId, ts: root });
    expect(ids(await digests.find({ ...target, threadTs: root }, allDay, waitMsMax))).toEqual(['reply']);
    expect(await digests.find({ ...target, threadTs: '1700000000.000100' }, allDay, waitMsMax)).toEqual([]);
  });

  it('is found once Slack shows it', async () => {
    const { digests, target, slack, visible } = await startPostingBot();
    const shown = Promise.withResolvers<void>();
    slack.fail(
      'chat.postMessage',
      visibleLate(() => shown.promise, 'drop'),
    );
    expect(await digests.send(target, digest, 'd1')).toMatchObject({ kind: 'unknown' });
    expect([visible(), await digests.find(target, allDay, waitMsMax)]).toEqual([[], []]);
    const seen = slack.nextMessage();
    shown.resolve();
    await seen;
    expect(ids(await digests.find(target, allDay, waitMsMax))).toEqual(['d1']);
  });

  it('is not found if it was posted by another app', async () => {
    const { digests, slack, target } = await startScriptedPosting();
    const marked = (id: string, by: object) => ({
      ...{ ts: '1.000000', ...by },
      metadata: { event_type: 'workflow_bot_message', event_payload: { id } },
    });
    const messages = [marked('theirs', { bot_id: 'B0EVIL', user: 'U0EVIL' }), marked('ours', { bot_id: 'B0BOT' })];
    slack.script('conversations.history', { body: { ok: true, messages, has_more: false } });
    expect(ids(await digests.find(target, allDay, waitMsMax))).toEqual(['ours']);
  });
});

describe('a history that cannot be read', () => {
  it('because of a missing scope is unreadable permanently', async () => {
    const { digests, target, slack } = await startPostingBot();
    slack.fail('conversations.history', slackError('missing_scope'));
    expect(await digests.find(target, allDay, waitMsMax)).toEqual({ kind: 'unreadable', error: 'missing_scope' });
  });

  it.each([
    ['an error of the server', { status: 503, body: 'upstream' }],
    ['no messages', { body: { ok: true } }],
    ['a page that says there are more and not where', { body: { ok: true, messages: [], has_more: true } }],
    ['a page of HTML', { body: '<html>' }],
    ['nothing', 'drop'],
  ] as const)('because of %s may be read later, and does not count as empty', async (_, reply) => {
    const { digests, slack, target } = await startScriptedPosting();
    slack.script('conversations.history', reply);
    expect(await digests.find(target, allDay, waitMsMax)).toMatchObject({ kind: 'later', retryAfterMs: 30_000 });
  });

  it('is read after a Retry-After of seconds', async () => {
    let now = slackNow;
    const { digests, target, slack } = await startPostingBot({
      clock: () => now,
      timing: {
        waitBeforeRepeat: async (ms) => {
          now += ms;
        },
      },
    });
    await sendMany({ digests }, target, 1);
    slack.fail('conversations.history', rateLimited(7), 2);
    expect(ids(await digests.find(target, allDay, waitMsMax))).toEqual(['d0']);
    expect(now - slackNow).toBe(14_000);
  });

  it('more than once a minute is read once a minute, and continues at its cursor', async () => {
    let now = slackNow;
    const { digests, target, slack } = await startPostingBot({ clock: () => now });
    await sendMany({ digests }, target, 201);
    slack.failWhen(
      'conversations.history',
      oncePerInterval(60_000, () => now),
    );
    const later = { kind: 'later', error: 'ratelimited', retryAfterMs: 60_000 };
    expect(await digests.find(target, allDay, waitMsMax)).toEqual(later);
    now += 60_000;
    expect(ids(await digests.find(target, allDay, waitMsMax))).toHaveLength(201);
    expect(await digests.find(target, allDay, waitMsMax)).toEqual(later);
    const reads = slack.requests.filter(({ name }) => name === 'conversations.history');
    expect(reads).toHaveLength(3);
  });

  it.each([
    ['is refused once is read from the start', [{ ok: false, error: 'invalid_cursor' }], ['ours', 'first']],
    [
      'is always refused is not read forever',
      Array.from({ length: 60 }, () => ({ ok: false, error: 'invalid_cursor' })),
      { kind: 'unreadable', error: 'too_many_messages' },
    ],
  ])('whose cursor %s', async (_, answers, found) => {
    const { digests, slack, target } = await startScriptedPosting();
    const page = (id: string, next_cursor: string) => {
      const metadata = { event_type: 'workflow_bot_message', event_payload: { id } };
      const messages = [{ ts: '1.000000', bot_id: 'B0BOT', metadata }];
      return { ok: true, messages, has_more: next_cursor !== '', response_metadata: { next_cursor } };
    };
    const bodies = [page('gone', 'place'), ...answers, page('ours', 'other'), page('first', '')];
    slack.script('conversations.history', ...bodies.map((body) => ({ body })));
    expect(ids(await digests.find(target, allDay, waitMsMax))).toEqual(found);
  });
});

describe('a deleted digest', () => {
  it('is gone, also if it was deleted before', async () => {
    const { digests, target, visible } = await startPostingBot();
    const [ts = ''] = await sendMany({ digests }, target, 1);
    expect([await digests.remove(target, ts), await digests.remove(target, ts)]).toEqual([true, true]);
    expect(visible()).toEqual([]);
  });

  it('stays if another author posted it', async () => {
    const { digests, target, slack, visible } = await startPostingBot();
    const said = slack.say({ user: ada, channel: target.channelId, text: 'hello' });
    expect(await digests.remove(target, said?.ts ?? '')).toBe(false);
    expect(visible()).toEqual(['hello']);
  });
});

it('the circuit breaker opens after twenty failed calls', async () => {
  const { digests, target, slack } = await startPostingBot();
  slack.fail('chat.postMessage', httpStatus(503), 500);
  const kinds: string[] = [];
  for (let index = 0; index < 40; index += 1) kinds.push((await digests.send(target, digest, `d${index}`)).kind);
  expect(kinds).toEqual([...Array(20).fill('unknown'), ...Array(20).fill('not_sent')]);
  expect(slack.requests.filter(({ name }) => name === 'chat.postMessage')).toHaveLength(20);
});

it('an open circuit breaker lets one call through at a time, and closes when that call succeeds', async () => {
  let now = 0;
  const breaker = new CircuitBreaker(() => now);
  const isSuccess = (answer: string) => answer === 'ok';
  for (let failures = 0; failures < 19; failures += 1) await breaker.run(async () => 'down', isSuccess);
  expect(breaker.waitMs()).toBe(0);
  await expect(breaker.run(() => Promise.reject(new Error('down')), isSuccess)).rejects.toThrow('down');
  expect(breaker.waitMs()).toBe(10_000);
  now = 10_000;
  expect(breaker.waitMs()).toBe(0);
  const { promise, resolve } = Promise.withResolvers<string>();
  const probe = breaker.run(() => promise, isSuccess);
  expect(breaker.waitMs()).toBe(10_000);
  resolve('ok');
  await probe;
  expect(breaker.waitMs()).toBe(0);
});

it('a digest that is not posted while the circuit breaker waits for a probe keeps no other digest waiting', async () => {
  const { digests, target, slack } = await startPostingBot();
  const other = { ...target, channelId: channelId('ops-alerts') };
  slack.fail('chat.postMessage', httpStatus(503), 20);
  for (let failures = 0; failures < 20; failures += 1) await digests.send(target, digest, `d${failures}`);
  slack.changeChannel(other.channelId, { isShared: true });
  const now = performance.now.bind(performance);
  const uptime = vi.spyOn(performance, 'now').mockImplementation(() => now() + 10_000);
  onTestFinished(() => uptime.mockRestore());
  expect(await digests.send(other, digest, 'shared')).toEqual({ kind: 'permanent', error: 'channel_is_shared' });
  expect((await digests.send(target, digest, 'd20')).kind).toBe('posted');
});

describe('a channel that another company may read', () => {
  it('gets no digest, even if it was internal before, and gets them again when it is internal', async () => {
    let now = slackNow;
    const { digests, target, slack, visible } = await startPostingBot({ clock: () => now });
    await sendMany({ digests }, target, 1);
    slack.changeChannel(target.channelId, { isShared: true });
    now += 600_000;
    expect(await digests.send(target, digest, 'd1')).toEqual({ kind: 'permanent', error: 'channel_is_shared' });
    expect(visible()).toHaveLength(1);
    slack.changeChannel(target.channelId, { isShared: false });
    now += 60_000;
    await sendMany({ digests }, target, 1);
  });

  it.each([
    ['because a scope is missing', slackError('missing_scope'), { kind: 'not_sent', error: 'sharing_needs_scopes' }],
    ['because it fails', httpStatus(500), { kind: 'not_sent', error: 'sharing_unknown' }],
    ['because of a rate limit', rateLimited(30), { kind: 'not_sent', error: 'sharing_unknown' }],
    ['in time', delayed(60_000), { kind: 'not_sent', error: 'sharing_unknown' }],
    [
      'because the bot cannot see the channel',
      slackError('channel_not_found'),
      { kind: 'permanent', error: 'sharing_needs_membership' },
    ],
  ])('gets no digest if Slack does not answer %s', async (_, fault, outcome) => {
    const { digests, target, slack, visible } = await startPostingBot({ timing: { audienceTimeoutMs: 1_000 } });
    slack.fail('conversations.info', fault);
    expect(await digests.send(target, digest, 'd1')).toMatchObject(outcome);
    expect(visible()).toEqual([]);
  });

  it('gets the digest as soon as Slack reports that it is internal', async () => {
    const { digests, target, slack } = await startPostingBot();
    slack.fail('conversations.info', httpStatus(500));
    expect(await digests.send(target, digest, 'd1')).toMatchObject({ kind: 'not_sent' });
    await sendMany({ digests }, target, 1);
  });
});
