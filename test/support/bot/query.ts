/** The real query client for tests, with a fixed clock, waits that are only counted, and its log in memory. */
import type { Window } from '../../../src/bot/domain/window.ts';
import type { AnswerDeadline } from '../../../src/bot/query/client/deadline.ts';
import {
  createQueryService,
  type QueryClient,
  type QueryCredential,
  type QueryServiceDeps,
} from '../../../src/bot/query/query-client.ts';
import { createMemoryLog, type MemoryLog } from '../runner/memory-log.ts';

const teamId = 'T0001';
export const canaryKey = 'wfq_CANARY+key/with=signs"and\\more';
export const now = Date.parse('2026-11-20T12:00:00Z');

const hourMs = 3_600_000;
export const lastDay: Window = { from: now - 24 * hourMs, to: now, label: '24h', isMoving: true };

export type TestQuery = AsyncDisposable & {
  readonly log: MemoryLog;
  /** The pauses before retries, in milliseconds; none is really taken. */
  readonly waits: readonly number[];
  readonly clock: { now: number };
  /** A request's QueryClient, and the reported pauses in milliseconds. */
  readonly ask: (request?: TestRequest) => QueryClient & { readonly pauses: readonly number[] };
};

type TestRequest = {
  readonly isFresh?: boolean;
  readonly freshTimeoutMs?: number;
  readonly deadline?: AnswerDeadline;
  readonly teamId?: string;
  readonly keyId?: string;
  readonly endpoint?: string;
  readonly apiKey?: string | (() => string | Promise<string>);
} & Pick<QueryCredential, 'refusedSince' | 'onKeyChecked'>;

/** @param endpoint of a running server, the only allowed origin unless `deps` list others */
export function createTestQuery(endpoint: string, apiKey: string, deps: Partial<QueryServiceDeps> = {}): TestQuery {
  const log = createMemoryLog();
  const waits: number[] = [];
  const clock = { now };
  const query = createQueryService({
    clock: () => clock.now,
    log: log.log,
    origins: [endpoint],
    wait: async (ms) => waits.push(ms),
    // A busy machine is no slow service.
    deadlineMs: 100_000,
    ...deps,
  });
  return {
    log,
    waits,
    clock,
    ask: ({ isFresh = false, freshTimeoutMs, deadline, ...credential } = {}) => {
      const pauses: number[] = [];
      const onPause = (waitMs: number) => void pauses.push(waitMs);
      const options = {
        isFresh,
        onPause,
        ...(freshTimeoutMs !== undefined && { freshTimeoutMs }),
        ...(deadline && { deadline }),
      };
      const asking = query.forWorkspace({ teamId, keyId: 'k1', endpoint, apiKey, ...credential }, options);
      return { ...asking, pauses };
    },
    [Symbol.asyncDispose]: query.close,
  };
}

/** All items of an iterable, in order. */
export async function collected<Item>(items: AsyncIterable<Item>): Promise<readonly Item[]> {
  const all: Item[] = [];
  for await (const item of items) all.push(item);
  return all;
}
