/** The requests that are being answered: when there are none left, and whose answers nobody takes. */
import type { ServerResponse } from 'node:http';

/** How often answers are looked at, in parts of the time they have. */
const looks = 5;

/**
 * @param answerTimeoutMs how long an answer may wait to be taken: it is in memory until then
 * @param onCut whoever did not take one is told nothing more, and their connection ends
 */
export function trackInFlightResponses(answerTimeoutMs: number, onCut: () => void) {
  /** Each with the moment at which its answer was first seen to be written and not taken; undefined before. */
  const responses = new Map<ServerResponse, number | undefined>();
  let whenIdle = () => {};
  const look = () => {
    const now = performance.now();
    for (const [response, since] of responses) {
      if (!response.writableEnded) continue;
      if (since === undefined) responses.set(response, now);
      else if (now - since >= answerTimeoutMs) {
        response.destroy();
        onCut();
      }
    }
  };
  const looking = setInterval(look, answerTimeoutMs / looks).unref();
  return {
    add(response: ServerResponse) {
      responses.set(response, undefined);
      response.once('close', () => {
        responses.delete(response);
        if (responses.size === 0) whenIdle();
      });
    },
    /** Settles once nothing is left, or after so long. */
    async idle(timeoutMs: number): Promise<void> {
      if (responses.size === 0) return;
      const { promise, resolve } = Promise.withResolvers<void>();
      const timer = setTimeout(resolve, timeoutMs);
      whenIdle = resolve;
      await promise;
      clearTimeout(timer);
    },
    stop: () => clearInterval(looking),
  };
}
