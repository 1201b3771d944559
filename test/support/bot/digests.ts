/** Digests for tests: the real content over real HTTP, with a count of the requests. */
import { buildDigest, type DigestRequest } from '../../../src/bot/digests/build.ts';
import { gatherFacts } from '../../../src/bot/digests/facts.ts';
import type { DigestMessages } from '../../../src/bot/outbox/ports.ts';
import type { DigestFacts } from '../../../src/bot/views/digest/facts.ts';
import { createTestQuery } from './query.ts';

type Served = { readonly url: string; readonly apiKey: string };

export type DigestDesk = AsyncDisposable & {
  readonly requests: () => number;
  readonly facts: (request: DigestRequest) => Promise<DigestFacts>;
  readonly build: (request: DigestRequest) => Promise<DigestMessages | null>;
};

/** @param onRequest called before each request with the number of requests */
export function digestDesk(
  { url, apiKey }: Served,
  now: number,
  onRequest: (requests: number) => void = () => undefined,
): DigestDesk {
  let requests = 0;
  const query = createTestQuery(url, apiKey, { clock: () => now });
  const ask = () =>
    query.ask({
      isFresh: true,
      apiKey: () => {
        requests += 1;
        onRequest(requests);
        return apiKey;
      },
    });
  return {
    requests: () => requests,
    facts: ({ plan, ...frame }) =>
      gatherFacts(ask(), { ...frame, about: plan.workflows }, frame.now, new AbortController().signal),
    build: (request) => buildDigest(ask(), request),
    [Symbol.asyncDispose]: () => query[Symbol.asyncDispose](),
  };
}

/** A request for all workflows with an all-clear, over the day before `now`. */
export function digestRequest(now: number, overrides: Partial<DigestRequest> = {}): DigestRequest {
  return {
    plan: { workflows: { kind: 'all' }, hasAllClear: true },
    zone: 'Europe/Berlin',
    window: { from: now - 86_400_000, to: now },
    isLate: false,
    dueAt: now,
    missed: [],
    now,
    isRedacting: true,
    ...overrides,
  };
}
