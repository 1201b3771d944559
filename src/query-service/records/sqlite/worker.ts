/** Worker thread that runs unbounded reads of a SQLite file, one at a time, over its own read-only connection. */
import { DatabaseSync } from 'node:sqlite';
import { parentPort, workerData } from 'node:worker_threads';
import { sqliteRows } from '../../../shared/sql/sqlite.ts';
import type { Row, Statement } from '../sql.ts';

/** @property ms the time that the database took */
export type WorkerReply = { readonly ms: number } & (
  | { readonly rows: readonly (readonly Row[])[] }
  | { readonly fault: unknown }
);

const database = new DatabaseSync(String(workerData), { readOnly: true });
database.exec('pragma busy_timeout = 5000; pragma temp_store = memory; pragma cache_size = -16000');
const runOne = sqliteRows<Row>(database);

function reply(statements: readonly Statement[]): WorkerReply {
  const startedAt = performance.now();
  const took = () => performance.now() - startedAt;
  try {
    return { rows: statements.map(runOne), ms: took() };
  } catch (fault) {
    return { fault, ms: took() };
  }
}

parentPort?.on('message', (statements: readonly Statement[]) => parentPort?.postMessage(reply(statements)));
