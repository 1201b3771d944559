/** Acknowledges each request once and in time, with the answer in it when the answer is ready. */
import type { AnyMiddlewareArgs } from '@slack/bolt';
import type { Runtime } from '../../../domain/runtime.ts';
import { fitsAcknowledgement } from '../../outbound/delivery/payload.ts';
import { describe } from '../../outbound/web-api/errors.ts';

export class Acknowledgements {
  readonly #runtime: Runtime;
  readonly #limitMs: number;
  readonly #waiting = new Set<() => void>();

  /** @param limitMs less than the 3 s that Slack waits, since both ways take a part of them */
  constructor(runtime: Runtime, limitMs: number) {
    this.#runtime = runtime;
    this.#limitMs = limitMs;
  }

  /** @param withinMs after which it is sent empty */
  open<Payload extends object>(ack: (payload?: Payload) => Promise<void>, withinMs = this.#limitMs) {
    const openedAt = performance.now();
    const { log, measure } = this.#runtime;
    const send = async (payload?: Payload): Promise<boolean> => {
      if (!this.#waiting.delete(ackEmpty)) return false;
      clearTimeout(timer);
      measure({ kind: 'acknowledgement', durationMs: performance.now() - openedAt });
      try {
        await (payload === undefined ? ack() : ack(payload));
        return true;
      } catch (error) {
        log.warn({ error: describe(error) }, 'acknowledgement could not be sent');
        return false;
      }
    };
    const ackEmpty = () => void send();
    const timer = setTimeout(ackEmpty, withinMs).unref();
    this.#waiting.add(ackEmpty);
    return {
      /** Sends an empty acknowledgement unless one was sent before; never rejects. */
      ack: ackEmpty,
      /** @returns true if the payload went out in the acknowledgement; otherwise, or if it is too large, the caller has to send it */
      ackWith: async (payload: Payload): Promise<boolean> => {
        if (fitsAcknowledgement(payload)) return send(payload);
        ackEmpty();
        return false;
      },
    };
  }

  /** Acknowledges everything that still waits, before the connection is closed. */
  flush(): void {
    for (const ackEmpty of this.#waiting) ackEmpty();
  }
}

/** Sends an empty acknowledgement for a middleware that ends a request; Bolt acknowledges events itself. */
export async function acknowledge(args: AnyMiddlewareArgs): Promise<void> {
  if ('ack' in args && args.ack) await args.ack();
}
