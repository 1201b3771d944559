/** Health of stored keys: retries a refused key, stores the verdict, and notifies once the person who connected it. */
import { setTimeout } from 'node:timers/promises';
import { createLruCache, type LruCache } from '../../shared/cache/lru-cache.ts';
import { AppError } from '../../shared/errors.ts';
import type { Person } from '../domain/person.ts';
import type { QueryService } from '../query/query-client.ts';
import type { Credential } from '../store/repositories/credentials.ts';
import type { Message } from '../views/blocks/message.ts';
import { keyRefusedMessage } from '../views/notices/workspace-notices.ts';
import type { CredentialResolver, ResolverServices } from './credential-resolver.ts';

export interface ConnectionServices extends ResolverServices {
  readonly resolver: CredentialResolver;
  readonly query: QueryService;
  /** Sends a direct message to one person. Never rejects. */
  readonly notifyPerson: (person: Person, message: Message) => Promise<boolean>;
  /** Waits before a refused key is tried again; a timer if left out. Ends early when the signal aborts. */
  readonly waitForSecondTry?: (ms: number, signal: AbortSignal) => Promise<unknown>;
}

/** `unlisted`: not tried, because the endpoint is no longer configured. `unknown`: no conclusive answer. */
type Verdict = 'accepted' | 'refused' | 'unlisted' | 'unknown';

/** Long enough for a short outage to end. */
const secondTryAfterMs = 60_000;
const workspacesMax = 10_000;
/** Longer than Slack takes for a notice. */
const noticeLeaseMs = 60_000;

export class KeyHealth {
  readonly #services: ConnectionServices;
  readonly #recently: LruCache<true>;
  readonly #stopping = new AbortController();
  readonly #inFlight = new Set<Promise<void>>();

  constructor(services: ConnectionServices) {
    const { clock } = services.runtime;
    this.#services = services;
    this.#recently = createLruCache({ clock, ttlMs: secondTryAfterMs, entriesMax: workspacesMax });
  }

  /** Tries the key now. A new refusal is handled as in `noteVerdict`. Never rejects. */
  async check(credential: Credential): Promise<void> {
    const verdict = await this.#ask(credential);
    if (verdict === 'refused' && credential.refusedSince === null) this.noteVerdict(credential, false);
    else await this.#write(credential, verdict, this.#services.runtime.clock());
  }

  /**
   * Records the outcome of a request. A refused key is tried once more, and the second outcome counts. Never throws,
   * never waits.
   */
  noteVerdict(credential: Credential, isAccepted: boolean): void {
    const isNews = isAccepted === (credential.refusedSince !== null);
    const key = `${credential.version}:${isAccepted}`;
    if (!isNews || this.#recently.get(key)) return;
    this.#recently.set(key, true);
    const at = this.#services.runtime.clock();
    const work = isAccepted ? this.#write(credential, 'accepted', at) : this.#tryAgain(credential, at);
    const noted = work.finally(() => this.#inFlight.delete(noted));
    this.#inFlight.add(noted);
  }

  /** Waits until pending verdicts are stored. Pending second tries are dropped. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await Promise.all(this.#inFlight);
  }

  async #tryAgain(credential: Credential, refusedAt: number): Promise<void> {
    const { signal } = this.#stopping;
    const { waitForSecondTry = (ms) => setTimeout(ms, undefined, { signal, ref: false }) } = this.#services;
    await waitForSecondTry(secondTryAfterMs, signal).catch(() => undefined);
    if (!signal.aborted) await this.#write(credential, await this.#ask(credential), refusedAt);
  }

  async #ask(credential: Credential): Promise<Verdict> {
    const { query, resolver, runtime } = this.#services;
    if (!resolver.isListed(credential)) return 'unlisted';
    try {
      await query.forWorkspace(resolver.with(credential), { isFresh: true }).organization();
      return 'accepted';
    } catch (error) {
      if (error instanceof AppError && error.code === 'unauthorized') return 'refused';
      runtime.log.warn({ teamId: credential.teamId, err: error }, 'API key of a workspace could not be checked');
      return 'unknown';
    }
  }

  /** @param at start of the verdict, epoch milliseconds. Never rejects. */
  async #write(credential: Credential, verdict: Verdict, at: number): Promise<void> {
    const { store, resolver, runtime } = this.#services;
    const { teamId, version } = credential;
    try {
      if (verdict === 'accepted') await store.credentials.markAccepted(teamId, version, at);
      if (verdict === 'refused' || verdict === 'unlisted') await this.#noteRefusal(credential, at);
      resolver.stored.forget(teamId);
    } catch (err) {
      runtime.log.error({ teamId, err }, 'health of an API key could not be stored');
    }
  }

  async #noteRefusal({ teamId, version }: Credential, at: number): Promise<void> {
    const { credentials, leases } = this.#services.store;
    await credentials.markRefused(teamId, version, at);
    const lease = await leases.take(teamId, `key notice ${version}`, noticeLeaseMs);
    if (!lease) return;
    try {
      const now = await credentials.find(teamId);
      const isDue = now?.version === version && now.refusedSince !== null && now.notifiedAt === null;
      if (isDue) await this.#notify(now, now.refusedSince);
    } finally {
      await lease.release();
    }
  }

  /** If Slack refuses the message, or the process ends before it is sent, the next check of the key sends it. */
  async #notify(credential: Credential, since: number): Promise<void> {
    const { store, resolver, notifyPerson, runtime } = this.#services;
    const { teamId, version, connectedBy, organizationName: organization } = credential;
    const isListed = resolver.isListed(credential);
    const notice = keyRefusedMessage({ since, organization, isListed });
    const isNotified = await notifyPerson({ teamId, userId: connectedBy }, notice);
    if (isNotified) await store.credentials.markNotified(teamId, version, runtime.clock());
    runtime.log.warn({ teamId, isNotified, isListed }, 'the API key of a workspace no longer works');
  }
}
