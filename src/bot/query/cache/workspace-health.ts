/** Health of one workspace's query service: since when it fails, until when it pauses, and which documents it understands. */
import type { Clock } from '../../../shared/time/clock.ts';
import { ServiceDocuments } from '../client/documents.ts';
import { type Fault, retryAfterDefaultMs } from '../client/fault.ts';

/** While a service fails it is asked all the same, but an answer does not wait longer for it than this; undefined for no such limit. Milliseconds. */
type AwaitMs = { readonly withOlder: number; readonly withoutOlder: number | undefined };
const atFirst: AwaitMs = { withOlder: 2_000, withoutOlder: undefined };
const afterAMinute: AwaitMs = { withOlder: 300, withoutOlder: 2_000 };
const minuteMs = 60_000;
/** An older fault says nothing about now: the service may have recovered while nobody asked. */
const recentMs = 5 * minuteMs;

type Away = { readonly fault: Fault; readonly awaitMs: AwaitMs };

export type KeyChecks = {
  /** Since when the service refuses the key, if it does; epoch milliseconds. */
  readonly refusedSince?: number | null;
  /** Called when the service accepts or refuses the key. Never throws. */
  readonly onKeyChecked?: (isAccepted: boolean) => void;
};

export class WorkspaceHealth {
  readonly documents: ServiceDocuments;
  keyChecks: KeyChecks = {};
  readonly #clock: Clock;
  #failing: { readonly fault: Fault; readonly since: number; readonly lastAt: number } | undefined;
  #refusedSince: number | undefined;
  #pausedUntil = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.documents = new ServiceDocuments(clock);
  }

  recordSuccess(): void {
    this.#failing = undefined;
    this.#refusedSince = undefined;
    this.#pausedUntil = 0;
    this.keyChecks.onKeyChecked?.(true);
  }

  /** @returns since when it fails like this, epoch milliseconds */
  recordFault(fault: Fault): number {
    const { kind, retryAfterMs } = fault;
    const now = this.#clock();
    if (kind === 'rate_limited') this.#pausedUntil = now + (retryAfterMs ?? retryAfterDefaultMs);
    if (kind === 'rate_limited' || kind === 'invalid_request') return now;
    if (kind === 'unauthorized') {
      this.#refusedSince ??= now;
      this.keyChecks.onKeyChecked?.(false);
      return Math.min(this.#refusedSince, this.keyChecks.refusedSince ?? now);
    }
    this.#failing = { fault, since: this.#failing?.since ?? now, lastAt: now };
    return this.#failing.since;
  }

  /** @returns undefined if the service has not failed lately, its last answer was a good one, or it refuses the key */
  away(): Away | undefined {
    if (this.#failing === undefined || this.#refusedSince !== undefined) return undefined;
    const { fault, since, lastAt } = this.#failing;
    const now = this.#clock();
    return now - lastAt > recentMs ? undefined : { fault, awaitMs: now - since < minuteMs ? atFirst : afterAMinute };
  }

  /** Rest of the pause that the service asked for, milliseconds. */
  pauseMs(): number {
    return Math.max(0, this.#pausedUntil - this.#clock());
  }
}
