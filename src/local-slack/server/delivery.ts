/** Delivers envelopes to the app: through Socket Mode or to its request URL. */

import type { JsonRecord } from '../../shared/json.ts';
import { Emitter } from '../state/emitter.ts';
import type { Acknowledgement, Envelope } from './envelope.ts';
import { createHttpDelivery, type HttpApp, type HttpDeliveryDeps } from './http-delivery.ts';
import type { SocketMode } from './socket.ts';

export type Delivery = {
  readonly deliver: (envelope: Envelope) => Promise<Acknowledgement>;
  readonly isConnected: () => boolean;
  /** Emits true or false each time the app becomes reachable or unreachable. */
  readonly connection: Emitter<boolean>;
  /** Delivers to this request URL from now on; null returns to Socket Mode. @throws Error if the URL verification fails */
  readonly register: (app: HttpApp | null) => Promise<void>;
  /** Changes the next payload before it is sent. */
  readonly tamper: (change: (payload: JsonRecord) => JsonRecord) => void;
  readonly close: () => void;
};

export type DeliveryDeps = HttpDeliveryDeps & { readonly socketMode: SocketMode };

export function createDelivery(deps: DeliveryDeps): Delivery {
  const { socketMode } = deps;
  const http = createHttpDelivery(deps);
  const connection = new Emitter<boolean>();
  const changes: ((payload: JsonRecord) => JsonRecord)[] = [];
  let app: HttpApp | null = null;
  socketMode.connection.on((isConnected) => {
    if (!app) connection.emit(isConnected);
  });
  return {
    connection,
    isConnected: () => app !== null || socketMode.isConnected(),
    deliver: async (envelope) => {
      const change = changes.shift();
      const sent = change ? { ...envelope, payload: change(envelope.payload) } : envelope;
      return app ? http.post(app, sent) : socketMode.deliver(sent);
    },
    register: async (next) => {
      if (next) await http.verifyUrl(next);
      app = next;
      connection.emit(app !== null || socketMode.isConnected());
    },
    tamper: (change) => void changes.push(change),
    close: http.close,
  };
}
