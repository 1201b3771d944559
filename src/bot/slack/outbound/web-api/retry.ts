/** Asking Slack again where a call certainly had no effect, and only there. */
import { setTimeout as timer } from 'node:timers/promises';
import { classifyThrown, type Failure } from './errors.ts';

export type Done = { readonly kind: 'done' } | Failure;

type Kind = { readonly kind: string };

const attemptsMax = 4;
const waitMaxMs = 10_000;

/** @param send may throw what @slack/web-api and fetch throw @returns what it gave, or why it has no effect that is known; never rejects */
export async function retryNotSent<Sent extends Kind>(send: () => Promise<Sent | Failure>): Promise<Sent | Failure> {
  for (let attempt = 1; ; attempt += 1) {
    const sent = await send().catch(classifyThrown);
    if (sent.kind !== 'not_sent' || attempt === attemptsMax) return sent;
    const waitMs = ('retryAfterMs' in sent ? sent.retryAfterMs : undefined) ?? 500 * attempt;
    // Whoever asks before Slack wants to be asked is told the same, and kept away for longer.
    if (waitMs > waitMaxMs) return sent;
    await timer(waitMs);
  }
}
