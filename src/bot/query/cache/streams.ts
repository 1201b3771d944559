/** Streams long lists page by page without caching, at the speed the service allows, until the end or an abort. */

import type { Logger } from '../../../shared/log/logger.ts';
import { retry } from '../../../shared/retry.ts';
import type { Clock } from '../../../shared/time/clock.ts';
import type { Ask, Client } from '../client/client.ts';
import { createDeadline, createObservableWait, type OnPause, type Wait } from '../client/deadline.ts';
import {
  appErrorOf,
  type Fault,
  faultOf,
  NoAnswer,
  type Outcome,
  outcomeOf,
  retryAfterDefaultMs,
  retryDelayMs,
} from '../client/fault.ts';
import { halving } from '../halving.ts';
import type { QueryWorkspace } from './answers.ts';

export type Stream<Page> = {
  /** The noun in "I asked for …". */
  readonly subject: string;
  /** Ends with the first page that throws NoAnswer. */
  readonly pages: (ask: Ask) => AsyncIterable<Page>;
};

export type StreamsDeps = {
  readonly clock: Clock;
  readonly log: Logger;
  readonly client: Client;
  /** For one page, retries included. */
  readonly deadlineMs: number;
  readonly wait: Wait;
};

/** Attempts for one page of a busy service, and the longest pause between them. */
const attemptsMax = 5;
const pauseMaxMs = 60_000;

export type Streams = {
  /** @throws AppError if a page cannot be read; the signal's reason if it is aborted */
  readonly read: <Page>(workspace: QueryWorkspace, stream: Stream<Page>, reading: Reading) => AsyncGenerator<Page>;
};

type Reading = { readonly signal: AbortSignal | undefined; readonly onPause: OnPause | undefined };

export function createStreams(deps: StreamsDeps): Streams {
  return {
    read: async function* (workspace, { subject, pages }, reading) {
      const { signal } = reading;
      const startedAt = performance.now();
      signal?.throwIfAborted();
      const ask = halving(retryingSender(deps, workspace, reading), workspace.access.documents);
      try {
        for await (const page of pages(ask)) {
          signal?.throwIfAborted();
          workspace.health.succeeded();
          yield page;
          signal?.throwIfAborted();
        }
      } catch (error) {
        signal?.throwIfAborted();
        throw faultError(deps, workspace, faultOf(error), subject);
      }
      const facts = { teamId: workspace.teamId, subject, durationMs: Math.round(performance.now() - startedAt) };
      deps.log.debug(facts, 'query service sent the whole list');
    },
  };
}

function faultError(
  { log, deadlineMs }: StreamsDeps,
  { teamId, health }: QueryWorkspace,
  fault: Fault,
  subject: string,
) {
  log.warn(
    { teamId, subject, fault: fault.kind, detail: fault.detail },
    'query service did not return a page of a list',
  );
  return appErrorOf(fault, { subject, since: health.failed(fault), deadlineMs });
}

function busyDelayMs(outcome: Outcome<unknown>): number | undefined {
  const isBusy = 'fault' in outcome && outcome.fault.kind === 'rate_limited';
  return isBusy ? (outcome.fault.retryAfterMs ?? retryAfterDefaultMs) : undefined;
}

/** A stream waits for a busy service itself, longer than one deadline. */
function unlessBusy(fault: Fault, earlier: number): number | undefined {
  return fault.kind === 'rate_limited' ? undefined : retryDelayMs(fault, earlier);
}

/** Each document has its own deadline. A pause that the service asks for is granted before the retry. */
function retryingSender(
  { client, deadlineMs, ...deps }: StreamsDeps,
  { access, health }: QueryWorkspace,
  { signal, onPause }: Reading,
): Ask {
  const { wait, observe } = createObservableWait(deps.wait);
  observe(onPause);
  const paused = async (pauseMs: number) => {
    await untilAborted(wait(Math.min(pauseMs, pauseMaxMs)), signal);
    signal?.throwIfAborted();
    return true;
  };
  return async (document, variables, bytesMax) => {
    const attempt = async () => {
      const pauseMs = health.pauseMs();
      if (pauseMs > 0) await paused(pauseMs);
      const deadline = createDeadline({ totalMs: deadlineMs, pauseMaxMs: deadlineMs, wait });
      const withSignal = signal ? { ...deadline, signal: AbortSignal.any([deadline.signal, signal]) } : deadline;
      const outcome = await outcomeOf(client.senderFor(access, withSignal, unlessBusy)(document, variables, bytesMax));
      signal?.throwIfAborted();
      return outcome;
    };
    const outcome = await retry(attempt, { attemptsMax, delayMs: busyDelayMs, pause: paused });
    if ('fault' in outcome) throw new NoAnswer(outcome.fault);
    return outcome.value;
  };
}

/** Settles with the promise, or as soon as the signal is aborted. */
function untilAborted(promise: Promise<unknown>, signal: AbortSignal | undefined): Promise<unknown> {
  if (!signal) return promise;
  return new Promise((resolve) => {
    const done = () => {
      signal.removeEventListener('abort', done);
      resolve(undefined);
    };
    signal.addEventListener('abort', done);
    promise.then(done, done);
  });
}
