/** Effects of a finished digest on its subscription, and the notifications of its owner. */
import { describe, expect, it } from 'vitest';
import { AppError } from '../../../src/shared/errors.ts';
import { dayMs, start } from '../../support/bot/outbox.ts';
import { rootAndReply, say, startWorker } from '../../support/bot/outbox-worker.ts';

const asked = { occurrenceId: 'now', dueAt: start, window: { from: start - dayMs, to: start }, state: 'due' } as const;

describe('a subscription that is paused', () => {
  it('because its key is refused stays paused after a requested digest, which says that the key is refused', async () => {
    const build: typeof rootAndReply.build = async () => {
      throw new AppError('unauthorized', 'The query service refused this workspace’s API key.');
    };
    const { subscribe, subscriptions, outbox, worker, until, posts } = await startWorker({
      content: { ...rootAndReply, build },
    });
    const { id } = await subscribe();
    const pause = { reason: 'unauthorized', at: start, by: null };
    await subscriptions.pause('T1', id, pause);
    await outbox.add('T1', id, { ...asked, isLate: false });
    worker.start();
    await until('after finish');
    await worker.stop();
    expect(posts).toMatchObject([{ text: 'could not check: unauthorized' }]);
    expect(await subscriptions.find('T1', id)).toMatchObject({ pause });
  });

  it('by a person while its digest is sent stays paused, whatever the earlier pause was', async () => {
    const pause = { reason: 'person', at: start, by: 'U2' };
    let id = '';
    const { subscribe, subscriptions, outbox, worker, until } = await startWorker({
      postingOf: async (test) => ({
        send: async () => {
          await test.subscriptions.pause('T1', id, pause);
          return { kind: 'posted', ts: '1.0' };
        },
        find: async () => [],
        remove: async () => true,
        notifyUser: async () => true,
      }),
    });
    ({ id } = await subscribe());
    await subscriptions.pause('T1', id, { reason: 'not_in_channel', at: start, by: null });
    await outbox.add('T1', id, { ...asked, isLate: false });
    worker.start();
    await until('after finish');
    await worker.stop();
    expect(await subscriptions.find('T1', id)).toMatchObject({ pause, nextDue: null });
  });
});

it('the owner is notified of a digest that was given up, although the process ends right after recording it', async () => {
  let deaths = 1;
  const { subscribe, worker, pass, told, until } = await startWorker({
    answer: () => ({ kind: 'permanent', error: 'not_in_channel' }),
    onStep: (step) => {
      if (step === 'after finish' && deaths-- > 0) throw new Error('the end');
    },
  });
  await subscribe();
  pass(1000);
  worker.start();
  await until('after finish');
  await worker.stop();
  expect(told).toMatchObject([{ userId: 'U1' }]);
});

it('the owner of a digest of which only a reply was refused is notified that the digest was posted', async () => {
  const { subscribe, worker, pass, told, until } = await startWorker({
    answer: (_post, count) => (count === 0 ? undefined : { kind: 'permanent', error: 'is_archived' }),
  });
  await subscribe();
  pass(1000);
  worker.start();
  await until('after finish');
  await worker.stop();
  expect(told).toMatchObject([
    { text: expect.stringContaining('was posted, but not all of its thread: the channel is') },
  ]);
});

it('the owner of an archived channel that came back without the bot is notified of both problems, of each once a day', async () => {
  const errors = ['is_archived', 'is_archived', 'not_in_channel'];
  const { subscribe, outbox, worker, told, until } = await startWorker({
    answer: (_post, count) => ({ kind: 'permanent', error: errors[count] ?? '' }),
  });
  const { id } = await subscribe();
  worker.start();
  for (const [index] of errors.entries()) {
    await outbox.add('T1', id, { ...asked, occurrenceId: `now ${index}`, isLate: false });
    worker.wake();
    await until('after finish', index + 1);
  }
  expect(told).toMatchObject([
    { text: expect.stringContaining('is archived') },
    { text: expect.stringContaining('not a member') },
  ]);
});

it('a digest that was given up while its owner cannot be notified is reported by the next one', async () => {
  let isWell = false;
  const missed: number[] = [];
  const build: typeof rootAndReply.build = async ({ claimed }) => {
    missed.push(claimed.missed.length);
    return { root: say('root'), replies: [] };
  };
  const { subscribe, worker, pass, until, outbox } = await startWorker({
    content: { ...rootAndReply, build },
    postingOf: async () => ({
      send: async () => (isWell ? { kind: 'posted', ts: '1.0' } : { kind: 'content', error: 'msg_too_long' }),
      find: async () => [],
      remove: async () => true,
      notifyUser: async () => isWell,
    }),
  });
  await subscribe();
  pass(1000);
  worker.start();
  await until('after finish');
  expect(await outbox.page('T1', 1)).toMatchObject([{ state: 'missed', error: 'msg_too_long' }]);
  isWell = true;
  pass(dayMs);
  await until('after finish', 2);
  expect(missed).toEqual([0, 1]);
});

it('a digest that was given up after another notification on the same day is reported by the next one', async () => {
  const { subscribe, worker, outbox, pass, until, told } = await startWorker({
    answer: () => ({ kind: 'content', error: 'msg_too_long' }),
  });
  const { id } = await subscribe();
  pass(1000);
  worker.start();
  await until('after finish');
  await outbox.add('T1', id, { ...asked, isLate: false });
  worker.wake();
  await until('after finish', 2);
  expect(await outbox.page('T1', 2)).toMatchObject([
    { state: 'dead' },
    { key: { occurrenceId: 'now' }, state: 'missed' },
  ]);
  expect(told).toHaveLength(1);
});

it('an owner who was notified today of one digest is also notified that the channel refuses posts', async () => {
  const tooLong = { kind: 'content', error: 'msg_too_long' } as const;
  const archived = { kind: 'permanent', error: 'is_archived' } as const;
  const { subscribe, outbox, worker, pass, told, until } = await startWorker({
    answer: (_post, count) => (count < 2 ? tooLong : archived),
  });
  const { id } = await subscribe();
  await outbox.add('T1', id, { ...asked, isLate: false });
  worker.start();
  await until('after finish');
  pass(1000);
  await until('after finish', 2);
  expect(told.map(({ text }) => /(all formats|archived)/.exec(text)?.[1])).toEqual(['all formats', 'archived']);
});

it('an owner who was notified of the channel today is also notified that the workspace is no longer connected', async () => {
  const build: typeof rootAndReply.build = async (occurrence) => {
    if (occurrence.claimed.key.occurrenceId === 'now') return rootAndReply.build(occurrence, AbortSignal.any([]));
    throw new AppError('unauthorized', 'This workspace is not connected.', { reason: 'not_connected' });
  };
  const { subscribe, outbox, worker, pass, told, until } = await startWorker({
    content: { ...rootAndReply, build },
    answer: (_post, count) => (count === 0 ? { kind: 'permanent', error: 'is_archived' } : undefined),
    timing: { rebuildForMs: 0 },
  });
  const { id } = await subscribe();
  await outbox.add('T1', id, { ...asked, isLate: false });
  worker.start();
  await until('after finish');
  pass(1000);
  worker.wake();
  await until('after finish', 2);
  expect(told.map(({ text }) => /(archived|not connected)/.exec(text)?.[1])).toEqual(['archived', 'not connected']);
});
