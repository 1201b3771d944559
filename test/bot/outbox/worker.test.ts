/** Delivery of a due digest, for every answer of Slack. */
import { describe, expect, it } from 'vitest';
import type { Sent } from '../../../src/bot/outbox/ports.ts';
import { AppError } from '../../../src/shared/errors.ts';
import { dayMs, type plan } from '../../support/bot/outbox.ts';
import { type Post, rootAndReply, say, startWorker, type WorkerTestOptions } from '../../support/bot/outbox-worker.ts';
import { openBeside } from '../../support/bot/store.ts';
import { newSqlite } from '../../support/databases/engines.ts';

const minute = 60_000;
const unknown: Sent = { kind: 'unknown', error: 'time_out' };
const refused: Sent = { kind: 'permanent', error: 'not_in_channel' };
const isRoot = ({ text }: Pick<Post, 'text'>) => text.startsWith('root');
const firstOnly = (sent: Sent) => (_post: Post, count: number) => (count === 0 ? sent : undefined);

/** One subscription, due a second after the start. */
async function begin(options: WorkerTestOptions = {}, change: Partial<typeof plan> = {}) {
  const test = await startWorker(options);
  const { id } = await test.subscribe('T1', change);
  test.worker.start();
  test.pass(1000);
  return { ...test, id };
}

it('digests missed while no process ran are measured', async () => {
  const outcomes: string[] = [];
  const measure: WorkerTestOptions['measure'] = (told) => told.kind === 'digest' && outcomes.push(told.outcome);
  const { worker, subscribe, pass, until } = await startWorker({ measure });
  await subscribe('T1');
  pass(2 * dayMs + 1000);
  worker.start();
  await until('after finish');
  expect(outcomes).toEqual(['missed', 'missed', 'posted']);
});

