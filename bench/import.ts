/**
 * `npm run bench -- import [executions]`: rows a second of an import on each engine, compared with a bare loop of inserts into the
 * same table. `.ci/with-postgres npm run bench -- import` measures both engines.
 */
import { randomUUID } from 'node:crypto';
import { closeSync, createReadStream, mkdtempSync, openSync, readFileSync, rmSync, statSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { env } from 'node:process';
import { DatabaseSync } from 'node:sqlite';
import { Client } from 'pg';
import { openRecords } from '../src/query-service/records/open.ts';
import type { ExecutionRecord } from '../src/query-service/records/record.ts';
import { printLine } from '../src/query-service/transfer/export.ts';
import { fromStart, importRecords } from '../src/query-service/transfer/import.ts';
import { shown, table, writeFigures } from './support/figures.ts';

const executions = Number(process.argv[3] ?? 1_000_000);
const batchSize = 9_000;
const workflows = 50;
const organizationId = 'org_bench';
const until = Date.parse('2026-11-20T12:00:00Z');
const monthMs = 30 * 86_400_000;

const folder = mkdtempSync(join(tmpdir(), 'import-'));
const file = join(folder, 'records.ndjson');

const workflowUuids = Array.from({ length: workflows }, () => randomUUID());

/** In order of their start; one in twenty fails. */
function execution(number: number): ExecutionRecord {
  const startedAt = until - monthMs + Math.floor((number / executions) * monthMs);
  const isFailure = number % 20 === 0;
  return {
    organizationId,
    uuid: randomUUID(),
    id: `${randomUUID()}${randomUUID()}`.replaceAll('-', ''),
    workflowUuid: workflowUuids[number % workflows] ?? '',
    status: isFailure ? 'FAILURE' : 'SUCCESS',
    classifiedStatus: isFailure ? 'USER_ERROR' : 'SUCCESS',
    detailedStatus: isFailure ? 'FAILED' : 'COMPLETED',
    startedAt,
    finishedAt: startedAt + 2_000,
    creditMicros: 50_000,
    executedInTee: false,
    errors: isFailure ? [{ error: 'connection refused', count: 4 }] : null,
    logs: null,
    events: null,
  };
}

const organization = {
  organizationId,
  displayName: 'Bench',
  restrictionStatus: 'FULL_ACCESS',
  activeStatus: 'ACTIVE',
  createdAt: until - monthMs,
  updatedAt: null,
  tenantId: 1,
} as const;

const workflowRecords = workflowUuids.map((uuid, index) => ({
  organizationId,
  uuid,
  name: `workflow-${index}`,
  workflowId: index.toString(16).padStart(64, 'a'),
  status: 'ACTIVE' as const,
  ownerAddress: 'ab'.repeat(20),
  registeredAt: until - monthMs,
  workflowSource: 'GIT',
}));

function writeFile(): void {
  const output = openSync(file, 'w');
  writeSync(output, printLine({ type: 'organization', record: organization }));
  for (const record of workflowRecords) writeSync(output, printLine({ type: 'workflow', record }));
  for (let from = 0; from < executions; from += batchSize) {
    const lines = batch(from).map((record) => printLine({ type: 'execution', record }));
    writeSync(output, lines.join(''));
  }
  closeSync(output);
}

function batch(from: number): readonly ExecutionRecord[] {
  return Array.from({ length: Math.min(batchSize, executions - from) }, (_, index) => execution(from + index));
}

type Cost = { readonly seconds: number /** Of processors, on both sides. */; readonly cpuSeconds: number };

/** @param serverSeconds processor time of the server's processes so far */
async function costOf(work: () => Promise<unknown>, serverSeconds: () => Promise<number>): Promise<Cost> {
  const [begun, cpu] = [performance.now(), process.cpuUsage()];
  await work();
  const seconds = (performance.now() - begun) / 1000;
  const { user, system } = process.cpuUsage(cpu);
  return { seconds, cpuSeconds: (user + system) / 1_000_000 + (await serverSeconds()) };
}

const noServer = async () => 0;

/** Of all processes connected to the database: they started with the measurement. */
function backendSeconds(url: string) {
  return async (): Promise<number> => {
    const client = new Client({ connectionString: url });
    await client.connect();
    const others = 'datname = current_database() and pid <> pg_backend_pid()';
    const { rows } = await client.query<{ pid: number }>(`select pid from pg_stat_activity where ${others}`);
    await client.end();
    const ticks = rows.map(({ pid }) => {
      const [user, system] = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ').slice(11, 13) ?? [];
      return Number(user) + Number(system);
    });
    return ticks.reduce((sum, each) => sum + each, 0) / 100;
  };
}

async function importFile(url: string, serverSeconds = noServer): Promise<Cost> {
  const store = await openRecords(url);
  const refusedLines = { add: () => 0, close: () => {} };
  const input = createReadStream(file, { highWaterMark: 1024 * 1024 });
  const deps = { store, input, refusedLines, clock: Date.now, onProgress: () => {} };
  return costOf(() => importRecords(deps, fromStart(file)), serverSeconds).finally(store.close);
}

const columns = [
  ...['organization_id', 'uuid', 'id', 'workflow_uuid', 'status', 'classified_status', 'detailed_status', 'started_at'],
  ...['finished_at', 'credit_micros', 'executed_in_tee', 'errors'],
];

function values(record: ExecutionRecord): readonly (string | number | null)[] {
  const { uuid, id, workflowUuid, status, classifiedStatus, detailedStatus, startedAt, finishedAt } = record;
  const errors = record.errors === null ? null : JSON.stringify(record.errors);
  const first = [organizationId, uuid, id, workflowUuid, status, classifiedStatus, detailedStatus, startedAt];
  return [...first, finishedAt, record.creditMicros, 0, errors];
}

/** Creates the service's tables with all indexes, and the workflows. */
async function prepare(url: string): Promise<void> {
  const { writer, close } = await openRecords(url);
  await writer.putOrganization(organization);
  await writer.putWorkflows(workflowRecords);
  await close();
}

/** @param insert runs one transaction; the rows exist before */
async function bareLoop(insert: (rows: readonly ReturnType<typeof values>[]) => unknown, serverSeconds = noServer) {
  const batches = Array.from({ length: Math.ceil(executions / batchSize) }, (_, index) =>
    batch(index * batchSize).map(values),
  );
  return costOf(async () => {
    for (const rows of batches) await insert(rows);
  }, serverSeconds);
}

async function bareSqlite(path: string): Promise<Cost> {
  await prepare(`sqlite:${path}`);
  const database = new DatabaseSync(path);
  database.exec('pragma synchronous = normal; pragma cache_size = -64000; pragma wal_autocheckpoint = 2000');
  const places = columns.map(() => '?').join(', ');
  const statement = database.prepare(`insert into execution (${columns.join(', ')}) values (${places})`);
  return bareLoop((rows) => {
    database.exec('begin');
    for (const row of rows) statement.run(...row);
    database.exec('commit');
  }).finally(() => database.close());
}

/** 500 rows a statement: 12 parameters each, below PostgreSQL's maximum. */
async function barePostgres(url: string): Promise<Cost> {
  await prepare(url);
  const client = new Client({ connectionString: url });
  await client.connect();
  const insert = async (rows: readonly ReturnType<typeof values>[]) => {
    await client.query('begin');
    for (let from = 0; from < rows.length; from += 500) {
      const some = rows.slice(from, from + 500);
      const places = some.map((_, row) => `(${columns.map((__, column) => `$${row * columns.length + column + 1}`)})`);
      await client.query(`insert into execution (${columns}) values ${places}`, some.flat());
    }
    await client.query('commit');
  };
  return bareLoop(insert, backendSeconds(url)).finally(() => client.end());
}

async function onPostgres<Result>(server: string, work: (url: string) => Promise<Result>): Promise<Result> {
  const name = `bench_${randomUUID().replaceAll('-', '')}`;
  const client = new Client({ connectionString: server });
  await client.connect();
  await client.query(`create database ${name}`);
  const url = Object.assign(new URL(server), { pathname: name }).href;
  try {
    return await work(url);
  } finally {
    await client.query(`drop database ${name} with (force)`);
    await client.end();
  }
}

const { TEST_POSTGRES_URL: server } = env;
const rows: (readonly [what: string, cost: Cost])[] = [];
try {
  writeFile();
  console.log(`${executions} executions, ${shown(statSync(file).size / 1_000_000)} MB`);
  const path = join(folder, 'import.db');
  rows.push(['SQLite, import', await importFile(`sqlite:${path}`)]);
  rows.push(['SQLite, the same import again', await importFile(`sqlite:${path}`)]);
  rows.push(['SQLite, bare loop of inserts', await bareSqlite(join(folder, 'bare.db'))]);
  if (server !== undefined) {
    await onPostgres(server, async (url) => {
      rows.push(['PostgreSQL, import', await importFile(url, backendSeconds(url))]);
      rows.push(['PostgreSQL, the same import again', await importFile(url, backendSeconds(url))]);
    });
    rows.push(['PostgreSQL, bare loop of inserts', await onPostgres(server, barePostgres)]);
  }
} finally {
  rmSync(folder, { recursive: true });
}
const cells = rows.map(([what, { seconds, cpuSeconds }]) => {
  return [what, seconds, executions / seconds, cpuSeconds, executions / cpuSeconds];
});
console.log(table(['', 's', 'rows/s', 'CPU s', 'rows/CPU s'], cells));
console.log(`At most ${shown(process.resourceUsage().maxRSS / 1024)} MB here, with the rows of the bare loop.`);
writeFigures('import', { executions, costs: Object.fromEntries(rows) });
