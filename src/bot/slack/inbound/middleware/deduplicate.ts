/** Middleware for every listener: drops duplicate deliveries. Also remembers presses, which people make twice. */
import type { AllMiddlewareArgs, AnyMiddlewareArgs, Middleware } from '@slack/bolt';
import { createLruCache } from '../../../../shared/cache/lru-cache.ts';
import type { Logger } from '../../../../shared/log/logger.ts';
import type { Clock } from '../../../../shared/time/clock.ts';
import { withTimeout } from '../../../../shared/time/timeout.ts';
import type { IdempotencyKeys } from '../../../store/repositories/idempotency-keys.ts';
import { type JsonRecord, readRecord, readText } from '../../json-record.ts';
import { describe } from '../../outbound/web-api/errors.ts';
import { acknowledge } from './acknowledgement.ts';
import { readDeliveryId } from './read-payload.ts';

/** As long as a signed request is accepted: five minutes either way. Slack repeats a delivery for five. */
const rememberedMs = 10 * 60_000;
/** Within that time; about 15 MB of them. */
const keysMax = 50_000;

/** @returns whether this is the first to come with this key. Never rejects: one process remembers, or a store for several */
export type ClaimDelivery = (teamId: string, key: string) => boolean | Promise<boolean>;

export type Deduplicator = {
  /** @returns whether this key is new, and remembers it */
  readonly isFirst: (key: string) => boolean;
  readonly forget: (key: string) => void;
};

/** For one process. */
export function createMemoryClaim(clock: Clock): ClaimDelivery {
  const { isFirst } = createDeduplicator(clock);
  return (teamId, key) => isFirst(`${teamId}:${key}`);
}

export type SharedClaimDeps = {
  readonly deliveries: IdempotencyKeys;
  readonly clock: Clock;
  readonly log: Logger;
};

/** Slack waits for the acknowledgement meanwhile: seeing something twice is better than that it gives up. */
const claimTimeoutMs = 250;

/** For all processes with one store. What this one has seen needs no store; what the store does not say counts as new. */
export function createSharedClaim({ deliveries, clock, log }: SharedClaimDeps): ClaimDelivery {
  const isFirstHere = createMemoryClaim(clock);
  return async (teamId, key) => {
    if (!isFirstHere(teamId, key)) return false;
    try {
      const claimed = deliveries.claim(teamId, key, clock(), rememberedMs);
      return await withTimeout(claimTimeoutMs, claimed, 'The store did not answer in time.');
    } catch (error) {
      log.warn({ teamId, error: describe(error) }, 'store does not say whether a delivery is new');
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

export type DropDuplicatesDeps = { readonly claim: ClaimDelivery; readonly log: Logger };

/** Acknowledges a delivery that came before, and ends it there. */
export function createDropDuplicates({ claim, log }: DropDuplicatesDeps): Middleware<AnyMiddlewareArgs> {
  return async (args) => {
    const { teamId } = args.context;
    const delivery = deliveryOf(args, readRecord(args.body));
    if (delivery === undefined || (await claim(String(teamId), delivery))) return args.next();
    log.info({ teamId }, 'slack delivered the same thing again');
    await acknowledge(args);
  };
}

/**
 * A request without ids is known by its signature: a repeated signed request repeats both. Queries of a menu never count as
 * duplicates, since the same text may be asked for twice within a second.
 */
function deliveryOf(args: AnyMiddlewareArgs & AllMiddlewareArgs, body: JsonRecord): string | undefined {
  if ('options' in args) return undefined;
  return readDeliveryId(body) ?? readText(args.context, 'signature');
}
