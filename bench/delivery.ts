/**
 * `npm run bench -- delivery [kills] [faults|crowd|substring of a row’s name]`: counts the visible messages of digests while processes
 * are killed, frozen and cut off, and of 10,000 digests that are due in the same minute. Without a number it runs a short form; with
 * `.ci/with-postgres` it also runs the rows of several replicas.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { env } from 'node:process';
import { setTimeout as wait } from 'node:timers/promises';
import { Client } from 'pg';
import { type OwnPostgres, startOwnPostgres } from '../test/support/databases/own-postgres.ts';
import type { Kill } from '../test/support/delivery/fleet.ts';
import {
  atRandom,
  duringPosts,
  everyFailpoint,
  randomOf,
  shortTiming,
  trialOf,
} from '../test/support/delivery/presets.ts';
import { type Strategy, strategies } from '../test/support/delivery/strategies.ts';
import { type Counts, runTrial, type TrialOptions } from '../test/support/delivery/trial.ts';
import { versions } from '../test/support/delivery/versions.ts';
import { crowdResult, crowdRows, crowdTable } from './support/crowd-rows.ts';
import { machine, table, writeFigures } from './support/figures.ts';

const killCount = Number(process.argv[3] ?? 10);
/** The rows to run; all if undefined. */
const wanted = process.argv[4];
const isWanted = (group: 'faults' | 'crowd', name: string) =>
  wanted === undefined || wanted === group || name.includes(wanted);
const serverUrl = env['TEST_POSTGRES_URL'];
const random = randomOf(killCount);
const folder = mkdtempSync(join(tmpdir(), 'delivery-'));
const storm = { faults: { limit: 0.4, drop: 0.1, fail: 0.1 }, lateMs: 0, random };
const lateSlack = { faults: { late: 0.25 }, lateMs: 2500, random };
const calm = { faults: {}, lateMs: 0, random };

type Row = {
  readonly name: string;
  readonly kills: readonly Kill[];
  readonly replicas?: number;
  readonly strategy?: Strategy;
  readonly judge?: TrialOptions['judge'];
  /** Interval at which every connection to the database is cut. */
  readonly cutEveryMs?: number;
  /** A fault of the database server, repeated until the row ends, or `faultCount` times. */
  readonly causeFault?: (server: OwnPostgres) => Promise<void>;
  readonly faultCount?: number;
  readonly more?: Partial<TrialOptions>;
};

type Result = Row & { readonly engine: string; readonly counts: Counts };

const points = Array.from({ length: killCount }, () => [...everyFailpoint(), ...duringPosts])
  .flat()
  .slice(0, killCount);
const some = Math.max(5, Math.ceil(killCount / 5));
const freezes = Array.from({ length: some }, (): Kill => ({ kind: 'freeze', afterMs: random() * 500, forMs: 5000 }));
/** Short for CI, or the full duration. */
const goneMs = killCount < 100 ? 10_000 : 60_000;
/** After so many posts digests are in progress, and the database server fails. */
const postsBefore = 10;
/** Three processes that live through the fault. */
const afterTheFault = (afterMs: number) => Array.from({ length: 3 }, (): Kill => ({ kind: 'random', afterMs }));
const rows: readonly Row[] = [
  { name: 'killed at random', kills: atRandom(killCount, random) },
  { name: 'killed at each failpoint and in posts', kills: points },
  { name: 'a quarter of the posts shows late', kills: atRandom(some, random), judge: lateSlack },
  { name: '429 storm', kills: atRandom(some, random), judge: storm },
  {
    name: 'query service gone for 10 s across the due time',
    kills: afterTheFault(11_000),
    more: { serviceGoneMs: 10_000 },
  },
  {
    name: 'query service gone for longer than it is waited for',
    kills: afterTheFault(5000),
    more: { serviceGoneMs: 3_600_000, repliesCount: 0, timing: { ...shortTiming, rebuildForMs: 2000 } },
  },
  ...strategies.slice(1).map((strategy): Row => ({ name: strategy, strategy, kills: points, judge: calm })),
];
const sharedRows: readonly Row[] = [
  { name: 'killed at random, 1 replica', kills: atRandom(killCount, random) },
  { name: 'killed at random, 3 replicas', kills: atRandom(killCount, random), replicas: 3 },
  { name: 'killed at each failpoint, 3 replicas', kills: points, replicas: 3 },
  { name: 'frozen for longer than the lease, 3 replicas', kills: freezes, replicas: 3 },
  {
    name: 'database cut off every 2 s, 3 replicas',
    kills: atRandom(some, random, 3000),
    replicas: 3,
    cutEveryMs: 2000,
  },
  {
    name: 'database server crashed every 2 s, 3 replicas',
    kills: atRandom(some, random, 3000),
    replicas: 3,
    causeFault: ({ crash }) => crash(),
  },
  {
    name: `database server gone for ${goneMs / 1000} s, 3 replicas`,
    kills: afterTheFault(goneMs + 5000),
    replicas: 3,
    causeFault: ({ goDownFor }) => goDownFor(goneMs),
    faultCount: 1,
    more: { duePerStart: 100, buildMs: 500 },
  },
  { name: 'two versions at once, 3 replicas', kills: points, replicas: 3, more: { versions } },
  {
    name: 'clocks a minute apart, 3 replicas',
    kills: atRandom(some, random),
    replicas: 3,
    more: { skewMs: 60_000 },
  },
];

