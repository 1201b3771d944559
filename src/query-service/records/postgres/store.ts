/** Opens the records in PostgreSQL. */
import { Kysely, sql } from 'kysely';
import { AppError } from '../../../shared/errors.ts';
import { migrate } from '../../../shared/sql/migrate.ts';
import {
  createStatementPool,
  type PostgresOptions,
  postgresDialect,
  type StandbyConnections,
} from '../../../shared/sql/postgres.ts';
import { createPipelinedPool } from '../../../shared/sql/postgres-pipeline.ts';
import { probeServer } from '../../../shared/sql/write-probe.ts';
import { createFairQueue } from '../../limits/fair-queue.ts';
import type { RequestContext } from '../../limits/request-context.ts';
import { createCheck } from '../check.ts';
import { createDump } from '../dump.ts';
import { createImportRecords } from '../import-progress.ts';
import { createKeyRecords } from '../keys.ts';
import { boundedChargeMaxMs } from '../read-cost.ts';
import { createLookups } from '../reads/read-people.ts';
import { type RunAt, runSteps } from '../reads/steps.ts';
import { createRequestReads } from '../request-reads.ts';
import type { Row, RunStatements, Statement } from '../sql.ts';
import type { RecordStore } from '../store.ts';
import { serviceMigrations } from '../tables/migrations.ts';
import type { Tables } from '../tables/tables.ts';
import { isFaultOfServer } from './standbys/standby.ts';
import { createStandbys, type RunOnServer, type StandbySettings } from './standbys/standbys.ts';
import { createPostgresWriter } from './writer.ts';

/** Migrations, batches and exports may take long. */
const writing = { answerTimeoutMs: 600_000, connectionsMax: 4 } as const;
/** A separate connection, so that readiness never waits behind a read. */
const checking = { answerTimeoutMs: 5_000, connectionsMax: 1 } as const;

/**
 * Bounded and unbounded reads have separate connections. Keys share each kind fairly: `perKey` statements of one key
 * run at the same time, and `waitingMax` wait.
 */
const reading = { answerTimeoutMs: 5_000, connectionsMax: 12, perKey: 10, waitingMax: 5_000 } as const;
/** Statements of bounded reads that are under way on one connection. A cancelled connection has one. */
const pipelineDepth = 4;
const searching = { answerTimeoutMs: 30_000, connectionsMax: 3, perKey: 1, waitingMax: 120 } as const;
/** The context of the service's own key lookups: they share the connections with the reads of keys. */
const { signal: neverAborted } = new AbortController();
const service: RequestContext = {
  keyId: '',
  signal: () => neverAborted,
  charge: () => {},
  checkBudget: () => {},
  acquireEventLoop: () => undefined,
  scheduleTasks: () => {},
  longTextLimit: (work) => work(),
  abort: () => {},
};

/**
 * @param url `postgres://…` of the primary
 * @param settings standbys, which are read from where they have what the primary has; none by default
 * @throws AppError `unavailable` if it cannot be used
 */
export async function openPostgresRecords(url: string, settings?: StandbySettings): Promise<RecordStore> {
  const write = new Kysely<Tables>({ dialect: postgresDialect({ url, ...writing }) });
  await prepareTables(write).catch(async (error: unknown) => {
    await write.destroy();
    throw error;
  });
  const check = new Kysely<Tables>({ dialect: postgresDialect({ url, ...checking }) });
  const primary = openReads(url);
  const { bounded, unbounded } = primary;
  // Keys are read from the primary alone, so that a revoked one is refused in time.
  const keys = createKeyRecords(write, 'postgresql', bounded.runFor(service, 0));
  // Opens a connection now, so that the first request does not wait for one.
  await keys.key('');
  const standbys = settings && createStandbys({ ...settings, primaryUrl: url, primary, open: openReads });
  const onPrimary: RunOnServer<ServerReads> = (work) => work(primary);
  const runScripts = unbounded.runFor({ ...service, keyId: 'scripts' }, 0);
  const read: RecordStore['read'] = async (steps) => runSteps(steps, () => runScripts);
  return {
    engine: 'postgresql',
    read,
    records: createLookups('postgresql', read),
    readsFor: (context, measure, organizationId) => {
      const runOn = standbys?.forRequest(organizationId) ?? onPrimary;
      return createRequestReads(context, runAtOn(context, runOn), measure);
    },
    keys,
    writer: createPostgresWriter(write),
    imports: createImportRecords(write),
    dump: createDump(write),
    check: createCheck(check, (table) => probeServer(check, table)),
    waiting: () => bounded.waiting() + unbounded.waiting(),
    poolUse: () => ({ ...bounded.use(), waiting: bounded.waiting() }),
    serverUse: standbys?.use ?? null,
    close: async () => void (await Promise.all([standbys?.end(), primary.end(), check.destroy(), write.destroy()])),
  };
}

