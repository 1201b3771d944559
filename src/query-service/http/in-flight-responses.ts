/** Tracks in-flight responses: waits until none is left, and cuts connections whose client does not read its reply. */
import type { ServerResponse } from 'node:http';

/** Checks per timeout. */
const checksPerTimeout = 5;

/**
 * @param answerTimeoutMs how long a client may take to read a reply, which is in memory until then
 * @param onCut called for each connection that was cut
 */
export function trackInFlightResponses(answerTimeoutMs: number, onCut: () => void) {
  /** For each response, the time at which it was first seen written but not read; undefined before. */
  const responses = new Map<ServerResponse, number | undefined>();
  let whenIdle = () => {};
  const check = () => {
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
  const timer = setInterval(check, answerTimeoutMs / checksPerTimeout).unref();
  return {
    add(response: ServerResponse) {
      responses.set(response, undefined);
      response.on('close', () => {
        responses.delete(response);
        if (responses.size === 0) whenIdle();
      });
    },
    /** Resolves when no response is left, or at the timeout. */
    async idle(timeoutMs: number): Promise<void> {
      if (responses.size === 0) return;
      const { promise, resolve } = Promise.withResolvers<void>();
      const deadline = setTimeout(resolve, timeoutMs);
      whenIdle = resolve;
      await promise;
      clearTimeout(deadline);
    },
    /** Each reply that is not written yet ends its connection, so that its client sends nothing more on it. */
    endConnections() {
      for (const response of responses.keys()) response.shouldKeepAlive = false;
    },
    stop: () => clearInterval(timer),
  };
}
