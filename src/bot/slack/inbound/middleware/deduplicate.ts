/** Middleware for every listener: drops duplicate deliveries. Also remembers presses, which people often repeat. */
import type { AllMiddlewareArgs, AnyMiddlewareArgs, Middleware } from '@slack/bolt';
import { createLruCache, type LruCache } from '../../../../shared/cache/lru-cache.ts';
import { type JsonRecord, readRecord, readText } from '../../../../shared/json.ts';
import type { Clock } from '../../../../shared/time/clock.ts';
import { withTimeout } from '../../../../shared/time/timeout.ts';
import type { Runtime } from '../../../domain/runtime.ts';
import type { IdempotencyKeys, Lease, Leases } from '../../../store/repositories/coordination.ts';
import { describe } from '../../outbound/web-api/errors.ts';
import type { InboundServices } from '../services.ts';
import { acknowledge } from './acknowledgement.ts';
import { readDeliveryId } from './read-payload.ts';

/**
 * A signed request is accepted for five minutes either way, and Slack repeats a delivery for five. Also longer than a view
 * stays open after it was submitted.
 */
const rememberedMs = 10 * 60_000;
/** Keys within that time, about 15 MB. */
const keysMax = 50_000;

/** Remembers keys in memory. */
export class Deduplicator {
  readonly #keys: LruCache<true>;

  constructor(clock: Clock) {
    this.#keys = createLruCache({ clock, ttlMs: rememberedMs, entriesMax: keysMax });
  }

  /** Remembers the key. @returns true if it is new */
  isFirst(key: string): boolean {
    if (this.#keys.get(key)) return false;
    this.#keys.set(key, true);
    return true;
  }

  forget(key: string): void {
    this.#keys.delete(key);
  }
}

/** Slack waits for the acknowledgement meanwhile; a duplicate does less harm than a lost answer. */
const claimTimeoutMs = 250;

/**
 * Remembers keys in the store that all processes share, if there are several. Keys that this process has seen need no
 * query. If the store does not answer, a key counts as new.
 * @returns a function that returns true if no delivery came with this key before. It never rejects
 */
export function createClaim(keys: IdempotencyKeys | undefined, { clock, log }: Runtime) {
  const here = new Deduplicator(clock);
  return async (teamId: string, key: string): Promise<boolean> => {
    if (!here.isFirst(`${teamId}:${key}`)) return false;
    if (keys === undefined) return true;
    try {
      const claimed = keys.claim(teamId, key, rememberedMs);
      return await withTimeout(claimTimeoutMs, claimed, 'The bot’s database did not answer in time.');
    } catch (error) {
      log.warn({ teamId, error: describe(error) }, 'the bot’s database could not check whether slack sent this before');
      return true;
    }
  };
}

/**
 * For an action that people start twice, such as with a double click that reaches two processes.
 * @param name of the action @returns undefined while another process has the lease. Never rejects, nor does `release`
 */
export type TakeLease = (teamId: string, name: string) => Promise<Lease | undefined>;

/**
 * If the store does not answer, the action goes on without a lease, so that it is not lost.
 * @param leases shared by the processes; undefined for a single process
 */
export function createTakeLease(leases: Pick<Leases, 'take'> | undefined, { log }: Runtime): TakeLease {
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

/** Acknowledges a duplicate delivery and ends it there. */
export function createDropDuplicates({ runtime, shared }: InboundServices): Middleware<AnyMiddlewareArgs> {
  const claim = createClaim(shared?.idempotencyKeys, runtime);
  return async (args) => {
    const { teamId } = args.context;
    const delivery = deliveryOf(args, readRecord(args.body));
    if (delivery === undefined || (await claim(String(teamId), delivery))) return args.next();
    runtime.log.info({ teamId }, 'slack repeated a delivery');
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
