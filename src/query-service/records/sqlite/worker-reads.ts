/** Runs unbounded reads of a SQLite file in one worker thread that keys share fairly, so that the main thread stays responsive. */
import { Worker } from 'node:worker_threads';
import { AppError } from '../../../shared/errors.ts';
import { valueWithin } from '../../../shared/time/timeout.ts';
import { createFairQueue } from '../../limits/fair-queue.ts';
import type { RequestContext } from '../../limits/request-context.ts';
import type { RunStatements, Statement } from '../sql.ts';
import type { WorkerReply } from './worker.ts';

export type WorkerReads = {
  /** @returns a function that runs the statements of one request */
  readonly runFor: (context: RequestContext) => RunStatements;
  readonly waiting: () => number;
  /** Rejects running and waiting reads, and ends the thread. */
  readonly close: () => Promise<void>;
};

/**
 * Node cannot interrupt SQLite: after this time the client gets an error, but the thread stays busy until its statement
 * ends.
 */
const answerTimeoutMs = 30_000;
/** Number of waiting reads per key: those of six documents of 20 root fields. */
const waitingMax = 120;

/** @param file a SQLite file with the tables of migrations.ts @param entry the worker's program; tests pass one that fails */
export function createWorkerReads(file: string, entry = new URL('./worker.ts', import.meta.url)): WorkerReads {
  const queue = createFairQueue({ slots: 1, perKey: 1, waitingMax });
  let thread: Worker | undefined;
  let isClosed = false;

  const start = () => {
    // The environment is empty, so that no secret of this process is in it.
    const started = new Worker(entry, { name: 'sqlite-scans', workerData: file, env: {} });
    const forget = () => {
      if (thread === started) thread = undefined;
    };
    started.once('error', forget).once('exit', forget);
    return started;
  };

  const run = async (context: RequestContext, statements: readonly Statement[]) => {
    await queue.acquire(context.keyId, context.signal);
    let reply: Promise<WorkerReply>;
    try {
      if (isClosed) throw unavailable('it is closed');
      context.signal().throwIfAborted();
      context.checkBudget();
      thread ??= start();
      reply = send(thread, statements);
    } catch (error) {
      queue.release(context.keyId);
      throw error;
    }
    // The slot becomes free together with the thread, perhaps after the client's timeout.
    const ended = reply.then(
      ({ ms }) => context.charge(ms),
      () => {},
    );
    void ended.then(() => queue.release(context.keyId));
    const late = () => ({ fault: unavailable(`no answer within ${answerTimeoutMs} ms`) });
    const answered = await valueWithin(answerTimeoutMs, reply, late);
    if ('fault' in answered) throw answered.fault;
    return answered.rows;
  };

  return {
    runFor: (context) => (statements) => run(context, statements),
    waiting: () => queue.usage().waiting,
    async close() {
      isClosed = true;
      await thread?.terminate();
    },
  };
}

/** @returns the next message of the thread @throws AppError `unavailable` if the thread ends first */
function send(thread: Worker, statements: readonly Statement[]): Promise<WorkerReply> {
  const { promise, resolve, reject } = Promise.withResolvers<WorkerReply>();
  const fail = (cause: unknown) => finish(() => reject(unavailable(cause)));
  const finish = (end: () => void) => {
    thread.off('message', answer).off('error', fail).off('exit', fail);
    thread.unref();
    end();
  };
  const answer = (reply: WorkerReply) => finish(() => resolve(reply));
  thread.on('message', answer).on('error', fail).on('exit', fail);
  thread.ref();
  thread.postMessage(statements);
  return promise;
}

function unavailable(cause: unknown): AppError {
  return new AppError('unavailable', 'The worker thread that reads the database does not answer.', {
    cause,
    isRetryable: true,
  });
}
