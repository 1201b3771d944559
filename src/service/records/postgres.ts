/** Opens the records in PostgreSQL. */
import { AsyncLocalStorage } from 'node:async_hooks';
import { Kysely, sql } from 'kysely';
import { AppError } from '../../core/errors.ts';
import { migrate } from '../../sql/migrate.ts';
import { pooledDialect, postgresDialect } from '../../sql/postgres.ts';
import { probeServer } from '../../sql/write-probe.ts';
import { createCheck } from './check.ts';
import { createDump } from './dump.ts';
import { createImportRecords } from './imports.ts';
import { createKeyRecords } from './keys.ts';
import { recordSteps } from './migrations.ts';
import type { RecordStore } from './port.ts';
import { createPostgresWriter } from './postgres-writer.ts';
import { createRecords } from './read.ts';
import type { Tables } from './tables.ts';

/** What a client waits for is bounded; migrations, batches and exports take what they take. */
const reading = { answerTimeoutMs: 5000, connectionsMax: 10 } as const;
const writing = { answerTimeoutMs: 600_000, connectionsMax: 4 } as const;

/** @param url `postgres://…` @throws AppError `unavailable` where it cannot be used */
export async function openPostgresRecords(url: string): Promise<RecordStore> {
  const wanted = new AsyncLocalStorage<AbortSignal>();
  const { dialect, use } = pooledDialect({ url, ...reading, keeps: 'plans', wantedUntil: () => wanted.getStore() });
  const read = new Kysely<Tables>({ dialect });
  const write = new Kysely<Tables>({ dialect: postgresDialect({ url, ...writing }) });
  const close = async () => void (await Promise.all([read.destroy(), write.destroy()]));
  try {
    await refuseOther(write);
    await migrate(write, recordSteps);
  } catch (error) {
    await close();
    throw error;
  }
  return {
    records: createRecords(read),
    keys: createKeyRecords(read),
    writer: createPostgresWriter(write),
    imports: createImportRecords(write),
    dump: createDump(write),
    check: createCheck(read, (table) => probeServer(read, table)),
    whileWanted: (signal, work) => wanted.run(signal(), work),
    poolUse: use,
    close,
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
