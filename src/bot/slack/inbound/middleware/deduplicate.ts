/** Middleware for every listener: drops duplicate deliveries. Also remembers presses, which people often repeat. */
import type { AllMiddlewareArgs, AnyMiddlewareArgs, Middleware } from '@slack/bolt';
import { createLruCache } from '../../../../shared/cache/lru-cache.ts';
import { type JsonRecord, readRecord, readText } from '../../../../shared/json.ts';
import type { Logger } from '../../../../shared/log/logger.ts';
import type { Clock } from '../../../../shared/time/clock.ts';
import { withTimeout } from '../../../../shared/time/timeout.ts';
import type { IdempotencyKeys } from '../../../store/repositories/idempotency-keys.ts';
import type { Lease, Leases } from '../../../store/repositories/leases.ts';
import { describe } from '../../outbound/web-api/errors.ts';
import { acknowledge } from './acknowledgement.ts';
import { readDeliveryId } from './read-payload.ts';

/**
 * A signed request is accepted for five minutes either way, and Slack repeats a delivery for five. Also longer than a view
 * stays open after it was submitted.
 */
const rememberedMs = 10 * 60_000;
/** Keys within that time, about 15 MB. */
const keysMax = 50_000;

/**
 * @returns true if no delivery came with this key before. One process remembers keys in memory, several in the store.
 *   Never rejects
 */
export type ClaimDelivery = (teamId: string, key: string) => boolean | Promise<boolean>;

export type Deduplicator = {
  /** Remembers the key. @returns true if it is new */
  readonly isFirst: (key: string) => boolean;
  readonly forget: (key: string) => void;
};

/** Remembers keys in memory, for a single process. */
export function createMemoryClaim(clock: Clock): ClaimDelivery {
  const { isFirst } = createDeduplicator(clock);
  return (teamId, key) => isFirst(`${teamId}:${key}`);
}

export type SharedClaimDeps = {
  readonly deliveries: IdempotencyKeys;
  readonly clock: Clock;
  readonly log: Logger;
};

/** Slack waits for the acknowledgement meanwhile; a duplicate does less harm than a lost answer. */
const claimTimeoutMs = 250;

/**
 * Remembers keys in the store that all processes share. Keys that this process has seen need no query. If the store
 * does not answer, a key counts as new.
 */
export function createSharedClaim({ deliveries, clock, log }: SharedClaimDeps): ClaimDelivery {
  const isFirstHere = createMemoryClaim(clock);
  return async (teamId, key) => {
    if (!isFirstHere(teamId, key)) return false;
    try {
      const claimed = deliveries.claim(teamId, key, rememberedMs);
      return await withTimeout(claimTimeoutMs, claimed, 'The bot’s database did not answer in time.');
    } catch (error) {
      log.warn({ teamId, error: describe(error) }, 'the bot’s database could not check whether Slack sent this before');
      return true;
    }
  };
}

export function createDeduplicator(clock: Clock): Deduplicator {
  const keys = createLruCache<true>({ clock, ttlMs: rememberedMs, entriesMax: keysMax });
  return {
    isFirst: (key) => {
      if (keys.get(key)) return false;
      keys.set(key, true);
      return true;
    },
    forget: keys.delete,
  };
}

export type TakeLeaseDeps = {
  /** Shared by the processes; undefined for a single process. */
  readonly leases?: Pick<Leases, 'take'> | undefined;
  readonly log: Logger;
};

/**
 * For an action that people start twice, such as with a double click that reaches two processes.
 * @param name of the action @returns undefined while another process has the lease. Never rejects, nor does `release`
 */
export type TakeLease = (teamId: string, name: string) => Promise<Lease | undefined>;

/** If the store does not answer, the action goes on without a lease, so that it is not lost. */
export function createTakeLease({ leases, log }: TakeLeaseDeps): TakeLease {
  return async (teamId, name) => {
    const onStoreError = (error: unknown) => {
      log.warn(
        { teamId, error: describe(error) },
        'the bot’s database could not check whether another process has begun the same work',
      );
      return localLease;
    };
    const lease = leases ? await leases.take(teamId, name, rememberedMs).catch(onStoreError) : localLease;
    return lease && { release: async () => void (await lease.release().catch(onStoreError)) };
  };
}

const localLease: Lease = { release: async () => undefined };

export type DropDuplicatesDeps = { readonly claim: ClaimDelivery; readonly log: Logger };

/** Acknowledges a duplicate delivery and ends it there. */
export function createDropDuplicates({ claim, log }: DropDuplicatesDeps): Middleware<AnyMiddlewareArgs> {
  return async (args) => {
    const { teamId } = args.context;
    const delivery = deliveryOf(args, readRecord(args.body));
    if (delivery === undefined || (await claim(String(teamId), delivery))) return args.next();
    log.info({ teamId }, 'slack repeated a delivery');
    await acknowledge(args);
  };
}

/**
 * A request without ids is identified by its signature, since a repeated signed request has the same one. Queries of a
 * menu never count as duplicates: a person may type the same text twice within a second.
 */
function deliveryOf(args: AnyMiddlewareArgs & AllMiddlewareArgs, body: JsonRecord): string | undefined {
  if ('options' in args) return undefined;
  return readDeliveryId(body) ?? readText(args.context, 'signature');
}
