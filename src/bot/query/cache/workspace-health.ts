/** Health of one workspace's query service: since when it fails, until when it pauses, and which documents it understands. */
import type { Clock } from '../../../shared/time/clock.ts';
import { ServiceDocuments } from '../client/documents.ts';
import { type Fault, retryAfterDefaultMs } from '../client/fault.ts';

/** A service that has failed for so long is probably still away: then an older answer comes at once, and the service is asked all the same. */
const awayMinMs = 60_000;

export class WorkspaceHealth {
  readonly documents: ServiceDocuments;
  readonly #clock: Clock;
  #failing: { readonly fault: Fault; readonly since: number } | undefined;
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
  }

  /** @returns since when it fails like this, epoch milliseconds */
  recordFault(fault: Fault): number {
    const { kind, retryAfterMs } = fault;
    const now = this.#clock();
    if (kind === 'rate_limited') this.#pausedUntil = now + (retryAfterMs ?? retryAfterDefaultMs);
    if (kind === 'rate_limited' || kind === 'invalid_request') return now;
    if (kind === 'unauthorized') {
      this.#refusedSince ??= now;
      return this.#refusedSince;
    }
    this.#failing = { fault, since: this.#failing?.since ?? now };
    return this.#failing.since;
  }

  /** The fault of a service that has failed for a minute or longer, without an answer in between. */
  away(): Fault | undefined {
    const failing = this.#refusedSince === undefined ? this.#failing : undefined;
    return failing && this.#clock() - failing.since >= awayMinMs ? failing.fault : undefined;
  }

  /** Rest of the pause that the service asked for, milliseconds. */
  pauseMs(): number {
    return Math.max(0, this.#pausedUntil - this.#clock());
  }
}
