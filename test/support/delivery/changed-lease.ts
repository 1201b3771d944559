import type { OccurrenceLease } from '../../../src/bot/store/outbox/delivery.ts';

/** @returns the lease with other methods in place of its own */
export function changedLease(lease: OccurrenceLease, changed: Partial<OccurrenceLease>): OccurrenceLease {
  return {
    extend: (...given) => lease.extend(...given),
    recordIntent: (...given) => lease.recordIntent(...given),
    recordOutcome: (...given) => lease.recordOutcome(...given),
    finish: (...given) => lease.finish(...given),
    release: (...given) => lease.release(...given),
    defer: (...given) => lease.defer(...given),
    savePayload: (...given) => lease.savePayload(...given),
    ...changed,
  };
}
