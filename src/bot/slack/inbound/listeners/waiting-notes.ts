/** Notes for a person whose answer takes seconds. */

import type { OnProgress } from '../../../commands/framework/dispatch.ts';
import { stillAskingMessage } from '../../../views/notices/problem.ts';

const everyMs = 3_000;

/** Runs until `stop`, which a command's own progress calls too. */
export class WaitingNotes {
  readonly #onProgress: OnProgress;
  readonly #startedAt = performance.now();
  #timer: NodeJS.Timeout;

  constructor(onProgress: OnProgress, firstAfterMs: number) {
    this.#onProgress = onProgress;
    this.#timer = setTimeout(this.#show, firstAfterMs);
  }

  #show = (): void => {
    this.#timer = setTimeout(this.#show, everyMs);
    this.#onProgress(stillAskingMessage(performance.now() - this.#startedAt));
  };

  /** For the progress of the command itself, after which there are no notes. */
  readonly progress: OnProgress = (message) => {
    this.stop();
    this.#onProgress(message);
  };

  stop(): void {
    clearTimeout(this.#timer);
  }
}
