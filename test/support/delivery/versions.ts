/** Two versions of the bot that share one store: the next one stores payloads in its own form and reads both. */

import type { ClaimedOccurrence } from '../../../src/bot/store/outbox/delivery.ts';
import type { Outbox } from '../../../src/bot/store/repositories/outbox.ts';
import { changedLease } from './changed-lease.ts';

export const versions = ['this', 'next'] as const;
export type Version = (typeof versions)[number];

/** Printed by a replica that meets a payload of the next version. */
export const leftLine = 'left to the next version';

export function ofVersion(outbox: Outbox, version: Version): Outbox {
  if (version === 'this') return outbox;
  const claim: Outbox['claim'] = async (options) => (await outbox.claim(options)).map(asNext);
  return { ...outbox, claim };
}

function asNext(occurrence: ClaimedOccurrence): ClaimedOccurrence {
  const { lease, payload } = occurrence;
  return {
    ...occurrence,
    payload: payload === null ? null : read(payload),
    lease: changedLease(lease, { savePayload: (text, ...rest) => lease.savePayload(write(text), ...rest) }),
  };
}

function write(text: string): string {
  return JSON.stringify({ version: 2, messages: text });
}

function read(kept: string): string {
  const { messages } = JSON.parse(kept);
  return typeof messages === 'string' ? messages : kept;
}
