/** Acknowledges each request once and in time, with the answer in it when the answer is ready. */
import type { AnyMiddlewareArgs } from '@slack/bolt';
import type { Logger } from '../../../../shared/log/logger.ts';
import type { Measure } from '../../../domain/measure.ts';
import { fitsAcknowledgement } from '../../outbound/delivery/payload.ts';
import { describe } from '../../outbound/web-api/errors.ts';

type Acknowledgement<Payload> = {
  /** Sends an empty acknowledgement unless one was sent before; never rejects. */
  readonly ack: () => void;
  /** @returns true if the payload went out in the acknowledgement; otherwise, or if it is too large, the caller has to send it */
  readonly ackWith: (payload: Payload) => Promise<boolean>;
};

export type Acknowledgements = {
  /** @param withinMs after which it is sent empty; `limitMs` if left out */
  readonly open: <Payload extends object>(
    ack: (payload?: Payload) => Promise<void>,
    withinMs?: number,
  ) => Acknowledgement<Payload>;
  /** Acknowledges everything that still waits, before the connection is closed. */
  readonly flush: () => void;
};

/** @param limitMs less than the 3 s that Slack waits, since both ways take a part of them */
export function createAcknowledgements({
  log,
  measure,
  limitMs,
}: {
  readonly log: Logger;
  readonly measure: Measure;
  readonly limitMs: number;
}): Acknowledgements {
  const waiting = new Set<() => void>();
  return {
    open: <Payload extends object>(ack: (payload?: Payload) => Promise<void>, withinMs = limitMs) => {
      const openedAt = performance.now();
      const send = async (payload?: Payload): Promise<boolean> => {
        if (!waiting.delete(ackEmpty)) return false;
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
      waiting.add(ackEmpty);
      const ackWith = async (payload: Payload) => {
        if (fitsAcknowledgement(payload)) return send(payload);
        ackEmpty();
        return false;
      };
      return { ack: ackEmpty, ackWith };
    },
    flush: () => {
      for (const ackEmpty of waiting) ackEmpty();
    },
  };
}

/** Sends an empty acknowledgement for a middleware that ends a request; Bolt acknowledges events itself. */
export async function acknowledge(args: AnyMiddlewareArgs): Promise<void> {
  if ('ack' in args && args.ack) await args.ack();
}
