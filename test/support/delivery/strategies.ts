/** The ways to deliver that lose or double: each a ledger that does what its name says, under the engine as it is. */

import type { ClaimedSlot, Part, SlotHold } from '../../../src/bot/store/outbox/slot.ts';
import type { Ledger } from '../../../src/bot/store/repositories/ledger.ts';

export const strategies = ['ledger', 'post then mark', 'mark then post', 'lease and retry'] as const;
export type Strategy = (typeof strategies)[number];

export function withStrategy(ledger: Ledger, strategy: Strategy): Ledger {
  if (strategy === 'ledger') return ledger;
  const claim: Ledger['claim'] = async (options) => {
    const claimed = await ledger.claim(options);
    return claimed.map((slot) => ({ ...slot, ...changed(slot, strategy) }));
  };
  // Nor does any of them look back.
  return { ...ledger, claim, sweepable: async () => [] };
}

function changed({ hold, parts }: ClaimedSlot, strategy: Exclude<Strategy, 'ledger'>): Partial<ClaimedSlot> {
  switch (strategy) {
    case 'post then mark':
      return { hold: { ...hold, intend: async () => true, settle: markedAfter(hold) } };
    case 'mark then post':
      return { parts: parts.map(done), hold: { ...hold, settle: (part) => hold.settle(part, given) } };
    case 'lease and retry':
      return {
        parts: parts.map((part) => (part.state === 'sent' ? part : { ...part, state: 'waiting' })),
        hold: { ...hold, intend: again(hold) },
      };
  }
}

/** Nothing is written down before the answer is there. */
function markedAfter(hold: SlotHold): SlotHold['settle'] {
  return async (part, outcome) => {
    if (outcome.kind === 'unsent' || outcome.kind === 'unknown') return true;
    await hold.intend(part, 0);
    return hold.settle(part, outcome);
  };
}

/** What is marked counts as sent, whatever became of it. */
const given = { kind: 'sent', ts: '1.1' } as const;

function done(part: Part): Part {
  return part.state === 'waiting' || part.state === 'sent' ? part : { ...part, state: 'sent', ts: given.ts };
}

/** Whoever has the lease does the work, from the beginning. */
function again(hold: SlotHold): SlotHold['intend'] {
  return async (part, outlivesMs) => {
    await hold.settle(part, { kind: 'waiting', error: 'retried' });
    return hold.intend(part, outlivesMs);
  };
}
