/** Renders charts to PNG in a worker, one at a time, and ends the worker when it is idle. */
import { AppError } from '../../shared/errors.ts';
import type { Logger } from '../../shared/log/logger.ts';
import { createPictureThread } from './thread.ts';
import type { Drawn } from './worker.ts';

export type PictureRenderer = {
  /**
   * @param svg of src/bot/views/charts
   * @throws AppError `unavailable` when it cannot be drawn in time, too many are waiting, or the renderer is closed; the text is then posted alone
   */
  readonly render: (svg: string) => Promise<Uint8Array>;
  /** Ends the worker; what is still waiting is refused. */
  readonly close: () => Promise<void>;
};

export type PictureRendererDeps = {
  readonly log: Logger;
  /** For one picture, once its turn has come; the first one's includes the worker's start. */
  readonly timeoutMs?: number;
  /** How many may wait. */
  readonly waitingMax?: number;
  /** How long an idle worker is kept: it holds the memory of its largest picture. */
  readonly idleMs?: number;
};

type Job = {
  readonly svg: string;
  readonly resolve: (png: Uint8Array) => void;
  readonly reject: (error: AppError) => void;
};

/** A worker that fails takes its picture with it; the next one gets a new worker. */
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