/** Connections for the reads of requests to one server. */
type ServerReads = ReturnType<typeof openReads>;

function openReads(url: string, standby?: StandbyConnections) {
  const server = { url, ...(standby && { standby }) };
  const bounded = openConnectionPool({ ...server, ...reading, isCancelled: false });
  const unbounded = openConnectionPool({ ...server, ...searching, isCancelled: true });
  return { bounded, unbounded, end: () => Promise.all([bounded.end(), unbounded.end()]) };
}

/** @param runOn runs each step on the server that answers the request */
function runAtOn(context: RequestContext, runOn: RunOnServer<ServerReads>): RunAt {
  const runBounded: RunStatements = (statements) => {
    const run = () => runOn(({ bounded }) => bounded.runFor(context, boundedChargeMaxMs)(statements));
    // A lost connection, or a form that became invalid on it, fails up to four statements: another connection answers them.
    return run().catch((error: unknown) => {
      if (isFaultOfServer(error)) return run();
      throw error;
    });
  };
  const runUnbounded: RunStatements = (statements) =>
    runOn(({ unbounded }) => unbounded.runFor(context, Number.POSITIVE_INFINITY)(statements), true);
  return (costs) => (costs.includes('unbounded') ? runUnbounded : runBounded);
}

async function prepareTables(db: Kysely<Tables>): Promise<void> {
  await checkServer(db);
  await migrate(db, serviceMigrations);
}

type ConnectionPoolOptions = PostgresOptions & {
  readonly perKey: number;
  readonly waitingMax: number;
  /** True if the server cancels a statement when its request ends. A short statement ends earlier anyway. */
  readonly isCancelled: boolean;
};

/** Connections for one kind of reads, shared fairly between keys. */
function openConnectionPool(options: ConnectionPoolOptions) {
  const depth = options.isCancelled ? 1 : pipelineDepth;
  const create = options.isCancelled ? createStatementPool : createPipelinedPool;
  const pool = create({ ...options, depth, keeps: 'plans' });
  const queue = createFairQueue({ ...options, slots: options.connectionsMax * depth });
  return {
    /** @param chargedMax limit in milliseconds for the charge of one statement */
    runFor: ({ keyId, signal, charge, checkBudget }: RequestContext, chargedMax: number) => {
      const cancelSignal = options.isCancelled ? signal : undefined;
      const statementFor = { left: cancelSignal, spend: (ms: number) => charge(Math.min(ms, chargedMax)) };
      const runOne = async ({ text, values }: Statement) => {
        const due = queue.acquire(keyId, cancelSignal);
        if (due !== undefined) await due;
        try {
          checkBudget();
          return (await pool.run(text, values, statementFor)) as readonly Row[];
        } finally {
          queue.release(keyId);
        }
      };
      return (statements: readonly Statement[]) => Promise.all(statements.map(runOne));
    },
    waiting: () => queue.usage().waiting,
    use: pool.use,
    end: pool.end,
  };
}

/** Refuses encodings other than UTF-8, which reject some names or confuse letters. @throws AppError `unavailable` */
async function checkServer(db: Kysely<Tables>): Promise<void> {
  const { rows } = await sql<{ version: number; encoding: string }>`select
    cast(current_setting('server_version_num') as integer) as version,
    current_setting('server_encoding') as encoding`.execute(db);
  const { version = 0, encoding = '' } = rows[0] ?? {};
  if (version < 150_000) throw new AppError('unavailable', 'The server is older than PostgreSQL 15.');
  if (encoding !== 'UTF8')
    throw new AppError('unavailable', `The encoding of the database is ${encoding}, and has to be UTF8.`);
}
