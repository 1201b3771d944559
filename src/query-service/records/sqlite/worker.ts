/** Worker thread that runs unbounded reads of a SQLite file, one at a time, over its own read-only connection. */
import { DatabaseSync } from 'node:sqlite';
import { parentPort, workerData } from 'node:worker_threads';
import { createRecords } from '../reads/read.ts';
import { type Read, runReadOn } from '../request-reads.ts';
import { createRun } from './run.ts';

export type WorkerRequest = { readonly read: Read; readonly args: readonly unknown[] };

/** @property ms the time that the database took */
export type WorkerReply = { readonly ms: number } & ({ readonly found: unknown } | { readonly fault: unknown });

const database = new DatabaseSync(String(workerData), { readOnly: true });
database.exec('pragma busy_timeout = 5000; pragma temp_store = memory; pragma cache_size = -16000');
const runOne = createRun(database);
const run = runReadOn(createRecords('sqlite', (statements) => statements.map(runOne)));

async function reply({ read, args }: WorkerRequest): Promise<WorkerReply> {
  const startedAt = performance.now();
  const took = () => performance.now() - startedAt;
  try {
    return { found: await run(read, args), ms: took() };
  } catch (fault) {
    return { fault, ms: took() };
  }
}

parentPort?.on('message', async (request: WorkerRequest) => parentPort?.postMessage(await reply(request)));
