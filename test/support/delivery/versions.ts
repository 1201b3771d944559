/** Two versions of the bot that share one store: the next one keeps what it will send in a form of its own, and reads both. */

import type { ClaimedSlot } from '../../../src/bot/store/outbox/slot.ts';
import type { Ledger } from '../../../src/bot/store/repositories/ledger.ts';

export const versions = ['this', 'next'] as const;
export type Version = (typeof versions)[number];

/** What a replica says when it meets what the next version has made. */
export const leftLine = 'left to the next version';

export function ofVersion(ledger: Ledger, version: Version): Ledger {
  if (version === 'this') return ledger;
  const claim: Ledger['claim'] = async (options) => (await ledger.claim(options)).map(asNext);
  return { ...ledger, claim };
}

function asNext(slot: ClaimedSlot): ClaimedSlot {
  const { hold, payload } = slot;
  return {
    ...slot,
    payload: payload === null ? null : read(payload),
    hold: { ...hold, savePayload: (text, ...rest) => hold.savePayload(write(text), ...rest) },
  };
}

function write(text: string): string {
  return JSON.stringify({ version: 2, messages: text });
}

function read(kept: string): string {
  const { messages } = JSON.parse(kept);
  return typeof messages === 'string' ? messages : kept;
}
