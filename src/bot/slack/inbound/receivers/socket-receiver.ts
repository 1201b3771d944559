/** Bolt's receiver for Socket Mode: keeps one connection up and acknowledges every delivery. */
import { setTimeout as wait } from 'node:timers/promises';
import { WebAPIRateLimitedError } from '@slack/web-api';
import { backoffMs } from '../../../../shared/retry.ts';
import type { Clock } from '../../../../shared/time/clock.ts';
import { refusedToken } from '../../installation/access.ts';
import { createProcessing, type Processing, type SlackReceiver } from './processing.ts';
import { openSocketConnection, type SocketConnection, type SocketDeps } from './socket-connection.ts';

export type Reconnecting = {
  /** Doubles with every consecutive failure. */
  readonly firstDelayMs: number;
  readonly delayMaxMs: number;
};

export type SocketReceiverDeps = SocketDeps & {
  readonly clock: Clock;
  readonly reconnecting: Reconnecting;
};

export const defaultReconnecting: Reconnecting = { firstDelayMs: 1_000, delayMaxMs: 30_000 };

/** A connection that ends is replaced at once, up to this many times a minute. */
const promptReplacementsMax = 3;
const promptSpanMs = 60_000;
/** Pending acknowledgements on a replaced connection get this long. */
const retireAfterMs = 2_000;

/** `start` throws AppError `unauthorized` if Slack refuses the app token, `unavailable` if Slack cannot be reached. */
export function createSocketReceiver(deps: SocketReceiverDeps): SlackReceiver {
  const processing = createProcessing(deps);
  const keeper = createConnectionSupervisor(deps, processing.receive);
  return {
    init: processing.init,
    start: async () => {
      try {
        await keeper.start();
      } catch (thrown) {
        throw refusedToken('SLACK_APP_TOKEN', thrown);
      }
    },
    stop: keeper.stop,
    isConnected: keeper.isConnected,
    drain: processing.drain,
    notes: () => [...keeper.notes(), ...processing.notes()],
  };
}

type ConnectionSupervisor = {
  /** @throws the error of the first connection */
  readonly start: () => Promise<void>;
  readonly stop: () => Promise<void>;
  readonly isConnected: () => boolean;
  readonly notes: () => readonly string[];
};

function createConnectionSupervisor(deps: SocketReceiverDeps, receive: Processing['receive']): ConnectionSupervisor {
  const stopping = new AbortController();
  const open = new Set<SocketConnection>();
  const replacedAt: number[] = [];
  let current: SocketConnection | undefined;
  let replacing: Promise<void> | undefined;
  let others = 0;

  const connect = async () => {
    // Slack may send several frames at once. `hasEnded` records a connection that ends before it is assigned.
    let connection: SocketConnection | undefined;
    let hasEnded = false;
    const onEnd = () => {
      hasEnded = true;
      if (connection && current === connection) replace();
    };
    const onLeaving = (reason: string) => {
      deps.log.info({ reason }, 'slack closes the connection');
      onEnd();
    };
    const onDelivery: Processing['receive'] = (delivery) => {
      if (!stopping.signal.aborted) receive(delivery);
    };
    connection = await openSocketConnection(deps, { onDelivery, onLeaving, onClosed: onEnd }, stopping.signal);
    retire(current);
    current = connection;
    open.add(connection);
    others = othersBeside(connection, open);
    if (others > 0) deps.log.warn({ others }, otherProcess);
    if (hasEnded) setImmediate(replace);
  };

  /** Closes a replaced connection after a delay, so that pending acknowledgements still go out. */
  const retire = (previous: SocketConnection | undefined) => {
    if (previous) setTimeout(() => void previous.close().finally(() => open.delete(previous)), retireAfterMs).unref();
  };

  const replace = () => {
    if (stopping.signal.aborted || replacing) return;
    replacing = keepConnecting(deps, connect, promptDelay(deps, replacedAt), stopping.signal).finally(() => {
      replacing = undefined;
      if (!current?.isOpen()) replace();
    });
  };

  return {
    start: connect,
    stop: async () => {
      stopping.abort();
      await replacing;
      await Promise.all([...open].map((connection) => connection.close()));
    },
    isConnected: () => current?.isOpen() ?? false,
    notes: () => (others === 0 ? [] : [`slack: ${otherProcess}`]),
  };
}

const otherProcess =
  'another process is connected with the same SLACK_APP_TOKEN and gets a part of the commands and presses';

/** @param own the connections of this process, open or not @returns the connections of the app that are not among them */
function othersBeside({ connections }: SocketConnection, own: ReadonlySet<SocketConnection>): number {
  return Math.max(0, (connections ?? 0) - [...own].filter(({ isOpen }) => isOpen()).length);
}

/** @returns the number of failures to assume before the first attempt: none, unless connections end again and again */
function promptDelay({ clock }: SocketReceiverDeps, replacedAt: number[]): number {
  const now = clock();
  replacedAt.push(now);
  while ((replacedAt[0] ?? now) <= now - promptSpanMs) replacedAt.shift();
  return Math.max(0, replacedAt.length - promptReplacementsMax);
}

/** Tries until it succeeds or the signal aborts; never rejects. */
async function keepConnecting(
  deps: SocketReceiverDeps,
  connect: () => Promise<void>,
  failuresBefore: number,
  signal: AbortSignal,
): Promise<void> {
  let delayMs = delayAfter(deps.reconnecting, failuresBefore);
  if (delayMs > 0) deps.log.warn({ delayMs }, 'slack ends connections too often, pausing');
  for (let failures = failuresBefore + 1; !signal.aborted; failures += 1) {
    try {
      await wait(delayMs, undefined, { signal });
      await connect();
      deps.log.info({ failures: failures - 1 }, 'connected to slack again');
      return;
    } catch (error) {
      if (signal.aborted) return;
      const retryAfterMs = error instanceof WebAPIRateLimitedError ? error.retryAfter * 1000 : 0;
      delayMs = Math.max(delayAfter(deps.reconnecting, failures), retryAfterMs);
      const { publicMessage: problem } = refusedToken('SLACK_APP_TOKEN', error);
      deps.log.error({ problem, failures, delayMs }, 'the connection to slack is not restored yet, trying again');
    }
  }
}

/** Jittered by a fifth, so that processes that lost Slack together do not reconnect together. */
function delayAfter({ firstDelayMs, delayMaxMs }: Reconnecting, failures: number): number {
  return failures === 0 ? 0 : backoffMs({ firstMs: firstDelayMs, maxMs: delayMaxMs, jitter: 0.2 }, failures);
}
