/** Opens the records in PostgreSQL. */
import { Kysely, sql } from 'kysely';
import { AppError } from '../../../shared/errors.ts';
import { migrate } from '../../../shared/sql/migrate.ts';
import { databasesOf, type RunStatement } from '../../../shared/sql/own-run.ts';
import { createStatementPool, type PostgresOptions, postgresDialect } from '../../../shared/sql/postgres.ts';
import { probeServer } from '../../../shared/sql/write-probe.ts';
import type { Asker } from '../../fairness/asker.ts';
import { createFairQueue } from '../../fairness/fair-queue.ts';
import { askedRecords, runIn } from '../asked.ts';
import { createCheck } from '../check.ts';
import { createDump } from '../dump.ts';
import { createImportRecords } from '../imports.ts';
import { createKeyRecords } from '../keys.ts';
import type { RecordStore } from '../port.ts';
import { boundedMs } from '../reach.ts';
import { createRecords } from '../reads/read.ts';
import { recordSteps } from '../tables/migrations.ts';
import type { Tables } from '../tables/tables.ts';
import { createPostgresWriter } from './postgres-writer.ts';

/** Migrations, batches and exports take what they take. */
const writing = { answerTimeoutMs: 600_000, connectionsMax: 4 } as const;
/** Readiness never waits behind a question. */
const checking = { answerTimeoutMs: 5_000, connectionsMax: 1 } as const;

/**
 * Bounded reads and unbounded ones share no connection, and keys share each kind fairly: of one key's statements so many run
 * at once, and so many wait.
 */
const reading = { answerTimeoutMs: 5_000, connectionsMax: 12, perKey: 10, waitingMax: 5_000 } as const;
const scanning = { answerTimeoutMs: 30_000, connectionsMax: 3, perKey: 1, waitingMax: 120 } as const;
/** The service's own look-ups of keys take turns with the keys' questions. */
const { signal } = new AbortController();
const service: Asker = {
  keyId: '',
  left: () => signal,
  spend: () => {},
  admit: () => {},
  turn: () => undefined,
  divide: () => {},
  withLongText: (work) => work(),
  stop: () => {},
};

/** @param url `postgres://…` @throws AppError `unavailable` where it cannot be used */
export async function openPostgresRecords(url: string): Promise<RecordStore> {
  const dialect = postgresDialect({ url, ...writing });
  const write = new Kysely<Tables>({ dialect });
  const databaseOf = databasesOf(write, dialect);
  try {
    await refuseOther(write);
    await migrate(write, recordSteps);
  } catch (error) {
    await write.destroy();
    throw error;
  }
  const check = new Kysely<Tables>({ dialect: postgresDialect({ url, ...checking }) });
  const bounded = openLane({ url, ...reading, isCancelled: false }, databaseOf);
  const unbounded = openLane({ url, ...scanning, isCancelled: true }, databaseOf);
  const { key } = createKeyRecords(bounded.databaseFor(service, 0));
  // The first request does not wait for a connection.
  await key('');
  return {
    records: createRecords(write),
    recordsFor: (asker, measure) =>
      askedRecords(
        asker,
        {
          bounded: createRecords(bounded.databaseFor(asker, boundedMs), asker.withLongText),
          unbounded: (read, given) =>
            runIn(createRecords(unbounded.databaseFor(asker, Number.POSITIVE_INFINITY)))(read, given),
          isUnbounded: (reach) => reach === 'unbounded',
        },
        measure,
      ),
    keys: { ...createKeyRecords(write), key },
    writer: createPostgresWriter(write),
    imports: createImportRecords(write),
    dump: createDump(write),
    check: createCheck(check, (table) => probeServer(check, table)),
    waiting: () => bounded.waiting() + unbounded.waiting(),
    poolUse: () => ({ ...bounded.use(), waiting: bounded.waiting() }),
    close: async () => void (await Promise.all([bounded.end(), unbounded.end(), check.destroy(), write.destroy()])),
  };
}

type Lane = PostgresOptions & {
  readonly perKey: number;
  readonly waitingMax: number;
  /** Whether statements end with their request: a short one is over before the server could be told. */
  readonly isCancelled: boolean;
};

/** Connections of one kind of reads, and who may use them when. */
function openLane(lane: Lane, databaseOf: (run: RunStatement) => Kysely<Tables>) {
  const pool = createStatementPool({ ...lane, keeps: 'plans' });
  const queue = createFairQueue({ ...lane, slots: lane.connectionsMax });
  return {
    /** @param chargedMax the most that one statement is charged, in milliseconds */
    databaseFor: ({ keyId, left, spend, admit }: Asker, chargedMax: number) => {
      const stop = lane.isCancelled ? left : undefined;
      const statementFor = { left: stop, spend: (ms: number) => spend(Math.min(ms, chargedMax)) };
      return databaseOf(async ({ sql: text, parameters }) => {
        const turn = queue.enter(keyId, stop);
        if (turn !== undefined) await turn;
        try {
          admit();
          return await pool.run(text, parameters, statementFor);
        } finally {
          queue.leave(keyId);
        }
      });
    },
    waiting: () => queue.use().waiting,
    use: pool.use,
    end: pool.end,
  };
}

/** Any other encoding refuses names that people give, or cannot tell one letter from another. */
async function refuseOther(db: Kysely<Tables>): Promise<void> {
  const { rows } = await sql<{ version: number; encoding: string }>`select
    cast(current_setting('server_version_num') as integer) as version,
    current_setting('server_encoding') as encoding`.execute(db);
  const { version = 0, encoding = '' } = rows[0] ?? {};
  if (version < 150_000) throw new AppError('unavailable', 'It is older than PostgreSQL 15.');
  if (encoding !== 'UTF8') throw new AppError('unavailable', `Its encoding is ${encoding}, and has to be UTF8.`);
}
