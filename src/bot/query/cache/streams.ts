/** Streams long lists page by page without caching, at the speed the service allows, until the end or an abort. */

import { retry } from '../../../shared/retry.ts';
import { unlessAborted } from '../../../shared/time/timeout.ts';
import { type Ask, senderFor } from '../client/client.ts';
import { createDeadline, createObservableWait, type OnPause } from '../client/deadline.ts';
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
import type { QueryRuntime, QueryWorkspace } from './answers.ts';

export type Stream<Page> = {
  /** The noun in "I asked for …". */
  readonly subject: string;
  /** Ends with the first page that throws NoAnswer. */
  readonly pages: (ask: Ask) => AsyncIterable<Page>;
};

/** Attempts for one page of a busy service, and the longest pause between them. */
const attemptsMax = 5;
const pauseMaxMs = 60_000;

type Reading = { readonly signal: AbortSignal | undefined; readonly onPause: OnPause | undefined };

/** @throws AppError if a page cannot be read; the signal's reason if it is aborted */
export async function* readStream<Page>(
  runtime: QueryRuntime,
  workspace: QueryWorkspace,
  { subject, pages }: Stream<Page>,
  reading: Reading,
): AsyncGenerator<Page> {
  const { signal } = reading;
  const { log, deadlineMs } = runtime;
  const { teamId, access, health } = workspace;
  const startedAt = performance.now();
  signal?.throwIfAborted();
  try {
    for await (const page of pages(halving(retryingSender(runtime, workspace, reading), access.documents))) {
      signal?.throwIfAborted();
      health.recordSuccess();
      yield page;
      signal?.throwIfAborted();
    }
  } catch (error) {
    signal?.throwIfAborted();
    const fault = faultOf(error);
    const facts = { teamId, subject, fault: fault.kind, detail: fault.detail };
    log.warn(facts, 'query service did not return a page of a list');
    throw appErrorOf(fault, { subject, since: health.recordFault(fault), deadlineMs });
  }
  const facts = { teamId, subject, durationMs: Math.round(performance.now() - startedAt) };
  log.debug(facts, 'query service sent the whole list');
}

function busyDelayMs(outcome: Outcome<unknown>): number | undefined {
  const isBusy = 'fault' in outcome && outcome.fault.kind === 'rate_limited';
  return isBusy ? (outcome.fault.retryAfterMs ?? retryAfterDefaultMs) : undefined;
}

/** A stream waits for a busy service itself, longer than one deadline. */
const unlessBusy = (fault: Fault, earlier: number) =>
  fault.kind === 'rate_limited' ? undefined : retryDelayMs(fault, earlier);

/** Each document has its own deadline. A pause that the service asks for is granted before the retry. */
function retryingSender(runtime: QueryRuntime, { access, health }: QueryWorkspace, { signal, onPause }: Reading): Ask {
  const { wait, observe } = createObservableWait(runtime.wait);
  observe(onPause);
  const paused = async (pauseMs: number) => {
    await unlessAborted(signal, wait(Math.min(pauseMs, pauseMaxMs)));
    return true;
  };
  return async (document, variables, bytesMax) => {
    const attempt = async () => {
      const pauseMs = health.pauseMs();
      if (pauseMs > 0) await paused(pauseMs);
      const { deadlineMs } = runtime;
      const deadline = createDeadline({ totalMs: deadlineMs, pauseMaxMs: deadlineMs, wait });
      const withSignal = signal ? { ...deadline, signal: AbortSignal.any([deadline.signal, signal]) } : deadline;
      const send = senderFor(runtime, access, withSignal, unlessBusy);
      const outcome = await outcomeOf(send(document, variables, bytesMax));
      signal?.throwIfAborted();
      return outcome;
    };
    const outcome = await retry(attempt, { attemptsMax, delayMs: busyDelayMs, pause: paused });
    if ('fault' in outcome) throw new NoAnswer(outcome.fault);
    return outcome.value;
  };
}
