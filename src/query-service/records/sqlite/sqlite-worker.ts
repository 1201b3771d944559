/** The thread that runs unbounded reads of a SQLite file, one after the other, over a read-only connection of its own. */
import { DatabaseSync } from 'node:sqlite';
import { parentPort, workerData } from 'node:worker_threads';
import { Kysely } from 'kysely';
import { sqliteDialect } from '../../../shared/sql/sqlite.ts';
import { type Read, runIn } from '../asked.ts';
import { createRecords } from '../reads/read.ts';
import type { Tables } from '../tables/tables.ts';

export type ScanRequest = { readonly read: Read; readonly given: readonly unknown[] };

/** `ms` is what the database took. */
export type ScanReply = { readonly ms: number } & ({ readonly found: unknown } | { readonly fault: unknown });

const database = new DatabaseSync(String(workerData), { readOnly: true });
database.exec('pragma busy_timeout = 5000; pragma temp_store = memory; pragma cache_size = -16000');
const run = runIn(createRecords(new Kysely<Tables>({ dialect: sqliteDialect(database) })));

async function reply({ read, given }: ScanRequest): Promise<ScanReply> {
  const startedAt = performance.now();
  const took = () => performance.now() - startedAt;
  try {
    return { found: await run(read, given), ms: took() };
  } catch (fault) {
    return { fault, ms: took() };
  }
}

parentPort?.on('message', async (request: ScanRequest) => parentPort?.postMessage(await reply(request)));
