/** One digest a slot: what is due, who is at work on it, what was sent, and what nobody knows. Times are the database's clock. */
import type { Kysely } from 'kysely';
import type { Dialect } from '../dialect.ts';
import { claim } from '../outbox/claim.ts';
import { claimDuplicateChecks, recordDuplicateCheck } from '../outbox/duplicate-checks.ts';
import { type NextDueTimes, nextDueTimes } from '../outbox/next-due-times.ts';
import type {
  ClaimedOccurrence,
  ClaimOptions,
  DuplicateCheck,
  NewOccurrence,
  OccurrenceKey,
  OutboxEntry,
  PlanOccurrences,
} from '../outbox/occurrence.ts';
import { page } from '../outbox/page.ts';
import { addOccurrence, nowOf, plan } from '../outbox/plan.ts';
import { type AcquireOptions, acquire, backOff, type Permit } from '../outbox/rate-limiter.ts';
import type { Tables } from '../tables/tables.ts';

export type Outbox = {
  /** The only clock of slots. @returns epoch milliseconds */
  now(): Promise<number>;
  /**
   * Takes up to `max` subscriptions that are due, the longest due first and those of a workspace together; several
   * processes take different ones.
   * @param planOf which slots come into being, and what it is due at next; where it throws, the others are planned all the same
   * @returns how many were planned @throws the first that `planOf` threw
   */
  plan(max: number, planOf: PlanOccurrences): Promise<number>;
  /** A slot that a person asked for. @returns false where there is one of that name, or no such subscription */
  add(teamId: string, subscriptionId: string, slot: NewOccurrence): Promise<boolean>;
  /** Workspaces in turn, of each the longest due first; whose turn it is is seen among those that have waited longest. */
  claim(options: ClaimOptions): Promise<readonly ClaimedOccurrence[]>;
  /** For one message to a workspace: of all processes together it gets one at a time. Whoever gets none is told a moment of its own. */
  acquire(teamId: string, options: AcquireOptions): Promise<Permit>;
  /** Slack said to come back later: nobody gets a turn before. */
  backOff(teamId: string, forMs: number): Promise<void>;
  /** Parts that were sent or given up after more than one attempt, 2 and 10 minutes later; others get them only where `swept` does not follow. */
  claimDuplicateChecks(max: number): Promise<readonly DuplicateCheck[]>;
  /** @param looks as it came: the same look counts once, however long it took */
  recordDuplicateCheck(key: OccurrenceKey, part: string, looks: number): Promise<void>;
  nextDueTimes(): Promise<NextDueTimes>;
  /** Newest first. @param before the cursor of the last entry of the page before */
  page(teamId: string, count: number, before?: string): Promise<readonly OutboxEntry[]>;
};

export function createOutbox(db: Kysely<Tables>, engine: Dialect): Outbox {
  return {
    now: () => nowOf(db, engine),
    plan: (max, planOf) => plan(db, engine, max, planOf),
    add: (teamId, subscriptionId, slot) => addOccurrence(db, engine, { teamId, subscriptionId }, slot),
    claim: (options) => claim(db, engine, options),
    acquire: (teamId, options) => acquire(db, engine, teamId, options),
    backOff: (teamId, forMs) => backOff(db, engine, teamId, forMs),
    claimDuplicateChecks: (max) => claimDuplicateChecks(db, engine, max),
    recordDuplicateCheck: (key, part, looks) => recordDuplicateCheck(db, engine, key, part, looks),
    nextDueTimes: () => nextDueTimes(db, engine),
    page: (teamId, count, before) => page(db, teamId, count, before),
  };
}