describe('a digest that is due', () => {
  it('is posted with its replies in its thread', async () => {
    const { posts, until, outbox } = await begin();
    await until('after finish');
    expect(posts.map(({ to, text }) => [to.threadTs, text])).toEqual([
      [undefined, 'root C1'],
      ['1.0', 'reply'],
    ]);
    expect(await outbox.page('T1', 10)).toMatchObject([
      { state: 'posted', messages: [{ state: 'sent' }, { state: 'sent' }] },
    ]);
  });

  it('whose post was not confirmed is found in the history and not posted again', async () => {
    const find: WorkerTestOptions['find'] = (posts) => posts.map(({ opaqueId }) => ({ ts: '7.0', opaqueId }));
    const { posts, until, pass } = await begin({ answer: firstOnly(unknown), find });
    await until('after release');
    pass(40_000);
    await until('after finish');
    expect(posts.map(({ to, text }) => [to.threadTs, text])).toEqual([
      [undefined, 'root C1'],
      ['7.0', 'reply'],
    ]);
  });

  it.each([
    ['internal_error', 'lists'],
    ['ECONNRESET', 'whole'],
  ] as const)(
    'that Slack answered with %s, and is not in the history, is posted again as the variant “%s”',
    async (error, variant) => {
      const answer = firstOnly({ kind: 'unknown', error });
      const { posts, until, pass } = await begin({ answer });
      await until('after release');
      pass(40_000);
      await until('after finish');
      expect(posts.map((post) => [post.text, post.variant])).toEqual([
        ['root C1', 'whole'],
        ['root C1', variant],
        ['reply', 'whole'],
      ]);
    },
  );

  it('whose reply was posted in the thread and in the channel keeps the recorded one', async () => {
    let isLate = false;
    const placed = (ts: string, { opaqueId }: Post) => ({ ts, opaqueId });
    const find: WorkerTestOptions['find'] = ([, reply], { threadTs }) =>
      isLate && reply ? [placed(threadTs === undefined ? '4.0' : '1.5', reply)] : [];
    const answer = ({ to }: Post, count: number): Sent | undefined => {
      if (count === 1) return unknown;
      return to.threadTs === undefined ? undefined : { kind: 'permanent', error: 'thread_not_found' };
    };
    const { until, pass, removed, posts } = await begin({ answer, find, timing: { wakeMsMax: 1 } });
    await until('after release');
    pass(40_000);
    await until('after finish');
    isLate = true;
    pass(2 * minute);
    await until('after duplicate check');
    expect([posts.map(({ to }) => to.threadTs), removed]).toEqual([[undefined, '1.0', '1.0', undefined], ['1.5']]);
  });

  it('that is not in the history is posted again, and a copy that appears late is deleted', async () => {
    let isLate = false;
    const find: WorkerTestOptions['find'] = ([post]) =>
      isLate && post ? ['1.0', '2.0'].map((ts) => ({ ts, opaqueId: post.opaqueId })) : [];
    const { posts, until, pass, removed } = await begin({ answer: firstOnly(unknown), find, timing: { wakeMsMax: 1 } });
    await until('after release');
    pass(40_000);
    await until('after finish');
    isLate = true;
    pass(2 * minute);
    await until('after duplicate check');
    expect([posts.filter(isRoot).length, removed]).toEqual([2, ['1.0']]);
  });

  it.each(['removed', 'paused'] as const)(
    'that is %s while its post is unconfirmed, and is not in the history, is not posted',
    async (how) => {
      const { posts, until, pass, id, subscriptions, outbox } = await begin({ answer: firstOnly(unknown) });
      await until('after release');
      if (how === 'removed') await subscriptions.remove('T1', id);
      else await subscriptions.pause('T1', id, { reason: 'person', at: 1, by: 'U1' });
      pass(40_000);
      await until('after finish');
      expect(posts).toHaveLength(1);
      expect(await outbox.page('T1', 1)).toMatchObject([{ state: 'cancelled', error: how }]);
    },
  );

  it('that is removed while a resend is rate-limited is not posted', async () => {
    const later: Sent = { kind: 'not_sent', error: 'ratelimited', retryAfterMs: 60_000 };
    const { posts, until, pass, id, subscriptions, outbox } = await begin({
      answer: (_post, count) => [unknown, later][count],
    });
    await until('after release');
    pass(40_000);
    await until('after release', 2);
    await subscriptions.remove('T1', id);
    pass(60_000);
    await until('after finish');
    expect(posts).toHaveLength(2);
    expect(await outbox.page('T1', 1)).toMatchObject([{ state: 'cancelled', error: 'removed' }]);
  });

  it.each([
    ['was the last before it', 1, 1],
    ['may be the attempt', 2, 0],
  ])('whose reply Slack does not show is posted again only if the last one %s', async (_, count, again) => {
    // The first reply has the `ts` 2.0.
    const find: WorkerTestOptions['find'] = (_posts, { threadTs }) =>
      threadTs === undefined ? [] : { kind: 'counted', count, lastTs: count === 1 ? '2.0' : '3.0' };
    const answer = (_post: Post, sent: number) => (sent === 2 ? unknown : undefined);
    const content: WorkerTestOptions['content'] = {
      ...rootAndReply,
      build: async () => ({
        root: say('root'),
        replies: ['one', 'two'].map((name) => ({ name, message: say(name) })),
      }),
    };
    const { posts, until, pass, outbox, told } = await begin({ answer, find, content }, { onUncertain: 'repeat' });
    await until('after release');
    pass(40_000);
    await until('after finish');
    expect(posts.slice(3).map(({ text }) => text)).toEqual(Array(again).fill('two'));
    expect(told).toHaveLength(1 - again);
    const states = ['sent', 'sent', again === 1 ? 'sent' : 'uncertain'].map((state) => ({ state }));
    expect(await outbox.page('T1', 1)).toMatchObject([{ state: 'posted', messages: states }]);
  });

  it('whose history is unreadable is not repeated, and its owner is notified', async () => {
    const find = () => ({ kind: 'unreadable', error: 'missing_scope' }) as const;
    const { posts, until, pass, told, log } = await begin({ answer: firstOnly(unknown), find });
    await until('after release');
    pass(40_000);
    await log.until('a digest is missing, late or unconfirmed');
    expect(posts).toHaveLength(1);
    expect(told).toMatchObject([
      { userId: 'U1', text: expect.stringMatching(/may be missing.*<#C1>|<#C1>.*may be missing/) },
    ]);
  });

  it('whose history fails for six hours is not repeated, and its owner is notified', async () => {
    const find = () => ({ kind: 'later', error: 'internal_error', retryAfterMs: 30_000 }) as const;
    const { until, pass, log, outbox } = await begin({ answer: firstOnly(unknown), find });
    await until('after release');
    pass(40_000);
    await until('after release', 2);
    pass(6 * 60 * minute);
    await log.until('a digest is missing, late or unconfirmed');
    await until('after finish');
    expect(await outbox.page('T1', 1)).toMatchObject([{ state: 'posted', messages: [{ state: 'uncertain' }, {}] }]);
  });

  it('whose history is unreadable is posted again with a mark, if the subscription chose that', async () => {
    const find = () => ({ kind: 'unreadable', error: 'missing_scope' }) as const;
    const answer = (post: Post) => (isRoot(post) ? unknown : undefined);
    const { posts, until, pass, log } = await begin({ answer, find }, { onUncertain: 'repeat' });
    for (const times of [1, 2]) {
      await until('after release', times);
      pass(40_000);
    }
    await log.until('a digest is missing, late or unconfirmed');
    expect(posts.map(({ text }) => text)).toEqual(['root C1', expect.stringContaining('Possibly a duplicate')]);
  });

  it('of a channel that refuses posts pauses its subscription and notifies its owner once a day, until a post succeeds', async () => {
    let isWell = false;
    const { told, subscriptions, outbox, until, pass, id, log } = await begin({
      answer: () => (isWell ? undefined : refused),
    });
    await log.until('a digest is missing, late or unconfirmed');
    expect(await subscriptions.find('T1', id)).toMatchObject({ pause: { reason: 'not_in_channel', by: null } });
    const now = await outbox.now();
    const window = { from: now - dayMs, to: now };
    await outbox.add('T1', id, { occurrenceId: 'now', dueAt: now, window, state: 'due', isLate: false });
    pass(1000);
    await until('after finish', 2);
    pass(dayMs);
    await log.until('a digest is missing, late or unconfirmed', 2);
    expect(told[0]?.text).toMatch(/the bot is not a member.*\n.*\/invite/);
    isWell = true;
    pass(dayMs);
    await log.until('a digest schedule resumed');
    expect(await subscriptions.find('T1', id)).toMatchObject({ pause: null });
    expect(told).toHaveLength(2);
  });

  it('whose blocks Slack refuses is posted as text, once', async () => {
    const { posts, until } = await begin({ answer: firstOnly({ kind: 'content', error: 'invalid_blocks' }) });
    await until('after finish');
    expect(posts.map(({ variant, text }) => [variant, text])).toEqual([
      ['whole', 'root C1'],
      ['text', 'root C1'],
      ['whole', 'reply'],
    ]);
  });

  it('whose blocks Slack always refuses is posted as text, though the rate limiter has no permit at once', async () => {
    const answer = ({ variant }: Post): Sent | undefined =>
      variant === 'whole' ? { kind: 'content', error: 'invalid_blocks' } : undefined;
    const { posts, until } = await begin({ answer, timing: { postIntervalMs: 20, postWaitMsMax: 5 } });
    await until('after release');
    expect(posts.map(({ variant, text }) => [variant, text])).toEqual([
      ['whole', 'root C1'],
      ['text', 'root C1'],
    ]);
  });

  it('whose thread is gone gets its reply in the channel', async () => {
    const answer = ({ to }: Post): Sent | undefined =>
      to.threadTs === undefined ? undefined : { kind: 'permanent', error: 'cannot_reply_to_message' };
    const { posts, until, outbox } = await begin({ answer });
    await until('after finish');
    expect(posts.map(({ to }) => to.threadTs)).toEqual([undefined, '1.0', undefined]);
    expect(await outbox.page('T1', 1)).toMatchObject([{ state: 'posted' }]);
  });

  it('is given up after five attempts with an unknown outcome, half an hour after the first', async () => {
    const { posts, until, pass, told, log, outbox } = await begin({ answer: () => unknown });
    const posted: number[] = [];
    for (let times = 1; posts.length < 5; times += 1) {
      await until('after release', times);
      const [occurrence] = await outbox.page('T1', 1);
      posted.push(occurrence?.messages[0]?.lastIntentAt ?? 0);
      pass((occurrence?.nextAt ?? 0) - (await outbox.now()));
    }
    pass(40_000);
    await log.until('a digest is missing, late or unconfirmed');
    const [first = 0, ...others] = [...new Set(posted)];
    expect(others.map((at) => (at - first) / 40_000)).toEqual([1, 1 + 3, 1 + 3 + 9, 1 + 3 + 9 + 27]);
    expect([posts.length, told.length]).toEqual([5, 1]);
  });

  it('is not sent by a process that was frozen after recording its intent', async () => {
    let now = 0;
    let freezes = 1;
    const onStep = (step: string) => {
      if (step === 'after intent' && freezes-- > 0) now += 10_000;
    };
    const { posts, until, outbox } = await begin({ uptime: () => now, onStep });
    await until('after finish');
    expect(posts).toHaveLength(2);
    expect(await outbox.page('T1', 1)).toMatchObject([{ messages: [{ attempts: 1 }, { attempts: 1 }] }]);
  });
});

const down = async (): Promise<never> => {
  throw new AppError('unavailable', 'The query service does not answer.');
};

describe('a digest whose build fails', () => {
  it('is retried every minute for a quarter of an hour, and then says that it could not check', async () => {
    const { posts, until, pass } = await begin({ content: { ...rootAndReply, build: down } });
    for (let times = 1; times <= 15; times += 1) {
      await until('after release', times);
      expect(posts).toEqual([]);
      pass(minute);
    }
    await until('after finish');
    expect(posts.map(({ text }) => text)).toEqual(['could not check: unavailable']);
  });

  it('process/poison-subscription: with an internal error is given up after five attempts and delays no other digest', async () => {
    const build: typeof rootAndReply.build = async (occurrence, signal) => {
      if (occurrence.claimed.subscription.channelId === 'C1') throw new TypeError('a fault');
      return rootAndReply.build(occurrence, signal);
    };
    const { posts, subscribe, until, pass, log, outbox } = await begin({ content: { ...rootAndReply, build } });
    await until('after release');
    await subscribe('T1', { channelId: 'C2' });
    for (let times = 2; times <= 5; times += 1) {
      pass(minute);
      if (times < 5) await until('after release', times);
    }
    await log.until('a digest is missing, late or unconfirmed');
    await until('after finish', 2);
    expect(posts.map(({ to }) => to.channelId)).toEqual(['C2', 'C2']);
    expect((await outbox.page('T1', 5)).map(({ state }) => state).sort()).toEqual(['dead', 'posted']);
  });

  it('with one internal error after many other errors is retried', async () => {
    const problems = [...Array.from({ length: 6 }, () => new AppError('unavailable', 'down')), new TypeError('once')];
    const build: typeof rootAndReply.build = async (occurrence, signal) => {
      const problem = problems.shift();
      if (problem) throw problem;
      return rootAndReply.build(occurrence, signal);
    };
    const { until, pass, outbox } = await begin({ content: { ...rootAndReply, build } });
    for (let times = 1; times <= 7; times += 1) {
      await until('after release', times);
      pass(minute);
    }
    await until('after finish');
    expect(await outbox.page('T1', 1)).toMatchObject([{ state: 'posted' }]);
  });

  it('because nothing failed posts nothing', async () => {
    const { posts, until, outbox } = await begin({ content: { ...rootAndReply, build: async () => null } });
    await until('after finish');
    expect(posts).toEqual([]);
    expect(await outbox.page('T1', 1)).toMatchObject([{ state: 'quiet' }]);
  });
});

describe('a bot that was away', () => {
  it('posts the latest digest as late if it is less than six hours old, and reports the others as missed', async () => {
    const built: (readonly [string, boolean, number])[] = [];
    const build: typeof rootAndReply.build = async ({ claimed, isLate }) => {
      built.push([claimed.key.occurrenceId, isLate, claimed.missed.length]);
      return { root: say('root'), replies: [] };
    };
    const test = await startWorker({ content: { ...rootAndReply, build } });
    await test.subscribe();
    test.pass(2 * dayMs + 5 * 60 * minute);
    test.worker.start();
    await test.until('after finish');
    expect(built).toEqual([['2026-11-24T09:00', true, 2]]);
  });

  it('retries a build as long as usual when the query service comes back later', async () => {
    const test = await startWorker({ content: { ...rootAndReply, build: down } });
    await test.subscribe();
    test.pass(60 * minute);
    test.worker.start();
    for (let times = 1; times <= 15; times += 1) {
      await test.until('after release', times);
      expect(test.posts).toEqual([]);
      test.pass(minute);
    }
    await test.until('after finish');
    expect(test.posts.map(({ text }) => text)).toEqual(['could not check: unavailable']);
  });

  it('posts no older digest, and the next digest reports it as missed', async () => {
    const built: (readonly [string, number])[] = [];
    const build: typeof rootAndReply.build = async ({ claimed }) => {
      built.push([claimed.key.occurrenceId, claimed.missed.length]);
      return { root: say('root'), replies: [] };
    };
    const test = await startWorker({ content: { ...rootAndReply, build } });
    await test.subscribe();
    test.pass(7 * 60 * minute);
    test.worker.start();
    await test.until('after plan');
    test.pass(17 * 60 * minute + 1000);
    await test.until('after finish');
    expect(built).toEqual([['2026-11-23T09:00', 1]]);
  });
});

it('a subscription in an unknown form delays no other', async () => {
  const storeUrl = await newSqlite();
  const test = await startWorker({ storeUrl });
  const { id } = await test.subscribe('T1');
  await test.subscribe('T2');
  await (await openBeside(storeUrl))
    .updateTable('subscription')
    .set({ workflows: '{"kind":"newer"}' })
    .where('id', '=', id)
    .execute();
  test.pass(1000);
  test.worker.start();
  await test.until('after finish');
  expect(test.posts.map(({ to }) => to.teamId)).toEqual(['T2', 'T2']);
});

it('a workspace that is rate-limited for an hour delays no other', async () => {
  const answer = ({ to }: Post): Sent | undefined =>
    to.teamId === 'T1' ? { kind: 'not_sent', error: 'ratelimited', retryAfterMs: 3_600_000 } : undefined;
  const { posts, subscribe, until } = await startWorkerWith(answer);
  for (const channelId of ['C5', 'C6', 'C7']) await subscribe('T2', { channelId });
  await until('after finish', 3);
  expect(posts.filter(({ to }) => to.teamId === 'T1')).toHaveLength(1);
});

it('a channel that refuses posts for an hour, or a process without a connection to Slack, delays no other channel', async () => {
  const { posts, until } = await startWorkerWith(
    firstOnly({ kind: 'not_sent', error: 'external_channel_migrating', retryAfterMs: 3_600_000 }),
  );
  await until('after finish', 2);
  expect(new Set(posts.filter(isRoot).map(({ to }) => to.channelId))).toEqual(new Set(['C1', 'C2', 'C3']));
});

async function startWorkerWith(answer: WorkerTestOptions['answer'] & object) {
  const test = await startWorker({ answer, limits: { occurrencesPerTeamMax: 1 } });
  for (const channelId of ['C1', 'C2', 'C3']) await test.subscribe('T1', { channelId });
  test.pass(1000);
  test.worker.start();
  await test.until('after release');
  const subscribe: typeof test.subscribe = async (...what) => {
    const made = await test.subscribe(...what);
    test.worker.wake();
    return made;
  };
  return { ...test, subscribe };
}
