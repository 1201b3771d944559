/** Renders charts to PNG in a worker, one at a time, and ends the worker when it is idle. */

import { Worker } from 'node:worker_threads';
import { AppError } from '../../shared/errors.ts';
import type { Logger } from '../../shared/log/logger.ts';
import type { Drawn } from './worker.ts';

export type PictureRenderer = {
  /**
   * @param svg of src/bot/views/charts
   * @throws AppError `unavailable` if it cannot be drawn in time, too many are waiting, or the renderer is closed; the
   *   text is then posted without it
   */
  readonly render: (svg: string) => Promise<Uint8Array>;
  /** Ends the worker and rejects waiting pictures. */
  readonly close: () => Promise<void>;
};

export type PictureRendererDeps = {
  readonly log: Logger;
  /** Limit for drawing one picture, without its wait; the first one includes the worker's start. */
  readonly timeoutMs?: number;
  /** Number of pictures that may wait. */
  readonly waitingMax?: number;
  /** Lifetime of an idle worker, which keeps the memory of its largest picture. */
  readonly idleMs?: number;
};

type Job = {
  readonly svg: string;
  readonly resolve: (png: Uint8Array) => void;
  readonly reject: (error: AppError) => void;
};

/** If a worker fails, its picture fails too; the next picture gets a new worker. */
export function createPictureRenderer(deps: PictureRendererDeps): PictureRenderer {
  const { log, timeoutMs = 5000, waitingMax = 32, idleMs = 60_000 } = deps;
  const jobs: Job[] = [];
  let timer: NodeJS.Timeout | undefined;
  let isClosed = false;

  const begin = () => {
    clearTimeout(timer);
    const [job] = jobs;
    if (job === undefined) {
      thread.rest();
      timer = setTimeout(() => void thread.end(), idleMs).unref();
      return;
    }
    timer = setTimeout(giveUp, timeoutMs);
    thread.draw(job.svg);
  };

  const giveUp = () => {
    void thread.end();
    settle({ problem: `it took longer than ${timeoutMs} ms` });
  };

  const settle = (drawn: Drawn) => {
    const job = jobs.shift();
    if (job === undefined) return;
    begin();
    if ('png' in drawn) return job.resolve(drawn.png);
    log.warn({ problem: drawn.problem, waiting: jobs.length }, 'a picture could not be drawn');
    job.reject(notDrawn(drawn.problem));
  };

  const thread = createPictureThread({ onDrawn: settle, onLost: (problem) => settle({ problem }) });

  const render = (svg: string): Promise<Uint8Array> => {
    if (isClosed) return Promise.reject(notDrawn('the renderer is closed'));
    if (jobs.length > waitingMax) return Promise.reject(notDrawn(`${waitingMax} pictures are waiting`));
    return new Promise((resolve, reject) => {
      jobs.push({ svg, resolve, reject });
      if (jobs.length === 1) begin();
    });
  };

  const close = async () => {
    isClosed = true;
    clearTimeout(timer);
    for (const { reject } of jobs.splice(0)) reject(notDrawn('the renderer is closed'));
    await thread.end();
  };

  return { render, close };
}

function notDrawn(cause: unknown): AppError {
  const sentence = 'The picture could not be drawn; the text has everything it would show.';
  return new AppError('unavailable', sentence, { cause, isRetryable: true });
}

type PictureThread = {
  /** Draws one SVG at a time. Calls `onDrawn` with the reply, or `onLost`. */
  readonly draw: (svg: string) => void;
  /** Lets the process end while the thread is idle. */
  readonly rest: () => void;
  /** Ends the thread at once, without further events. */
  readonly end: () => Promise<void>;
};

type PictureThreadDeps = {
  readonly onDrawn: (drawn: Drawn) => void;
  /** Called when the thread ended by itself. */
  readonly onLost: (problem: string) => void;
};

function createPictureThread({ onDrawn, onLost }: PictureThreadDeps): PictureThread {
  let worker: Worker | undefined;

  const start = () => {
    const started = new Worker(new URL('./worker.ts', import.meta.url), {
      name: 'pictures',
      // The worker gets none of this process's secrets and only one font, so that a picture looks the same on every
      // machine.
      env: { DISABLE_SYSTEM_FONTS_LOAD: '1' },
    });
    const lose = (problem: string) => {
      if (started !== worker) return;
      worker = undefined;
      onLost(problem);
    };
    started.on('message', (drawn: Drawn) => started === worker && onDrawn(drawn));
    started.on('error', (error) => lose(String(error)));
    started.on('exit', (code) => lose(`it exited with ${code}`));
    return started;
  };

  return {
    draw: (svg) => {
      worker ??= start();
      worker.ref();
      worker.postMessage(svg);
    },
    rest: () => worker?.unref(),
    end: async () => {
      const leaving = worker;
      worker = undefined;
      await leaving?.terminate();
    },
  };
}
