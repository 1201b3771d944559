/** Unbounded reads of a SQLite file: keys take turns at one worker thread, so that the main thread always answers. */
import { Worker } from 'node:worker_threads';
import { AppError } from '../../../shared/errors.ts';
import type { Asker } from '../../fairness/asker.ts';
import { createFairQueue } from '../../fairness/fair-queue.ts';
import type { RunRead } from '../asked.ts';
import type { ScanReply, ScanRequest } from './sqlite-worker.ts';

export type Scans = {
  /** @returns runs reads for one request */
  readonly runFor: (asker: Asker) => RunRead;
  readonly waiting: () => number;
  /** Refuses what is under way or waiting, and ends the thread. */
  readonly close: () => Promise<void>;
};

/** SQLite cannot be interrupted from Node: a client is told after this time, and the thread is free once the statement ends. */
const answerTimeoutMs = 30_000;
/** Of one key: a document of 15 searches, each a page and its total, waits four times over. */
const waitingMax = 120;

/** @param file of SQLite's, with the tables of migrations.ts @param entry the thread's program; tests give one that fails */
export function createScans(file: string, entry = new URL('./sqlite-worker.ts', import.meta.url)): Scans {
  const queue = createFairQueue({ slots: 1, perKey: 1, waitingMax });
  let thread: Worker | undefined;
  let isClosed = false;

  const start = () => {
    // None of this process's secrets is in its environment.
    const started = new Worker(entry, { name: 'sqlite-scans', workerData: file, env: {} });
    const forget = () => {
      if (thread === started) thread = undefined;
    };
    started.once('error', forget).once('exit', forget);
    return started;
  };

  const scan = async (asker: Asker, request: ScanRequest): Promise<unknown> => {
    await queue.enter(asker.keyId, asker.left);
    let reply: Promise<ScanReply>;
    try {
      if (isClosed) throw gone('it is closed');
      asker.left().throwIfAborted();
      asker.admit();
      thread ??= start();
      reply = send(thread, request);
    } catch (error) {
      queue.leave(asker.keyId);
      throw error;
    }
    // The slot is free once the thread is, which may be after its client was told that it takes too long.
    const ended = reply.then(
      ({ ms }) => asker.spend(ms),
      () => {},
    );
    void ended.then(() => queue.leave(asker.keyId));
    const answered = await inTime(reply);
    if ('fault' in answered) throw answered.fault;
    return answered.found;
  };

  return {
    runFor: (asker) => (read, given) => scan(asker, { read, given }),
    waiting: () => queue.use().waiting,
    async close() {
      isClosed = true;
      await thread?.terminate();
    },
  };
}

/** @returns what the thread says next @throws AppError `unavailable` where the thread ends first */
function send(thread: Worker, request: ScanRequest): Promise<ScanReply> {
  const { promise, resolve, reject } = Promise.withResolvers<ScanReply>();
  const lose = (cause: unknown) => settle(() => reject(gone(cause)));
  const settle = (end: () => void) => {
    thread.off('message', answer).off('error', lose).off('exit', lose);
    thread.unref();
    end();
  };
  const answer = (reply: ScanReply) => settle(() => resolve(reply));
  thread.on('message', answer).on('error', lose).on('exit', lose);
  thread.ref();
  thread.postMessage(request);
  return promise;
}

async function inTime(reply: Promise<ScanReply>): Promise<ScanReply> {
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(() => late.reject(gone(`no answer within ${answerTimeoutMs} ms`)), answerTimeoutMs);
  try {
    return await Promise.race([reply, late.promise]);
  } finally {
    clearTimeout(timer);
  }
}

function gone(cause: unknown): AppError {
  return new AppError('unavailable', 'The thread that reads the database does not answer.', {
    cause,
    isRetryable: true,
  });
}
