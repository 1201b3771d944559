/** The outbox worker over a real store whose clock a test moves, with a Slack that answers as instructed. */
import { EventEmitter, once } from 'node:events';
import { onTestFinished } from 'vitest';
import type { Failpoint } from '../../../src/bot/outbox/failpoints.ts';
import type { FoundIn, MessageVariant, PostTarget, Sent } from '../../../src/bot/outbox/ports.ts';
import type { OccurrenceToBuild } from '../../../src/bot/outbox/prepare.ts';
import { OutboxWorker, type WorkerOptions } from '../../../src/bot/outbox/worker.ts';
import type { Message } from '../../../src/bot/views/blocks/message.ts';
import { newSqlite } from '../databases/engines.ts';
import { createMemoryLog } from '../runner/memory-log.ts';
import { type OutboxTest, openOutbox } from './outbox.ts';

export type Post = {
  readonly to: PostTarget;
  readonly text: string;
  readonly opaqueId: string;
  readonly variant: MessageVariant | undefined;
};

export type WorkerTestOptions = Partial<Pick<WorkerOptions, 'timing' | 'limits' | 'content' | 'measure' | 'uptime'>> & {
  /** Slack's answer to a post; posted if undefined. */
  readonly answer?: (post: Post, count: number) => Sent | undefined;
  /** Slack's history; empty if absent. */
  readonly find?: (posts: readonly Post[], place: PostTarget) => FoundIn;
  /** URL of the store; a new one if absent. */
  readonly storeUrl?: string;
  readonly onStep?: (step: Failpoint) => void;
  /** Replaces `content`; built with the store of the test. */
  readonly contentOf?: (test: OutboxTest) => WorkerOptions['content'];
  /** Replaces the instructed Slack. */
  readonly postingOf?: (test: OutboxTest) => Promise<WorkerOptions['posting']>;
};

/** A worker that takes longer for its next step is stuck. */
const stepMsMax = 90_000;

export function say(text: string): Message {
  return { text, blocks: [] };
}

/** A root and one reply, named after the subscription's channel. */
export const rootAndReply: WorkerOptions['content'] = {
  build: async ({ claimed }: OccurrenceToBuild) => ({
    root: say(`root ${claimed.subscription.channelId}`),
    replies: [{ name: 'cause-1', message: say('reply') }],
  }),
  couldNotCheck: async (_occurrence, error) => ({ root: say(`could not check: ${error.code}`), replies: [] }),
};

export async function startWorker(options: WorkerTestOptions = {}) {
  const test = await openOutbox(options.storeUrl ?? (await newSqlite()));
  const log = createMemoryLog();
  const news = new EventEmitter();
  const reached = new Map<Failpoint, number>();
  const posts: Post[] = [];
  const removed: string[] = [];
  const told: { readonly userId: string; readonly text: string }[] = [];
  const at = (step: Failpoint) => {
    reached.set(step, (reached.get(step) ?? 0) + 1);
    try {
      options.onStep?.(step);
    } finally {
      news.emit('step');
    }
  };
  const worker = new OutboxWorker({
    ...test.store,
    content: options.contentOf?.(test) ?? rootAndReply,
    ...options,
    timing: { postIntervalMs: 0, wakeMsMin: 1, batchMs: 0, serviceLagMs: 0, jitterMsMax: 0, ...options.timing },
    posting: (await options.postingOf?.(test)) ?? {
      send: async (to, { text }, opaqueId, variant) => {
        const post = { to, text, opaqueId, variant };
        const sent = options.answer?.(post, posts.length) ?? { kind: 'posted', ts: `${posts.length + 1}.0` };
        posts.push(post);
        return sent;
      },
      find: async (place) => options.find?.(posts, place) ?? [],
      remove: async (_to, ts) => removed.push(ts) > 0,
      notifyUser: async ({ userId }, { text }) => told.push({ userId, text }) > 0,
    },
    log: log.log,
    failpoint: at,
  });
  onTestFinished(worker.stop);
  /** Waits until a failpoint was reached this often. */
  const until = async (step: Failpoint, times = 1) => {
    const signal = AbortSignal.timeout(stepMsMax);
    while ((reached.get(step) ?? 0) < times) {
      await once(news, 'step', { signal }).catch(async () => {
        const seen = { wanted: `${times} × ${step}`, reached: Object.fromEntries(reached), posts: posts.length };
        const occurrences = await test.outbox.page('T1', 5);
        throw new Error(`${JSON.stringify({ ...seen, occurrences })}\n${log.text()}`);
      });
    }
  };
  const passed = (ms: number) => {
    test.pass(ms);
    worker.wake();
  };
  return { ...test, pass: passed, worker, log, posts, removed, told, until };
}
