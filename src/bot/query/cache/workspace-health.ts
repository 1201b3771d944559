/** Health of one workspace's query service: since when it fails, until when it pauses, and which documents it understands. */
import type { Clock } from '../../../shared/time/clock.ts';
import { ServiceDocuments } from '../client/documents.ts';
import { type Fault, retryAfterDefaultMs } from '../client/fault.ts';

/** It has failed for so long, in every request: not by chance. */
const certainMs = 10_000;
/** An older fault says nothing about now: the service may have recovered while nobody asked. */
const recentMs = 5 * 60_000;

/** `since`: epoch milliseconds. */
export type Failing = { readonly fault: Fault; readonly since: number };

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
  #failing: (Failing & { readonly lastAt: number }) | undefined;
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
  away(): (Failing & { readonly isCertain: boolean }) | undefined {
    if (this.#failing === undefined || this.#refusedSince !== undefined) return undefined;
    const { fault, since, lastAt } = this.#failing;
    if (this.#clock() - lastAt > recentMs) return undefined;
    return { fault, since, isCertain: lastAt - since >= certainMs };
  }

  /** Rest of the pause that the service asked for, milliseconds. */
  pauseMs(): number {
    return Math.max(0, this.#pausedUntil - this.#clock());
  }
}
