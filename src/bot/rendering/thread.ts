/** Starts the worker with the first picture and again after each loss. */
import { Worker } from 'node:worker_threads';
import type { Drawn } from './worker.ts';

export type PictureThread = {
  /** One at a time: the answer comes to `onDrawn`, or the thread is lost. */
  readonly draw: (svg: string) => void;
  /** Lets the process end although the thread is idle. */
  readonly rest: () => void;
  /** Ends it at once, whatever it does; nothing of it is heard any more. */
  readonly end: () => Promise<void>;
};

export type PictureThreadDeps = {
  readonly onDrawn: (drawn: Drawn) => void;
  /** The thread ended by itself, whatever it was drawing. */
  readonly onLost: (problem: string) => void;
};

export function createPictureThread({ onDrawn, onLost }: PictureThreadDeps): PictureThread {
  let worker: Worker | undefined;

  const start = () => {
    const started = new Worker(new URL('./worker.ts', import.meta.url), {
      name: 'pictures',
      // None of this process's secrets; and no font but ours, so that a picture looks the same on every machine.
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
