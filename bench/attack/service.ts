/** The service part of `npm run bench -- attack [executions]`: one key sends the heaviest legal documents, another a small query. */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { Pool } from 'undici';
import { createKeys } from '../../src/query-service/keys/keys.ts';
import { openRecords } from '../../src/query-service/records/open.ts';
import { freePorts } from '../../test/support/programs/ports.ts';
import { executionRecord } from '../../test/support/service/service-records.ts';
import { type Contender, startContender } from '../service/contender.ts';
import { endAt, organizationId, workflows } from '../service/data-set.ts';
import { type Database, dropDatabase, postgresDatabase, sqliteDatabase } from '../service/databases.ts';
import { quantile, table } from '../support/figures.ts';
import type { AttackOrder, AttackOutcome } from './attackers.ts';

const server = process.env['TEST_POSTGRES_URL'];
const connections = 40;
const quietMs = 15_000;
const attackMs = 60_000;
/** The other key stays far below its own limit. */
const everyMs = { question: 40, health: 100 } as const;
const linesOfOne = 10_000;

/** Latencies of the other key, in milliseconds. */
type Seen = {
  readonly p50: number;
  readonly p99: number;
  readonly max: number;
  readonly healthMax: number;
  readonly failures: number;
};

export async function attackService(executions: number): Promise<Readonly<Record<string, unknown>>> {
  const folder = mkdtempSync(join(tmpdir(), 'workflow-bot-attack-'));
  try {
    const databases = [await sqliteDatabase(folder, executions)];
    if (server !== undefined) databases.push(await postgresDatabase(server, executions));
    else console.log('no PostgreSQL: TEST_POSTGRES_URL is not set\n');
    const results = [];
    for (const database of databases) results.push(await attackOne(database));
    console.log(`${executions} executions, ${connections} connections of the attacking key for ${attackMs / 1000} s`);
    console.log(`${table(head, results.map(rowOf))}\n`);
    return { executions, results };
  } finally {
    if (server !== undefined) await dropDatabase(server, executions);
    rmSync(folder, { recursive: true, force: true });
  }
}

const head = [
  '',
  'quiet p50 ms',
  'quiet p99 ms',
  'p50 under attack',
  'p99 under attack',
  'aim: 3 × quiet + 50',
  'max',
  'health max',
  'failures of the other key',
  'attacker: answered',
  '429',
  'with Retry-After',
  'failed',
  'event loop p99 / max ms',
];

type Result = Awaited<ReturnType<typeof attackOne>>;

function rowOf({ engine, quiet, attacked, outcome, loop }: Result) {
  return [
    engine,
    ...[quiet.p50, quiet.p99, attacked.p50, attacked.p99, 3 * quiet.p99 + 50, attacked.max, attacked.healthMax],
    ...[String(attacked.failures), outcome.answered, outcome.refused, outcome.withRetryAfter, String(outcome.failed)],
    `${loop.p99.toFixed(0)} / ${loop.max.toFixed(0)}`,
  ];
}

async function attackOne(database: Database) {
  const { attackerKey, executionUuids } = await prepare(database);
  const [port = 0] = await freePorts(1);
  const service = await startOperated(database, port);
  const small = JSON.stringify({
    query: `{ workflowExecutions(input: { workflowUuid: "${workflows[3]?.uuid}", page: { size: 20 } }) { data { id status startedAt } } }`,
  });
  try {
    const quiet = await watch(service, small, wait(quietMs));
    await loopDelay(port);
    const attacking = attackWith({
      origin: service.origin,
      headers: { ...service.headers, authorization: `Apikey ${attackerKey}` },
      ...{ connections, ms: attackMs, executionUuids, workflowUuid: workflows[0]?.uuid ?? '' },
    });
    const attacked = await watch(service, small, attacking);
    return { engine: database.engine, quiet, attacked, outcome: await attacking, loop: await loopDelay(port) };
  } finally {
    await service.stop();
  }
}

/** Adds four executions with as many logs as possible, and a key for the attacker. */
async function prepare({ url }: Database) {
  const store = await openRecords(url);
  const logs = Array.from({ length: linesOfOne }, (_, n) => ({
    nodeId: `node-${n % 10}`,
    message: `${n} `.padEnd(1_000, 'x'),
    timestamp: endAt + n,
  }));
  const workflowUuid = workflows[0]?.uuid ?? '';
  const large = [1, 2, 3, 4].map((number) =>
    executionRecord(number, { organizationId, workflowUuid, startedAt: endAt - number, logs }),
  );
  await store.writer.putExecutions(large);
  const keys = await createKeys({ keys: store.keys, clock: Date.now });
  const { text } = await keys.create({ organizationId, name: 'attacker' });
  await store.close();
  return { attackerKey: text, executionUuids: large.map(({ uuid }) => uuid) };
}

/** With default settings. */
function startOperated({ engine, url, apiKey, serverPid }: Database, metricsPort: number): Promise<Contender> {
  return startContender({
    name: `ours, ${engine}`,
    dialect: 'service',
    entry: new URL('../../src/bin/service.ts', import.meta.url),
    args: ['--host', '127.0.0.1', '--port', '0', '--json'],
    environment: { SERVICE_DATABASE_URL: url, SERVICE_METRICS_PORT: String(metricsPort) },
    apiKey,
    serverPid,
  });
}

async function attackWith(order: AttackOrder): Promise<AttackOutcome> {
  const child = fork(fileURLToPath(new URL('./attackers.ts', import.meta.url)), {
    execArgv: ['--disable-warning=ExperimentalWarning'],
  });
  child.send(order);
  const [outcome] = (await once(child, 'message')) as [AttackOutcome];
  return outcome;
}

/** Sends the small query and a health check at a steady rate until the attack has ended. */
async function watch({ origin, headers }: Contender, body: string, ended: Promise<unknown>): Promise<Seen> {
  const pool = new Pool(origin, { connections: 4, pipelining: 1 });
  const state = { isOver: false, failures: 0 };
  const questions: number[] = [];
  const health: number[] = [];
  const pace = async (ms: number, latencies: number[], request: Parameters<Pool['request']>[0]) => {
    while (!state.isOver) {
      const startedAt = performance.now();
      const response = await pool.request(request).catch(() => null);
      const text = await response?.body.text();
      latencies.push(performance.now() - startedAt);
      if (response?.statusCode !== 200 || text?.includes('"errors"')) state.failures += 1;
      await wait(Math.max(0, ms - (performance.now() - startedAt)));
    }
  };
  const watching = Promise.all([
    pace(everyMs.question, questions, { path: '/graphql', method: 'POST', headers, body }),
    pace(everyMs.health, health, { path: '/healthz', method: 'GET' }),
  ]);
  await ended;
  state.isOver = true;
  await watching;
  await pool.close();
  return {
    p50: quantile(questions, 0.5),
    p99: quantile(questions, 0.99),
    max: quantile(questions, 1),
    healthMax: quantile(health, 1),
    failures: state.failures,
  };
}

/** Since the last call, in milliseconds. */
async function loopDelay(port: number): Promise<{ readonly p99: number; readonly max: number }> {
  const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
  const of = (name: string) =>
    Number(new RegExp(`^nodejs_eventloop_lag_${name}_seconds (\\S+)`, 'm').exec(text)?.[1]) * 1_000;
  return { p99: of('p99'), max: of('max') };
}
