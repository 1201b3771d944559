/** Moves of an organization between two PostgreSQL servers, under load, killed, cancelled and continued. */
import { expect, it, onTestFinished } from 'vitest';
import { openPostgresRecords } from '../../../src/query-service/records/postgres/store.ts';
import type { MoveFailpoint } from '../../../src/query-service/records/servers/move.ts';
import { describePostgres } from '../../support/engines.ts';
import { startProgram } from '../../support/program.ts';
import { ask, makeServers } from '../../support/servers.ts';
import { startTestService } from '../../support/service.ts';
import { failureRecord, workflowRecord } from '../../support/service-records.ts';
import { exportOf } from '../../support/transfer.ts';
import { cancel, fill, isEmptyOn, leftovers, move, moveUntil, organizationId, rowsOn, startLoad } from './moves.ts';

/** One failpoint in each step; move.long.test.ts has all of them. */
const eachStep: readonly MoveFailpoint[] = [
  'after clearing',
  'after slot',
  'after copy',
  'after closing the old server',
  'after comparison',
  'after switch',
  'after unsubscribing',
  'during deletion',
];

describePostgres('an organization', () => {
  it('moves to another server and back while it is read and written, and no other organization moves', async () => {
    const servers = await makeServers();
    const store = await fill(servers, 300);
    const service = await startTestService({ databaseUrl: servers.main, servers: servers.servers, hasRecords: false });
    const other = await rowsOn(servers.main, 'org_ledger');
    const load = startLoad(store, service, 300);
    expect(await move(servers, 'b')).toBe(true);
    expect(await move(servers, 'b')).toBe(false);
    expect([await isEmptyOn(servers.main), await rowsOn(servers.main, 'org_ledger')]).toEqual([true, other]);
    expect(await move(servers, 'main')).toBe(true);
    const { written, answers, slowestMs } = await load.stop();
    expect(slowestMs).toBeLessThan(5_000);
    expect([await isEmptyOn(servers.b), await leftovers(servers)]).toEqual([true, 0]);
    expect(await rowsOn(servers.main)).toMatchObject({ execution: written, execution_detail: written, api_key: 1 });
    expect([written, answers].every((count) => count > 20)).toBe(true);
    await service.close();
  });

  it('is neither lost nor visible twice if the move is killed at each step and begun again', async () => {
    const servers = await makeServers();
    const store = await fill(servers, 300);
    const service = await startTestService({ databaseUrl: servers.main, servers: servers.servers, hasRecords: false });
    const load = startLoad(store, service, 300);
    for (const failpoint of eachStep) {
      expect([failpoint, await moveUntil(servers, 'b', failpoint)]).toEqual([failpoint, false]);
    }
    expect(await moveUntil(servers, 'b', undefined)).toBe(true);
    const { written } = await load.stop();
    expect([await isEmptyOn(servers.main), await leftovers(servers)]).toEqual([true, 0]);
    expect(await rowsOn(servers.b)).toMatchObject({ execution: written, execution_detail: written, api_key: 1 });
    await service.close();
  }, 120_000);

  it('stays where it is, complete and writable, if the move is killed and cancelled before the switch', async () => {
    const servers = await makeServers();
    const store = await fill(servers, 300);
    const before = await exportOf(store);
    for (const failpoint of ['after clearing', 'after subscription', 'after comparison'] as const) {
      await moveUntil(servers, 'b', failpoint);
      await cancel(servers);
      expect([await isEmptyOn(servers.b), await leftovers(servers)]).toEqual([true, 0]);
      await store.writer.putExecutions([failureRecord(1)]);
      expect(await exportOf(store)).toBe(before);
    }
    await moveUntil(servers, 'b', 'after switch');
    await expect(cancel(servers)).rejects.toThrow('is on b already');
    await move(servers, 'b');
    expect([await isEmptyOn(servers.main), await exportOf(store)]).toEqual([true, before]);
  }, 120_000);

  it('does not move if the copy differs, and its writes continue; once it has moved, the old server refuses them', async () => {
    const servers = await makeServers();
    const store = await fill(servers, 30);
    await moveUntil(servers, 'b', 'after copy');
    await ask(
      servers.b,
      `update execution set detailed_status = 'changed' where organization_id = '${organizationId}'`,
    );
    await expect(move(servers, 'b')).rejects.toThrow(/in rows or checksums: execution \(30 \/ /);
    await store.writer.putExecutions([failureRecord(31)]);
    expect((await rowsOn(servers.main))['execution']).toBe(31);
    await move(servers, 'b');
    expect((await rowsOn(servers.b))['execution']).toBe(31);
    const old = await openPostgresRecords(servers.main, { isMember: true });
    onTestFinished(() => old.close());
    await expect(old.writer.putWorkflows([workflowRecord(9)])).rejects.toThrow('is on the server b');
    expect(await isEmptyOn(servers.main)).toBe(true);
  });

  it('is moved by service:move, whose refusals say what to do', async () => {
    const servers = await makeServers();
    await fill(servers, 3);
    const script = async (...args: readonly string[]) => {
      const program = startProgram({ entry: 'src/bin/service-move.ts', args, environment: servers.environment });
      return [await program.ended, program.output()];
    };
    const harbor = ['--organization', organizationId];
    expect(await script(...harbor, '--to', 'c')).toEqual([
      1,
      expect.stringContaining('SERVICE_SERVERS lacks the server c'),
    ]);
    expect(await script('--organization', 'org_x', '--to', 'b')).toEqual([
      1,
      expect.stringContaining('There is no organization org_x'),
    ]);
    expect(await script(...harbor, '--cancel')).toEqual([1, expect.stringContaining('is not being moved')]);
    expect(await script(...harbor, '--to', 'main')).toEqual([0, `${organizationId} is on main already.\n`]);
    await moveUntil(servers, 'b', 'after switch');
    const move = startProgram({
      entry: 'src/bin/service-move.ts',
      args: [...harbor, '--to', 'b'],
      environment: servers.environment,
    });
    await move.said(/Deletes its rows on main in 65 s/);
    expect(await script(...harbor, '--to', 'b')).toEqual([1, expect.stringContaining('Another process is moving')]);
  }, 120_000);
});
