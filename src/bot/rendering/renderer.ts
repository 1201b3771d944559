/** Renders charts to PNG in a worker, one at a time, and ends the worker when it is idle. */

import { Worker } from 'node:worker_threads';
import { AppError } from '../../shared/errors.ts';
import type { Logger } from '../../shared/log/logger.ts';
import type { Drawn } from './worker.ts';

/** Tests shorten them. */
export type RendererLimits = {
  /** For drawing one picture, without its wait, in milliseconds; the first one includes the worker's start. */
  readonly timeoutMs: number;
  /** Number of pictures that may wait. */
  readonly waitingMax: number;
  /** Lifetime of an idle worker, which keeps the memory of its largest picture. */
  readonly idleMs: number;
};

const defaultLimits: RendererLimits = { timeoutMs: 5_000, waitingMax: 32, idleMs: 60_000 };

type Job = PromiseWithResolvers<Uint8Array> & { readonly svg: string };

/** If a worker fails, its picture fails too; the next picture gets a new worker. */
export class PictureRenderer {
  readonly #log: Logger;
  readonly #limits: RendererLimits;
  /** The first one is being drawn. */
  readonly #jobs: Job[] = [];
  #worker: Worker | undefined;
  #timer: NodeJS.Timeout | undefined;
  #isClosed = false;

  constructor(log: Logger, limits: Partial<RendererLimits> = {}) {
    this.#log = log;
    this.#limits = { ...defaultLimits, ...limits };
  }

  /**
   * @param svg of src/bot/views/charts
   * @throws AppError `unavailable` if it cannot be drawn in time, too many are waiting, or the renderer is closed; the
   *   text is then posted without it
   */
  async render(svg: string): Promise<Uint8Array> {
    const { waitingMax } = this.#limits;
    if (this.#isClosed) throw notDrawn('the renderer is closed');
    if (this.#jobs.length > waitingMax) throw notDrawn(`${waitingMax} pictures are waiting`);
    const job = { ...Promise.withResolvers<Uint8Array>(), svg };
    if (this.#jobs.push(job) === 1) this.#begin();
    return job.promise;
  }

  /** Ends the worker and rejects waiting pictures. */
  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    for (const { reject } of this.#jobs.splice(0)) reject(notDrawn('the renderer is closed'));
    await this.#endWorker();
  }

  #begin(): void {
    const { timeoutMs, idleMs } = this.#limits;
    clearTimeout(this.#timer);
    const [job] = this.#jobs;
    if (job === undefined) {
      // Lets the process end meanwhile.
      this.#worker?.unref();
      this.#timer = setTimeout(() => void this.#endWorker(), idleMs).unref();
      return;
    }
    this.#timer = setTimeout(() => {
      void this.#endWorker();
      this.#finish({ problem: `it took longer than ${timeoutMs} ms` });
    }, timeoutMs);
    this.#worker ??= this.#startWorker();
    this.#worker.ref();
    this.#worker.postMessage(job.svg);
  }

  #finish(drawn: Drawn): void {
    const job = this.#jobs.shift();
    if (job === undefined) return;
    this.#begin();
    if ('png' in drawn) {
      job.resolve(drawn.png);
      return;
    }
    this.#log.warn({ problem: drawn.problem, waiting: this.#jobs.length }, 'a picture could not be drawn');
    job.reject(notDrawn(drawn.problem));
  }

  #startWorker(): Worker {
    const worker = new Worker(new URL('./worker.ts', import.meta.url), {
      name: 'pictures',
      // The worker gets none of this process's secrets and only one font, so that a picture looks the same on every
      // machine.
      env: { DISABLE_SYSTEM_FONTS_LOAD: '1' },
    });
    const lose = (problem: string) => {
      if (worker !== this.#worker) return;
      this.#worker = undefined;
      this.#finish({ problem });
    };
    worker.on('message', (drawn: Drawn) => worker === this.#worker && this.#finish(drawn));
    worker.on('error', (error) => lose(String(error)));
    worker.on('exit', (code) => lose(`it exited with ${code}`));
    return worker;
  }

  /** Ends it at once, without further events. */
  async #endWorker(): Promise<void> {
    const worker = this.#worker;
    this.#worker = undefined;
    await worker?.terminate();
  }
}

function notDrawn(cause: unknown): AppError {
  const sentence = 'The picture could not be drawn; the text has everything it would show.';
  return new AppError('unavailable', sentence, { cause, isRetryable: true });
}
