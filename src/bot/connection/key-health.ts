/** Health of stored keys: retries a refused key, stores the verdict, and notifies once the person who connected it. */
import { setTimeout } from 'node:timers/promises';
import { createLruCache } from '../../shared/cache/lru-cache.ts';
import { AppError } from '../../shared/errors.ts';
import type { Logger } from '../../shared/log/logger.ts';
import type { Clock } from '../../shared/time/clock.ts';
import type { Person } from '../domain/person.ts';
import type { QueryService } from '../query/query-client.ts';
import type { Credential, Credentials } from '../store/repositories/credentials.ts';
import type { Leases } from '../store/repositories/leases.ts';
import type { Message } from '../views/blocks/message.ts';
import { keyRefusedMessage } from '../views/notices/workspace-notices.ts';
import type { CredentialResolver } from './credential-resolver.ts';

export type KeyHealthDeps = {
  /** Waits before a refused key is tried again; a timer if left out. Ends early when the signal aborts. */
  readonly waitForSecondTry?: (ms: number, signal: AbortSignal) => Promise<unknown>;
  readonly credentials: Pick<Credentials, 'find' | 'markAccepted' | 'markRefused' | 'markNotified'>;
  /** Leases of notices, shared by the processes. */
  readonly leases: Pick<Leases, 'take'>;
  readonly resolver: Pick<CredentialResolver, 'with' | 'stored' | 'isListed'>;
  readonly query: Pick<QueryService, 'forWorkspace'>;
  /** Sends a direct message to one person. Never rejects. */
  readonly notifyPerson: (person: Person, message: Message) => Promise<boolean>;
  readonly clock: Clock;
  readonly log: Logger;
};

/** `unlisted`: not tried, because the endpoint is no longer configured. `unknown`: no conclusive answer. */
type Verdict = 'accepted' | 'refused' | 'unlisted' | 'unknown';

export type KeyHealth = {
  /** Tries the key now. A new refusal is handled as in `noteVerdict`. Never rejects. */
  readonly check: (credential: Credential) => Promise<void>;
  /**
   * Records the outcome of a request. A refused key is tried once more, and the second outcome counts. Never throws,
   * never waits.
   */
  readonly noteVerdict: (credential: Credential, isAccepted: boolean) => void;
  /** Waits until pending verdicts are stored. Pending second tries are dropped. */
  readonly stop: () => Promise<void>;
};

/** Long enough for a short outage to end. */
const secondTryAfterMs = 60_000;
const workspacesMax = 10_000;

export function createKeyHealth(deps: KeyHealthDeps): KeyHealth {
  const { clock, waitForSecondTry = (ms, signal) => setTimeout(ms, undefined, { signal, ref: false }) } = deps;
  const recently = createLruCache<true>({ clock, ttlMs: secondTryAfterMs, entriesMax: workspacesMax });
  const stopping = new AbortController();
  const inFlight = new Set<Promise<void>>();
  const tryAgain = async (credential: Credential, refusedAt: number) => {
    await waitForSecondTry(secondTryAfterMs, stopping.signal).catch(() => undefined);
    if (!stopping.signal.aborted) await write(deps, credential, await ask(deps, credential), refusedAt);
  };
  const noteVerdict = (credential: Credential, isAccepted: boolean) => {
    const isNews = isAccepted === (credential.refusedSince !== null);
    const key = `${credential.version}:${isAccepted}`;
    if (!isNews || recently.get(key)) return;
    recently.set(key, true);
    const work = isAccepted ? write(deps, credential, 'accepted', clock()) : tryAgain(credential, clock());
    const noted = work.finally(() => inFlight.delete(noted));
    inFlight.add(noted);
  };
  return {
    check: async (credential) => {
      const verdict = await ask(deps, credential);
      if (verdict === 'refused' && credential.refusedSince === null) noteVerdict(credential, false);
      else await write(deps, credential, verdict, clock());
    },
    noteVerdict,
    stop: async () => {
      stopping.abort();
      await Promise.all(inFlight);
    },
  };
}

async function ask({ query, resolver, log }: KeyHealthDeps, credential: Credential): Promise<Verdict> {
  if (!resolver.isListed(credential)) return 'unlisted';
  try {
    const asking = query.forWorkspace(resolver.with(credential), { isFresh: true });
    await asking.organization();
    return 'accepted';
  } catch (error) {
    if (error instanceof AppError && error.code === 'unauthorized') return 'refused';
    log.warn({ teamId: credential.teamId, err: error }, 'API key of a workspace could not be checked');
    return 'unknown';
  }
}

/** @param at start of the verdict, epoch milliseconds. Never rejects. */
async function write(deps: KeyHealthDeps, credential: Credential, verdict: Verdict, at: number): Promise<void> {
  const { teamId } = credential;
  try {
    if (verdict === 'accepted') await deps.credentials.markAccepted(teamId, credential.version, at);
    if (verdict === 'refused' || verdict === 'unlisted') await noteRefusal(deps, credential, at);
    deps.resolver.stored.forget(teamId);
  } catch (err) {
    deps.log.error({ teamId, err }, 'health of an API key could not be stored');
  }
}

/** Longer than Slack takes for a notice. */
const noticeLeaseMs = 60_000;

async function noteRefusal(deps: KeyHealthDeps, credential: Credential, at: number): Promise<void> {
  const { teamId, version } = credential;
  await deps.credentials.markRefused(teamId, version, at);
  const lease = await deps.leases.take(teamId, `key notice ${version}`, noticeLeaseMs);
  if (!lease) return;
  try {
    const now = await deps.credentials.find(teamId);
    const isDue = now?.version === version && now.refusedSince !== null && now.notifiedAt === null;
    if (isDue) await notify(deps, now, now.refusedSince);
  } finally {
    await lease.release();
  }
}

/** If Slack refuses the message, or the process ends before it is sent, the next check of the key sends it. */
async function notify(
  { credentials, resolver, notifyPerson, clock, log }: KeyHealthDeps,
  credential: Credential,
  since: number,
): Promise<void> {
  const { teamId, version, connectedBy, organizationName: organization } = credential;
  const isListed = resolver.isListed(credential);
  const notice = keyRefusedMessage({ since, organization, isListed });
  const isNotified = await notifyPerson({ teamId, userId: connectedBy }, notice);
  if (isNotified) await credentials.markNotified(teamId, version, clock());
  log.warn({ teamId, isNotified, isListed }, 'the API key of a workspace no longer works');
}
