/** Two replicas of the service with two standbys, which are killed, frozen, paused and promoted while clients read and an import writes. */
import { Client } from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openRecords } from '../../../src/query-service/records/open.ts';
import { createServerProbe } from '../../../src/query-service/records/postgres/standbys/server-probe.ts';
import type { RecordStore } from '../../../src/query-service/records/store.ts';
import { createStatementPool } from '../../../src/shared/sql/postgres.ts';
import { describePostgres } from '../../support/databases/engines.ts';
import { type OwnPostgres, type OwnStandby, startOwnPostgres } from '../../support/databases/own-postgres.ts';
import { startControl } from '../../support/runner/control.ts';
import { startTestService, type TestService } from '../../support/service/service.ts';
import { executionRecord, putOrganizations } from '../../support/service/service-records.ts';

const lagMaxMs = 600;
/** The executions of harbor before the test adds others. */
const countBefore = 14;
const firstAdded = 1_000;

/** What an importer has written, by count. */
type Written = { begun: number; committed: number };

type Answer = { readonly startedAt: number; readonly ms: number; readonly fault: string | null };

const countQuery = '{ workflowExecutions(input: { page: { size: 1 } }) { count } }';
const searchQuery = '{ workflowExecutions(input: { search: "123abc", page: { size: 1 } }) { count } }';

