/** Delivery strategies that lose or duplicate messages: each changes the outbox as its name says, under the real worker. */

import type { ClaimedOccurrence, OccurrenceLease, OutboxMessage } from '../../../src/bot/store/outbox/delivery.ts';
import type { Outbox } from '../../../src/bot/store/repositories/outbox.ts';
import { changedLease } from './changed-lease.ts';

export const strategies = ['outbox', 'post then mark', 'mark then post', 'lease and retry'] as const;
export type Strategy = (typeof strategies)[number];

export function withStrategy(outbox: Outbox, strategy: Strategy): Outbox {
  if (strategy === 'outbox') return outbox;
  const claim: Outbox['claim'] = async (options) => {
    const claimed = await outbox.claim(options);
    return claimed.map((occurrence) => ({ ...occurrence, ...changed(occurrence, strategy) }));
  };
  // No strategy checks for duplicates.
  return { ...outbox, claim, claimDuplicateChecks: async () => [] };
}

function changed(
  { lease, messages }: ClaimedOccurrence,
  strategy: Exclude<Strategy, 'outbox'>,
): Partial<ClaimedOccurrence> {
  switch (strategy) {
    case 'post then mark':
      return { lease: changedLease(lease, { recordIntent: async () => true, recordOutcome: markedAfter(lease) }) };
    case 'mark then post':
      return {
        messages: messages.map(done),
        lease: changedLease(lease, { recordOutcome: (message) => lease.recordOutcome(message, given) }),
      };
    case 'lease and retry':
      return {
        messages: messages.map((message) => (message.state === 'sent' ? message : { ...message, state: 'waiting' })),
        lease: changedLease(lease, { recordIntent: again(lease) }),
      };
  }
}

/** Records nothing before Slack's answer. */
function markedAfter(lease: OccurrenceLease): OccurrenceLease['recordOutcome'] {
  return async (message, outcome) => {
    if (outcome.kind === 'unsent' || outcome.kind === 'unknown') return true;
    await lease.recordIntent(message, 0);
    return lease.recordOutcome(message, outcome);
  };
}

/** Marks a message as sent before its send. */
const given = { kind: 'sent', ts: '1.1' } as const;

function done(message: OutboxMessage): OutboxMessage {
  return message.state === 'waiting' || message.state === 'sent'
    ? message
    : { ...message, state: 'sent', ts: given.ts };
}

/** Each holder of the lease sends all messages again. */
function again(lease: OccurrenceLease): OccurrenceLease['recordIntent'] {
  return async (message, outlivesMs) => {
    await lease.recordOutcome(message, { kind: 'waiting', error: 'retried' });
    return lease.recordIntent(message, outlivesMs);
  };
}
