/** Retries calls that certainly had no effect, and once those whose effect does no harm twice. */

import { setTimeout as timer } from 'node:timers/promises';
import type { Logger } from '../../../../shared/log/logger.ts';
import { retry } from '../../../../shared/retry.ts';
import { errorMeans, type Failure } from '../../../domain/slack-errors.ts';
import { classifyThrown } from './errors.ts';

export type Done = { readonly kind: 'done' } | Failure;

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
export async function retryNotSent<Sent extends { readonly kind: string }>(
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

/**
 * Sends a message whole, and in a simpler variant if Slack refuses it or fails on its blocks.
 * @param call may throw the errors of @slack/web-api and fetch @returns as `retryNotSent`
 */
export async function sendVariants<Variant extends { readonly blocks?: unknown }>(
  [whole, ...simpler]: readonly [Variant, ...Variant[]],
  call: (variant: Variant) => Promise<Done>,
  { log, ...retrying }: RetryOptions & { readonly log: Logger },
): Promise<Done> {
  let sent = await retryNotSent(() => call(whole), retrying);
  for (const variant of simpler) {
    if (!('error' in sent)) break;
    const isFailure =
      retrying.isRepeatable === true && errorMeans(sent.error, 'fails_on_blocks') && variant.blocks !== undefined;
    if (sent.kind !== 'content' && !isFailure) break;
    if (isFailure) log.error({ error: sent.error }, 'slack failed on the blocks, sending a simpler variant');
    else log.error({ error: sent.error }, 'slack refused the blocks, sending a simpler variant');
    sent = await retryNotSent(() => call(variant), retrying);
  }
  return sent;
}
