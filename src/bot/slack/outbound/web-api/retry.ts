/** Retries calls that certainly had no effect. */

import { setTimeout as timer } from 'node:timers/promises';
import { retry } from '../../../../shared/retry.ts';
import type { Failure } from '../../../domain/slack-errors.ts';
import { classifyThrown } from './errors.ts';

export type Done = { readonly kind: 'done' } | Failure;

type Kind = { readonly kind: string };

export const done = { kind: 'done' } as const;

const attemptsMax = 4;
const waitMaxMs = 10_000;

/**
 * @param send may throw the errors of @slack/web-api and fetch
 * @returns the result of `send`, or the last failure; never rejects
 */
export async function retryNotSent<Sent extends Kind>(send: () => Promise<Sent | Failure>): Promise<Sent | Failure> {
  return retry<Sent | Failure>(() => send().catch(classifyThrown), {
    attemptsMax,
    delayMs: (sent, attempt) => {
      if (sent.kind !== 'not_sent') return undefined;
      return ('retryAfterMs' in sent ? sent.retryAfterMs : undefined) ?? 500 * attempt;
    },
    // A request before the end of the requested wait only prolongs it.
    pause: async (waitMs) => waitMs <= waitMaxMs && timer(waitMs, true),
  });
}

/** As `retryNotSent`, for a call of which only the success counts. */
export function retryCall(call: () => Promise<unknown>): Promise<Done> {
  return retryNotSent<Done>(async () => {
    await call();
    return done;
  });
}