console.log(`${machine()}; ${killCount} kills a row, waits shortened tenfold and more.\n`);
const results: Result[] = [];
await runFaults();
const crowd = [];
if (serverUrl !== undefined) {
  for (const [index, row] of crowdRows.filter(({ name }) => isWanted('crowd', name)).entries()) {
    crowd.push(await withDatabase(serverUrl, `crowd_${index}`, (url) => crowdResult(row, url)));
    console.log(`${row.name}: ${JSON.stringify(crowd.at(-1)?.counts)}`);
  }
}
if (serverUrl === undefined) console.log('Without PostgreSQL: .ci/with-postgres npm run bench -- delivery');
rmSync(folder, { recursive: true });
if (results.length > 0) console.log(`\n${faultTable()}`);
if (crowd.length > 0) console.log(`\n${crowdTable(crowd)}`);
const numbers = results.map(({ name, engine, counts }) => ({ name, engine, ...counts }));
console.log(`\nNumbers: ${writeFigures('delivery', { kills: killCount, rows: numbers, crowd })}`);
process.exit(0);

async function runFaults(): Promise<void> {
  const areWanted = ({ name }: Row) => isWanted('faults', name);
  for (const row of rows.filter(areWanted)) note({ ...row, engine: 'SQLite', counts: await onSqlite(row) });
  if (serverUrl === undefined) return;
  for (const row of sharedRows.filter(areWanted)) {
    note({ ...row, engine: 'PostgreSQL', counts: await onPostgres(row, serverUrl) });
  }
}

function faultTable(): string {
  const columns = ['due', 'posted', 'late', 'uncertain', 'dead', 'duplicatedBeforeCheck'] as const;
  return table(
    [
      'Row',
      'on',
      'kills',
      'due',
      'posted',
      'late',
      'uncertain',
      'dead',
      'duplicates before the check',
      'duplicates',
      'lost',
    ],
    results.map(({ name, engine, counts }) => [
      ...[name, engine, counts.kills],
      ...columns.map((column) => counts[column]),
      ...[counts.duplicated.length, counts.lost.length],
    ]),
  );
}

/** Prints each row at once, because a run takes long. */
function note(result: Result): void {
  const { name, engine, counts } = result;
  results.push(result);
  console.log(`${engine}, ${name}: ${JSON.stringify(counts)}`);
}

function optionsOf({ kills, replicas, strategy, judge, more }: Row, storeUrl: string): TrialOptions {
  const chosen = { ...(replicas && { replicas }), ...(strategy && { strategy }), ...(judge && { judge }) };
  return { ...trialOf({ storeUrl, kills, seed: killCount, ...chosen, ...more }), deadlineMs: 300_000 };
}

async function onSqlite(row: Row): Promise<Counts> {
  return runTrial(optionsOf(row, `sqlite:${join(folder, `${row.name}.db`)}`));
}

async function onPostgres(row: Row, server: string): Promise<Counts> {
  if (row.causeFault) return onOwnPostgres(row);
  return withDatabase(server, `delivery_${sharedRows.indexOf(row)}`, async (url) => {
    const name = new URL(url).pathname.slice(1);
    const cut = `select pg_terminate_backend(pid) from pg_stat_activity where datname = '${name}' and application_name = 'workflow-bot'`;
    const timer = row.cutEveryMs && setInterval(() => void asServer(server, cut), row.cutEveryMs);
    return runTrial(optionsOf(row, url)).finally(() => clearInterval(timer));
  });
}

/** Runs on a separate server, which only this row uses. */
async function onOwnPostgres(row: Row): Promise<Counts> {
  const server = await startOwnPostgres();
  const options = optionsOf(row, server.url);
  const underWay = Promise.withResolvers<void>();
  let [posts, isOver] = [0, false];
  const random = () => {
    posts += 1;
    if (posts === postsBefore) underWay.resolve();
    return options.judge.random();
  };
  const causeFaulting = (async () => {
    await underWay.promise;
    for (let left = row.faultCount ?? Number.POSITIVE_INFINITY; left > 0 && !isOver; left -= 1) {
      await row.causeFault?.(server);
      await wait(2000);
    }
  })();
  try {
    return await runTrial({ ...options, judge: { ...options.judge, random } });
  } finally {
    isOver = true;
    underWay.resolve();
    await causeFaulting;
    await server.close();
  }
}

/** Creates a database and drops it after the work. */
async function withDatabase<Done>(server: string, label: string, work: (url: string) => Promise<Done>): Promise<Done> {
  const name = `${label}_${process.pid}`;
  await asServer(server, `create database ${name}`);
  const url = Object.assign(new URL(server), { pathname: name }).href;
  try {
    return await work(url);
  } finally {
    await asServer(server, `drop database ${name} with (force)`);
  }
}

async function asServer(url: string, statement: string): Promise<void> {
  const client = new Client({ connectionString: url });
  await client.connect();
  await client.query(statement).finally(() => client.end());
}
