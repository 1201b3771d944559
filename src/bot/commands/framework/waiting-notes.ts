/** Notes for a person whose answer takes seconds: first within the three seconds in which people expect an answer. */
import { stillAskingMessage } from '../../views/notices/problem.ts';
import type { Dispatch, DispatchHooks } from './dispatch.ts';

const firstAfterMs = 2_000;
const everyMs = 3_000;

/** A command that shows its own progress, or waits in a modal, gets no notes. */
export function withWaitingNotes(dispatch: Dispatch): Dispatch {
  return async (request, hooks) => {
    const { onModalWait } = hooks;
    const notes = createNotes(hooks);
    const onWait = () => {
      hooks.onWait();
      notes.start();
    };
    const onProgress: DispatchHooks['onProgress'] = (message) => {
      notes.stop();
      hooks.onProgress?.(message);
    };
    const onModal: DispatchHooks['onModalWait'] = (loading) => {
      notes.stop();
      onModalWait?.(loading);
    };
    try {
      return await dispatch(request, { onWait, onProgress, ...(onModalWait && { onModalWait: onModal }) });
    } finally {
      notes.stop();
    }
  };
}

function createNotes({ onProgress }: DispatchHooks) {
  let timer: NodeJS.Timeout | undefined;
  let hasStopped = false;
  return {
    start: () => {
      if (hasStopped || timer !== undefined || onProgress === undefined) return;
      const startedAt = performance.now();
      const show = () => {
        timer = setTimeout(show, everyMs);
        onProgress(stillAskingMessage(performance.now() - startedAt));
      };
      timer = setTimeout(show, firstAfterMs);
    },
    stop: () => {
      hasStopped = true;
      clearTimeout(timer);
    },
  };
}
