/** HTTP clients: many at once, each with one connection and one request in flight, and a single one to inspect its reply. */
import { Pool, request } from 'undici';
import { quantile } from '../support/figures.ts';
import type { Contender } from './contender.ts';
import { at } from './json.ts';

/** The result of one contender in one round. */
export type Round = {
  readonly answers: number;
  readonly perSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** Processor time an answer: the contender's own, and with the database server's. */
  readonly ownMs: number;
  readonly allMs: number;
  readonly residentMB: number;
};

type Load = {
  readonly path: string;
  readonly bodies: readonly Buffer[];
  /** Expected length of each answer in bytes; another length is an error. */
  readonly bytes: readonly number[];
  readonly connections: number;
  readonly ms: number;
};

/** @returns `data` and the length of the answer @throws Error if it is refused */
export async function ask({ origin, headers }: Contender, path: string, body: Buffer) {
  const response = await request(`${origin}${path}`, { method: 'POST', headers, body });
  const text = await response.body.text();
  const answer: unknown = JSON.parse(text);
  if (response.statusCode !== 200 || JSON.stringify(answer).startsWith('{"errors"'))
    throw new Error(text.slice(0, 600));
  return { data: at(answer, 'data'), bytes: Buffer.byteLength(text) };
}

/** @throws Error if an answer has another length than when it was compared */
export async function load(contender: Contender, options: Load): Promise<Round> {
  const { connections, ms } = options;
  const pool = new Pool(contender.origin, { connections, pipelining: 1 });
  const latencies: number[] = [];
  const [ownBefore, databaseBefore] = [contender.ownMs(), contender.databaseMs()];
  const startedAt = performance.now();
  let next = 0;
  const client = async () => {
    for (let from = performance.now(); from - startedAt < ms; ) {
      await one(pool, contender, options, next++ % options.bodies.length);
      const until = performance.now();
      latencies.push(until - from);
      from = until;
    }
  };
  await Promise.all(Array.from({ length: connections }, client));
  const seconds = (performance.now() - startedAt) / 1000;
  const ownMs = (contender.ownMs() - ownBefore) / latencies.length;
  const allMs = ownMs + (contender.databaseMs() - databaseBefore) / latencies.length;
  const residentMB = contender.residentMB();
  await pool.close();
  return {
    answers: latencies.length,
    perSecond: latencies.length / seconds,
    p50Ms: quantile(latencies, 0.5),
    p99Ms: quantile(latencies, 0.99),
    ownMs,
    allMs,
    residentMB,
  };
}

/** Uses `dispatch`, without a stream for each answer: the client shares the processors with the server. */
function one(pool: Pool, { name, headers }: Contender, { path, bodies, bytes }: Load, index: number): Promise<void> {
  return new Promise((resolve, reject) => {
    let status = 0;
    let length = 0;
    pool.dispatch(
      { path, method: 'POST', headers, body: bodies[index] ?? null },
      {
        onRequestStart() {},
        onResponseStart(_, statusCode) {
          status = statusCode;
        },
        onResponseData(_, chunk) {
          length += chunk.length;
        },
        onResponseEnd() {
          if (status === 200 && length === bytes[index]) return resolve();
          reject(new Error(`${name} answered ${status} with ${length} bytes in place of ${bytes[index]} to ${path}.`));
        },
        onResponseError(_, error) {
          reject(error);
        },
      },
    );
  });
}
