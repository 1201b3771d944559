/** Limits per person, in this process. */
import { createLruCache, type LruCache } from '../../../shared/cache/lru-cache.ts';
import { AppError } from '../../../shared/errors.ts';
import type { Clock } from '../../../shared/time/clock.ts';
import type { Person } from '../../domain/person.ts';

/** People counted at once. */
const peopleMax = 50_000;

/** At most so much of something by one person within a span of time. */
export class PersonLimit {
  readonly #clock: Clock;
  readonly #max: number;
  readonly #spanMs: number;
  readonly #usesByPerson: LruCache<readonly { readonly at: number; readonly cost: number }[]>;

  /** @param max the sum of the costs */
  constructor(clock: Clock, max: number, spanMs: number) {
    this.#clock = clock;
    this.#max = max;
    this.#spanMs = spanMs;
    this.#usesByPerson = createLruCache({ clock, ttlMs: spanMs, entriesMax: peopleMax });
  }

  /** @returns 0 if the person may go on, which counts; otherwise the milliseconds to wait */
  acquire({ teamId, userId }: Person, cost = 1): number {
    const person = `${teamId}:${userId}`;
    const now = this.#clock();
    const uses = (this.#usesByPerson.get(person) ?? []).filter(({ at }) => at > now - this.#spanMs);
    const sum = uses.reduce((total, use) => total + use.cost, cost);
    // The sum of sixths is not exact.
    const isTooMuch = sum > this.#max + 1e-9;
    this.#usesByPerson.set(person, isTooMuch ? uses : [...uses, { at: now, cost }]);
    return isTooMuch ? (uses[0]?.at ?? now) + this.#spanMs - now : 0;
  }
}

const requestsMax = 10;
const requestSpanMs = 10_000;
/** Cost of the suggestions that a menu asks for while a person types, in requests. */
export const suggestionCost = 1 / 6;

/** The requests of one person. */
export class CommandQuota {
  readonly #limit: PersonLimit;

  constructor(clock: Clock) {
    this.#limit = new PersonLimit(clock, requestsMax, requestSpanMs);
  }

  /** @param cost in requests @throws AppError `rate_limited` for more than the quota */
  acquire(person: Person, cost = 1): void {
    const waitMs = this.#limit.acquire(person, cost);
    if (waitMs === 0) return;
    const seconds = Math.max(1, Math.ceil(waitMs / 1000));
    throw new AppError(
      'rate_limited',
      `Rate limit: ${requestsMax} requests per ${requestSpanMs / 1000} s. This request was not run. Try again in ${seconds} s.`,
    );
  }
}
