/** A process that sends the heaviest legal documents of one key over many connections, and retries at once. */
import { Pool } from 'undici';
import { heavyDocuments } from '../../test/support/service/heavy-documents.ts';

export type AttackOrder = {
  readonly origin: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly connections: number;
  readonly ms: number;
  readonly workflowUuid: string;
  readonly executionUuids: readonly string[];
};

export type AttackOutcome = {
  readonly answered: number;
  readonly refused: number;
  /** Refusals with `Retry-After`. */
  readonly withRetryAfter: number;
  readonly failed: number;
};

async function attack(order: AttackOrder): Promise<AttackOutcome> {
  const { origin, headers, connections, ms } = order;
  const bodies = heavyDocuments(order).map(({ query }) => JSON.stringify({ query }));
  const pool = new Pool(origin, { connections, pipelining: 1, headersTimeout: 0, bodyTimeout: 0 });
  const outcome = { answered: 0, refused: 0, withRetryAfter: 0, failed: 0 };
  const until = performance.now() + ms;
  let next = 0;
  const client = async () => {
    while (performance.now() < until) {
      const body = bodies[next++ % bodies.length] ?? '';
      const response = await pool.request({ path: '/graphql', method: 'POST', headers, body });
      await response.body.dump({ limit: 1e9 });
      if (response.statusCode === 200) outcome.answered += 1;
      else if (response.statusCode === 429) outcome.refused += 1;
      else outcome.failed += 1;
      if (response.statusCode === 429 && response.headers['retry-after']) outcome.withRetryAfter += 1;
    }
  };
  const lose = () => {
    outcome.failed += 1;
  };
  await Promise.all(Array.from({ length: connections }, () => client().catch(lose)));
  await pool.destroy();
  return outcome;
}

process.once('message', async (order: AttackOrder) => {
  process.send?.(await attack(order));
  process.disconnect();
});
