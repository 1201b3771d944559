/** Delivery strategies that lose or duplicate messages: each changes the outbox as its name says, under the real worker. */

import type { ClaimedOccurrence, OccurrenceLease, OutboxMessage } from '../../../src/bot/store/outbox/occurrence.ts';
import type { Outbox } from '../../../src/bot/store/repositories/outbox.ts';

export const strategies = ['outbox', 'post then mark', 'mark then post', 'lease and retry'] as const;
export type Strategy = (typeof strategies)[number];

export function withStrategy(outbox: Outbox, strategy: Strategy): Outbox {
  if (strategy === 'outbox') return outbox;
  const claim: Outbox['claim'] = async (options) => {
    const claimed = await outbox.claim(options);
    return claimed.map((slot) => ({ ...slot, ...changed(slot, strategy) }));
  };
  // Nor does any of them look back.
  return { ...outbox, claim, claimDuplicateChecks: async () => [] };
}

function changed(
  { lease, messages }: ClaimedOccurrence,
  strategy: Exclude<Strategy, 'outbox'>,
): Partial<ClaimedOccurrence> {
  switch (strategy) {
    case 'post then mark':
      return { lease: { ...lease, recordIntent: async () => true, recordOutcome: markedAfter(lease) } };
    case 'mark then post':
      return {
        messages: messages.map(done),
        lease: { ...lease, recordOutcome: (part) => lease.recordOutcome(part, given) },
      };
    case 'lease and retry':
      return {
        messages: messages.map((part) => (part.state === 'sent' ? part : { ...part, state: 'waiting' })),
        lease: { ...lease, recordIntent: again(lease) },
      };
  }
}

/** Nothing is written down before the answer is there. */
function markedAfter(lease: OccurrenceLease): OccurrenceLease['recordOutcome'] {
  return async (part, outcome) => {
    if (outcome.kind === 'unsent' || outcome.kind === 'unknown') return true;
    await lease.recordIntent(part, 0);
    return lease.recordOutcome(part, outcome);
  };
}

/** What is marked counts as sent, whatever became of it. */
const given = { kind: 'sent', ts: '1.1' } as const;

function done(part: OutboxMessage): OutboxMessage {
  return part.state === 'waiting' || part.state === 'sent' ? part : { ...part, state: 'sent', ts: given.ts };
}

/** Whoever has the lease does the work, from the beginning. */
function again(lease: OccurrenceLease): OccurrenceLease['recordIntent'] {
  return async (part, outlivesMs) => {
    await lease.recordOutcome(part, { kind: 'waiting', error: 'retried' });
    return lease.recordIntent(part, outlivesMs);
  };
}