describePostgres('with two standbys', () => {
  let primary: OwnPostgres;
  let standbys: readonly OwnStandby[];
  let importer: RecordStore;
  let replicas: readonly TestService[];
  const written: Written = { begun: 0, committed: 0 };

  beforeAll(async () => {
    primary = await startOwnPostgres();
    importer = await openRecords(primary.url);
    await putOrganizations(importer.writer);
    standbys = [await primary.startStandby(), await primary.startStandby()];
    const options = {
      databaseUrl: primary.url,
      readUrls: standbys.map(({ url }) => url),
      readLagMaxMs: lagMaxMs,
      hasRecords: false,
    };
    replicas = [await startTestService(options), await startTestService(options)];
  });
  afterAll(async () => {
    for (const { close } of replicas) await close();
    await importer.close();
    await primary.close();
  });

  /** @returns the use of a standby by all replicas */
  function useOf(index: number) {
    const uses = replicas.map(({ serverUse }) => serverUse?.()[index + 1]);
    return {
      isRead: uses.every((use) => use?.isRead),
      isLeft: uses.every((use) => !use?.isRead),
      answered: sum(uses.map((use) => use?.answered)),
      failed: sum(uses.map((use) => use?.failed)),
    };
  }

  async function readFrom(index: number, isRead: boolean): Promise<void> {
    await expect.poll(() => useOf(index)[isRead ? 'isRead' : 'isLeft'], { interval: 20 }).toBe(true);
  }

  /** Adds one execution after the other until it is told to stop. */
  async function write(isDone: () => boolean): Promise<void> {
    while (!isDone()) {
      written.begun += 1;
      await importer.writer.putExecutions([executionRecord(firstAdded + written.begun)]);
      written.committed = written.begun;
      await pause();
    }
  }

  /** An answer has everything that was committed before its request, and nothing that the primary does not have. */
  async function read(service: TestService): Promise<Answer> {
    const startedAt = performance.now();
    const atLeast = countBefore + written.committed;
    const { body } = await service.ask<{ workflowExecutions: { count: number } }>(
      countQuery,
      null,
      replicas[0]?.apiKeys.harbor,
    );
    const atMost = countBefore + written.begun;
    const count = body.data?.workflowExecutions?.count;
    const isRight = body.errors === undefined && count !== undefined && count >= atLeast && count <= atMost;
    const fault = isRight ? null : `${JSON.stringify(body)}, expected ${atLeast} to ${atMost}`;
    return { startedAt, ms: performance.now() - startedAt, fault };
  }

  /** Two clients of each replica read while the importer writes, if `writes`, and `act` runs. @returns their answers */
  async function underLoad(act: () => Promise<void>, writes = true): Promise<readonly Answer[]> {
    const answers: Answer[] = [];
    let isDone = false;
    const client = async (service: TestService) => {
      while (!isDone) {
        answers.push(await read(service));
        await pause();
      }
    };
    const clients = replicas.flatMap((service) => [client(service), client(service)]);
    const writing = write(() => isDone || !writes);
    try {
      await act();
    } finally {
      isDone = true;
    }
    await Promise.all([writing, ...clients]);
    return answers;
  }

  function expectRight(answers: readonly Answer[]): void {
    expect(answers.map(({ fault }) => fault).filter((fault) => fault !== null)).toEqual([]);
    expect(answers.length).toBeGreaterThanOrEqual(20);
  }

  async function answersOf(index: number, count = 20): Promise<void> {
    const { answered } = useOf(index);
    await expect.poll(() => useOf(index).answered, { interval: 20 }).toBeGreaterThanOrEqual(answered + count);
  }

  test('both answer, with everything that another process had committed before the request', async () => {
    expectRight(await underLoad(async () => void (await Promise.all([answersOf(0), answersOf(1)]))));
  });

  test('a killed standby is left without an error, and read from again after its start', async () => {
    const [first] = standbys;
    const answers = await underLoad(async () => {
      await answersOf(0);
      first?.kill();
      await readFrom(0, false);
      await answersOf(1);
      await first?.start();
      await answersOf(0);
    });
    expectRight(answers);
  });

  test('a frozen standby is left before a request would time out, and read from again when it continues', async () => {
    const [first] = standbys;
    const answers = await underLoad(async () => {
      await answersOf(0);
      const thaw = first?.freeze();
      const limit = startControl(10_000);
      await readFrom(0, false);
      expect(limit.isOver()).toBe(false);
      await answersOf(1);
      thaw?.();
      await answersOf(0);
    });
    expectRight(answers);
    expect(Math.max(...answers.map(({ ms }) => ms))).toBeLessThan(15_000);
  });

  test('a standby that does not replay answers nothing old, is left over the bound, and read from again', async () => {
    const { url = '' } = standbys[0] ?? {};
    const answers = await underLoad(async () => {
      await answersOf(0);
      await onServer(url, 'select pg_wal_replay_pause()');
      await readFrom(0, false);
      await answersOf(1);
      await onServer(url, 'select pg_wal_replay_resume()');
      await answersOf(0);
    });
    expectRight(answers);
  });

  test('a statement that the standby cancels for a conflict with its recovery is repeated on the primary', async () => {
    await onServer(
      primary.url,
      `insert into execution select 'org_harbor', 'x' || n, md5(n::text), '${executionRecord(1).workflowUuid}', 'UNKNOWN',
        null, null, 0, null, null, null, null from generate_series(1, 60000) as n`,
    );
    for (const { url } of standbys) {
      await onServer(url, 'alter system set max_standby_streaming_delay = 0', 'select pg_reload_conf()');
    }
    const failed = () => useOf(0).failed + useOf(1).failed;
    const before = failed();
    const answers: unknown[] = [];
    const search = async (service: TestService) => {
      const { body } = await service.ask(searchQuery, null, replicas[0]?.apiKeys.harbor);
      answers.push(body.errors ?? null);
    };
    for (let round = 0; round < 200 && failed() === before; round += 1) {
      const searches = replicas.map(search);
      await onServer(primary.url, 'begin; lock table execution in access exclusive mode; commit');
      await Promise.all(searches);
    }
    expect(failed()).toBeGreaterThan(before);
    expect(answers.filter((errors) => errors !== null)).toEqual([]);
    await onServer(primary.url, `delete from execution where uuid like 'x%'`);
    for (const { url } of standbys) {
      await onServer(url, 'alter system reset max_standby_streaming_delay', 'select pg_reload_conf()');
    }
  });

  test('a promoted standby is not read from: nothing that is written there is ever seen', async () => {
    const { url = '' } = standbys[1] ?? {};
    // Without writes the standby has the primary's revision until it is promoted, and after it.
    const answers = await underLoad(async () => {
      await answersOf(1);
      // Read at once: a pool closes a connection that nobody has used for ten seconds.
      const connection = await watchedConnection(url);
      await onServer(url, 'select pg_promote()');
      expect(connection.isPromoted()).toBe(false);
      await connection.read();
      expect(connection.isPromoted()).toBe(true);
      await connection.end();
      await onServer(
        url,
        `insert into execution select 'org_harbor', 'p' || n, 'p', 'w', 'SUCCESS', null, null, 0, null, null, null, null
          from generate_series(1, 1000) as n`,
        'update execution_count set executions = executions + 1000',
      );
      await readFrom(1, false);
      await answersOf(0);
    }, false);
    expectRight(answers);
  });

  test('after a crash of the primary the replicas answer again, and a standby with them', async () => {
    await primary.crash();
    for (const service of replicas) await expect.poll(async () => (await read(service)).fault).toBe(null);
    expectRight(await underLoad(() => answersOf(0)));
  });
});

/** As a client thinks: without it, the load is all that the machine can do. */
function pause(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 15));
}

function sum(numbers: readonly (number | undefined)[]): number {
  return numbers.reduce<number>((total, number) => total + (number ?? 0), 0);
}

async function onServer(url: string, ...statements: readonly string[]): Promise<void> {
  const client = new Client({ connectionString: url });
  client.on('error', () => {});
  await client.connect();
  try {
    for (const statement of statements) await client.query(statement);
  } finally {
    await client.end();
  }
}

/** A connection of a pool that reads from a standby. */
async function watchedConnection(url: string) {
  const startedAt = await startOf(url);
  let isPromoted = false;
  const onPromoted = () => {
    isPromoted = true;
  };
  const pool = createStatementPool({
    ...{ url, answerTimeoutMs: 1_000, connectionsMax: 1 },
    standby: { startedAt: () => startedAt, onPromoted },
  });
  const read = () => pool.run('select 1', [], { spend: () => {} });
  await read();
  return { isPromoted: () => isPromoted, read, end: pool.end };
}

async function startOf(url: string): Promise<string> {
  const probe = createServerProbe(url, 1_000);
  const { startedAt } = await probe.ask();
  await probe.end();
  return startedAt;
}
