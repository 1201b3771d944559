/** Retries calls that certainly had no effect, and once those whose effect does no harm twice. */

import { setTimeout as timer } from 'node:timers/promises';
import { retry } from '../../../../shared/retry.ts';
import type { Failure } from '../../../domain/slack-errors.ts';
import { classifyThrown } from './errors.ts';

export type Done = { readonly kind: 'done' } | Failure;

type Kind = { readonly kind: string };

export const done = { kind: 'done' } as const;

export type RetryOptions = {
  /** True if a duplicate does no harm, since one person sees both or it replaces the first: a call without an answer is repeated once. */
  readonly isRepeatable?: boolean;
  /** Rejects to end the retries. */
  readonly wait?: (ms: number) => Promise<unknown>;
};

const attemptsMax = 4;
/** Limit for all waits; a person who waits longer has asked again. */
const waitTotalMsMax = 30_000;

/**
 * @param send may throw the errors of @slack/web-api and fetch
 * @returns the result of `send`, or the last failure; never rejects
 */
export async function retryNotSent<Sent extends Kind>(
  send: () => Promise<Sent | Failure>,
  { isRepeatable = false, wait = timer }: RetryOptions = {},
): Promise<Sent | Failure> {
  let waitedMs = 0;
  let repeatsOfUnknown = isRepeatable ? 1 : 0;
  return retry<Sent | Failure>(() => send().catch(classifyThrown), {
    attemptsMax,
    delayMs: (sent, attempt) => {
      if (sent.kind === 'unknown' && repeatsOfUnknown > 0) repeatsOfUnknown -= 1;
      else if (sent.kind !== 'not_sent') return undefined;
      return ('retryAfterMs' in sent ? sent.retryAfterMs : undefined) ?? 500 * attempt;
    },
    pause: async (waitMs) => {
      waitedMs += waitMs;
      // A request before the end of the requested wait only prolongs it.
      if (waitedMs > waitTotalMsMax) return false;
      return wait(waitMs).then(
        () => true,
        () => false,
      );
    },
  });
}

/** As `retryNotSent`, for a call of which only the success counts. */
export function retryCall(call: () => Promise<unknown>): Promise<Done> {
  return retryNotSent<Done>(async () => {
    await call();
    return done;
  });
}
