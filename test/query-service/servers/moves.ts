/** Moves under load: an organization that is written and read by a service, which checks every answer. */

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as wait } from 'node:timers/promises';
import { expect } from 'vitest';
import { cancelMove, type MoveFailpoint, moveOrganization } from '../../../src/query-service/records/servers/move.ts';
import type { RecordStore } from '../../../src/query-service/records/store.ts';
import { ask, openServers, type TwoServers } from '../../support/servers.ts';
import type { startTestService } from '../../support/service.ts';
import { failureRecord, harbor, ledger, workflowRecord } from '../../support/service-records.ts';

export const organizationId = harbor.organization.organizationId;

/** Harbor with `count` executions with logs, and ledger, which stays on the directory's server. */
export async function fill(servers: TwoServers, count: number): Promise<RecordStore> {
  const store = await openServers(servers, 'b');
  const onMain = await openServers(servers);
  for (const { organization } of [harbor, ledger]) await onMain.writer.putOrganization(organization);
  await onMain.writer.putAccount(harbor.account);
  await onMain.writer.putWorkflows([workflowRecord(1)]);
  await onMain.writer.putWorkflows([workflowRecord(2, { organizationId: 'org_ledger' })]);
  await onMain.writer.putExecutions(Array.from({ length: count }, (_, number) => failureRecord(number)));
  return store;
}

/** @returns the server's rows of the organization, by table */
export async function rowsOn(url: string, id: string = organizationId): Promise<Readonly<Record<string, number>>> {
  const tables = ['organization', 'account', 'workflow', 'execution', 'execution_detail', 'execution_count', 'api_key'];
  const counts = tables.map(
    (table) => `(select count(*)::integer from ${table} where organization_id = '${id}') as ${table}`,
  );
  const [row = {}] = await ask<Record<string, number>>(url, `select ${counts.join(', ')}`);
  return row;
}

/** @returns true if nothing of the organization is left there */
export async function isEmptyOn(url: string): Promise<boolean> {
  return Object.values(await rowsOn(url)).every((count) => count === 0);
}

/** Slots and publications of moves. */
export async function leftovers({ main, b }: TwoServers): Promise<number> {
  const statement = `select slot_name from pg_replication_slots where database = current_database() and slot_name like 'workflow_move%'
    union all select pubname from pg_publication where pubname like 'workflow_move%'
    union all select subname from pg_subscription where subname like 'workflow_move%'
      and subdbid = (select oid from pg_database where datname = current_database())
    union all select organization_id from organization_move`;
  return (await ask(main, statement)).length + (await ask(b, statement)).length;
}

/** Moves in this process. */
export function move({ main, b }: TwoServers, to: string): Promise<boolean> {
  return moveOrganization({ ...optionsFor({ main, b }) }, to);
}

export function cancel(servers: TwoServers): Promise<void> {
  return cancelMove(optionsFor(servers));
}

function optionsFor({ main, b }: Pick<TwoServers, 'main' | 'b'>) {
  const urls = new Map([
    ['main', main],
    ['b', b],
  ]);
  return { organizationId, urls, report: () => {}, readersEndMs: 1_000 };
}

const program = new URL('../../support/move-until.ts', import.meta.url).pathname;

/** Moves in a process of its own. @param killAt a failpoint, or milliseconds after its start @returns true if it ended itself */
export async function moveUntil(
  { main, b }: TwoServers,
  to: string,
  killAt: MoveFailpoint | number | undefined,
): Promise<boolean> {
  const failpoint = typeof killAt === 'string' ? [killAt] : [];
  const child = spawn(process.execPath, [program, main, b, organizationId, to, ...failpoint], {
    stdio: ['ignore', 'ignore', 'pipe'],
    env: { NODE_NO_WARNINGS: '1' },
  });
  let output = '';
  child.stderr.on('data', (chunk: Buffer) => {
    output += chunk.toString();
  });
  const ended = once(child, 'close');
  if (typeof killAt === 'number') await Promise.race([ended, wait(killAt)]).then(() => child.kill('SIGKILL'));
  const [code] = await ended;
  if (code !== null && code !== 0) throw new Error(`The move failed: ${output}`);
  return code === 0;
}

type Load = {
  /** @returns the number of written executions and of checked answers */
  readonly stop: () => Promise<{ readonly written: number; readonly answers: number; readonly slowestMs: number }>;
};

const query = `{ workflowExecutions(input: { page: { size: 100 } }) { data { uuid } count }
  workflows(input: {}) { data { uuid } } }`;
type Answer = {
  readonly workflowExecutions: { readonly data: readonly { readonly uuid: string }[]; readonly count: number };
  readonly workflows: { readonly data: readonly unknown[] };
};

/** Writes executions one by one from number `from` on, and reads all the while. Every answer has each written row once. */
export function startLoad(
  store: RecordStore,
  service: Awaited<ReturnType<typeof startTestService>>,
  from: number,
): Load {
  const state = { written: from, begun: from, answers: 0, slowestMs: 0, isStopped: false };
  const write = async () => {
    while (!state.isStopped) {
      state.begun += 1;
      await store.writer.putExecutions([failureRecord(state.begun - 1)]);
      state.written = state.begun;
      await wait(5);
    }
  };
  const read = async () => {
    while (!state.isStopped) {
      const atLeast = state.written;
      const startedAt = performance.now();
      const { body, status } = await service.ask<Answer>(query);
      state.slowestMs = Math.max(state.slowestMs, performance.now() - startedAt);
      expect({ status, errors: body.errors }).toEqual({ status: 200, errors: undefined });
      const { count, data } = body.data?.workflowExecutions ?? { count: -1, data: [] };
      expect(count).toBeGreaterThanOrEqual(atLeast);
      expect(count).toBeLessThanOrEqual(state.begun);
      expect(new Set(data.map(({ uuid }) => uuid)).size).toBe(Math.min(100, data.length));
      expect(data.length).toBe(Math.min(100, count));
      expect(body.data?.workflows.data).toHaveLength(1);
      state.answers += 1;
    }
  };
  const running = Promise.all([write(), read()]);
  running.catch(() => {});
  return {
    async stop() {
      state.isStopped = true;
      await running;
      return { written: state.written, answers: state.answers, slowestMs: state.slowestMs };
    },
  };
}
