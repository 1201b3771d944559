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
import { createKeyRecords, type KeyRecords } from '../keys.ts';
import { boundedChargeMaxMs } from '../read-cost.ts';
import { createRecords } from '../reads/read.ts';
import { createRequestReads, type ReadSources, runReadOn } from '../request-reads.ts';
import type { Row, Statement } from '../sql.ts';
import type { RecordStore } from '../store.ts';
import { serviceMigrations } from '../tables/migrations.ts';
import type { Tables } from '../tables/tables.ts';
import { createMonthlyWriter } from './monthly-writer.ts';
import { type Months, openMonths } from './months.ts';
import { newestFirst } from './newest-first.ts';
import { createStandbys, type RunOnServer, type StandbySettings } from './standbys/standbys.ts';
import { createPostgresWriter, writeOrganizations } from './writer.ts';

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

export type PostgresRecordsOptions = {
  /** True if a directory says which organizations are here. */
  readonly isMember?: boolean;
  /** Read from where they have what the primary has; none by default. */
  readonly standbys?: StandbySettings | undefined;
};

/**
 * @param url `postgres://…` of the primary
 * @throws AppError `unavailable` if it cannot be used
 */
export async function openPostgresRecords(url: string, options: PostgresRecordsOptions = {}): Promise<RecordStore> {
  const write = new Kysely<Tables>({ dialect: postgresDialect({ url, ...writing }) });
  const months = await prepareTables(write, options.isMember ?? false).catch(async (error: unknown) => {
    await write.destroy();
    throw error;
  });
  const check = new Kysely<Tables>({ dialect: postgresDialect({ url, ...checking }) });
  const open = (server: string, standby?: StandbyConnections) => openReads(server, months !== null, standby);
  const primary = open(url);
  const { bounded, unbounded } = primary;
  // Keys are read from the primary alone, so that a revoked one is refused in time.
  const keysOn = (db: Kysely<Tables>) => createKeyRecords(db, 'postgresql', bounded.runFor(service, 0));
  const keys = withClosedCheck(keysOn(write), write, keysOn);
  // Opens a connection now, so that the first request does not wait for one.
  await keys.key('');
  const standbys = options.standbys && createStandbys({ ...options.standbys, primaryUrl: url, primary, open });
  const onPrimary: RunOnServer<ServerReads> = (work) => work(primary);
  return {
    records: createRecords('postgresql', unbounded.runFor({ ...service, keyId: 'scripts' }, 0)),
    readsFor: (context, measure, organizationId) =>
      createRequestReads(context, sourcesOf(context, standbys?.forRequest(organizationId) ?? onPrimary), measure),
    keys,
    writer: months === null ? createPostgresWriter(write) : createMonthlyWriter(write, months),
    makeAhead: async (now) => months?.makeAhead(now),
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

function openReads(url: string, isByMonth: boolean, standby?: StandbyConnections) {
  const server = { url, ...(standby && { standby }) };
  const bounded = openConnectionPool({ ...server, ...reading, isCancelled: false, isByMonth });
  const unbounded = openConnectionPool({ ...server, ...searching, isCancelled: true, isByMonth: false });
  return { bounded, unbounded, end: () => Promise.all([bounded.end(), unbounded.end()]) };
}

/** @param runOn runs each step on the server that answers the request */
function sourcesOf(context: RequestContext, runOn: RunOnServer<ServerReads>): ReadSources {
  const noLimit = Number.POSITIVE_INFINITY;
  return {
    engine: 'postgresql',
    run: (statements) => runOn(({ bounded }) => bounded.runFor(context, boundedChargeMaxMs)(statements)),
    isUnbounded: (cost) => cost === 'unbounded',
    runUnbounded: (read, args) =>
      runOn(
        ({ unbounded }) => runReadOn(createRecords('postgresql', unbounded.runFor(context, noLimit)))(read, args),
        true,
      ),
  };
}

/** Keys move with their organization, so that no write of a key may come between. */
function withClosedCheck(
  keys: KeyRecords,
  write: Kysely<Tables>,
  keysOn: (db: Kysely<Tables>) => KeyRecords,
): KeyRecords {
  const checked = <Result>(organizationId: string, work: (own: KeyRecords) => Promise<Result>) =>
    writeOrganizations(write, [organizationId], (transaction) => work(keysOn(transaction)));
  return {
    ...keys,
    putKey: (record) => checked(record.organizationId, (own) => own.putKey(record)),
    revokeKey: (organizationId, id, at) => checked(organizationId, (own) => own.revokeKey(organizationId, id, at)),
    replaceKey: (id, expiresAt, record) =>
      checked(record.organizationId, (own) => own.replaceKey(id, expiresAt, record)),
  };
}

/** @returns the months of a database that has a partition for each */
async function prepareTables(db: Kysely<Tables>, isMember: boolean): Promise<Months | null> {
  await checkServer(db);
  await migrate(db, serviceMigrations);
  if (!isMember) await refuseMember(db);
  const months = await openMonths(db);
  // Moving an organization copies rows behind the views of the newest month.
  if (isMember && months !== null)
    throw new AppError(
      'unavailable',
      'It has a partition for each month; such a database cannot be used with several servers.',
    );
  return months;
}

type ConnectionPoolOptions = PostgresOptions & {
  readonly perKey: number;
  readonly waitingMax: number;
  /** True if the server cancels a statement when its request ends. A short statement ends earlier anyway. */
  readonly isCancelled: boolean;
  /** True if executions have a partition for each month, and short statements read the newest one first. */
  readonly isByMonth: boolean;
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
      const run = options.isByMonth ? newestFirst(runOne) : runOne;
      return (statements: readonly Statement[]) => Promise.all(statements.map(run));
    },
    waiting: () => queue.usage().waiting,
    use: pool.use,
    end: pool.end,
  };
}

/** Refuses a database whose organizations may be elsewhere. */
async function refuseMember(db: Kysely<Tables>): Promise<void> {
  const { rows } = await sql`select from server where name not in (select name from own_server)`.execute(db);
  if (rows.length > 0)
    throw new AppError('unavailable', 'It is one of several servers, and SERVICE_SERVERS does not name the others.');
}

/** Refuses encodings other than UTF-8, which reject some names or confuse letters. @throws AppError `unavailable` */
export async function checkServer(db: Kysely<Tables>): Promise<void> {
  const { rows } = await sql<{ version: number; encoding: string }>`select
    cast(current_setting('server_version_num') as integer) as version,
    current_setting('server_encoding') as encoding`.execute(db);
  const { version = 0, encoding = '' } = rows[0] ?? {};
  if (version < 150_000) throw new AppError('unavailable', 'The server is older than PostgreSQL 15.');
  if (encoding !== 'UTF8')
    throw new AppError('unavailable', `The encoding of the database is ${encoding}, and has to be UTF8.`);
}
