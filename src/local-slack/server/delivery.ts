/** How what people do reaches the app: over one of its sockets, or to its request URL. */

import { createEmitter, type Emitter } from '../state/emitter.ts';
import type { Acknowledgement, Envelope } from './envelope.ts';
import { createHttpDelivery, type HttpApp, type HttpDeliveryDeps } from './http-delivery.ts';
import type { Fields } from './json.ts';
import type { SocketMode } from './socket.ts';

export type Delivery = {
  readonly deliver: (envelope: Envelope) => Promise<Acknowledgement>;
  readonly isConnected: () => boolean;
  /** Told whether the app can be reached, each time that changes. */
  readonly connection: Emitter<boolean>;
  /** From now on everything goes to this address; null for Socket Mode again. @throws Error where the app fails Slack's handshake */
  readonly register: (app: HttpApp | null) => Promise<void>;
  /** The next payload goes out as `change` makes it. */
  readonly tamper: (change: (payload: Fields) => Fields) => void;
  readonly close: () => void;
};

export type DeliveryDeps = HttpDeliveryDeps & { readonly socketMode: SocketMode };

export function createDelivery(deps: DeliveryDeps): Delivery {
  const { socketMode } = deps;
  const http = createHttpDelivery(deps);
  const connection = createEmitter<boolean>();
  const changes: ((payload: Fields) => Fields)[] = [];
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

type Failure = Exclude<Acknowledgement, { readonly kind: 'acknowledged' }>;

/** What Slack calls it. */
export function deliveryError({ kind }: Failure): 'operation_timeout' | 'dispatch_failed' {
  return kind === 'timed_out' ? 'operation_timeout' : 'dispatch_failed';
}
