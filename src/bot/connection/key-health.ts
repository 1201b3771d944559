/** Whether a stored key still works: tried again when it was refused, written down, and told once to whoever connected it. */
import { setTimeout } from 'node:timers/promises';
import { createLruCache } from '../../shared/cache/lru-cache.ts';
import { AppError } from '../../shared/errors.ts';
import type { Logger } from '../../shared/log/logger.ts';
import type { Clock } from '../../shared/time/clock.ts';
import type { Person } from '../domain/person.ts';
import type { QueryService } from '../query/service.ts';
import type { Credential, Credentials } from '../store/repositories/credentials.ts';
import type { Message } from '../views/blocks/message.ts';
import { keyRefusedMessage } from '../views/notices/workspace-notices.ts';
import type { CredentialResolver } from './credential-resolver.ts';

export type KeyHealthDeps = {
  /** Before a key that was refused is tried once more; a timer where left out. Ends early when the signal says so. */
  readonly waitForSecondTry?: (ms: number, signal: AbortSignal) => Promise<unknown>;
  readonly credentials: Pick<Credentials, 'markAccepted' | 'markRefused' | 'claimNotice' | 'giveNoticeBack'>;
  readonly resolver: Pick<CredentialResolver, 'with' | 'stored' | 'isListed'>;
  readonly query: Pick<QueryService, 'forWorkspace'>;
  /** Says something to one person, in direct messages. Never rejects. */
  readonly tell: (person: Person, message: Message) => Promise<boolean>;
  readonly clock: Clock;
  readonly log: Logger;
};

/** `unlisted`: nobody was asked, as the operator lists its service no more. `unknown`: there was no answer that says so. */
type Verdict = 'accepted' | 'refused' | 'unlisted' | 'unknown';

export type KeyHealth = {
  /** Asks the service, now. A refusal that is news is taken as below. Never rejects */
  readonly check: (credential: Credential) => Promise<void>;
  /** What came of a question. One refusal is no verdict: the key is tried once more, and that counts. Never throws, never waits */
  readonly noteVerdict: (credential: Credential, isAccepted: boolean) => void;
  /** Waits until what was learnt is written down; keys that were refused a moment ago are not tried any more. */
  readonly stop: () => Promise<void>;
};

/** A service that wavers is well again by then. */
const secondTryAfterMs = 60_000;
const workspacesMax = 10_000;

export function createKeyHealth(deps: KeyHealthDeps): KeyHealth {
  const { clock, waitForSecondTry = (ms, signal) => setTimeout(ms, undefined, { signal, ref: false }) } = deps;
  const recently = createLruCache<true>({ clock, ttlMs: secondTryAfterMs, entriesMax: workspacesMax });
  const stopping = new AbortController();
  const underWay = new Set<Promise<void>>();
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
    const noted = work.finally(() => underWay.delete(noted));
    underWay.add(noted);
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
      await Promise.all(underWay);
    },
  };
}

async function ask({ query, resolver, log }: KeyHealthDeps, credential: Credential): Promise<Verdict> {
  if (!resolver.isListed(credential)) return 'unlisted';
  try {
    const asking = query.forWorkspace(resolver.with(credential), { isFresh: true, onWait: () => undefined });
    await asking.organization();
    return 'accepted';
  } catch (error) {
    if (error instanceof AppError && error.code === 'unauthorized') return 'refused';
    log.info({ teamId: credential.teamId, err: error }, 'a key could not be checked');
    return 'unknown';
  }
}

/** @param at since when it is so. Never rejects */
async function write(deps: KeyHealthDeps, credential: Credential, verdict: Verdict, at: number): Promise<void> {
  const { teamId } = credential;
  try {
    if (verdict === 'accepted') await deps.credentials.markAccepted(teamId, credential.version, at);
    if (verdict === 'refused' || verdict === 'unlisted') await noteRefusal(deps, credential, at);
    deps.resolver.stored.forget(teamId);
  } catch (err) {
    deps.log.error({ teamId, err }, 'state of a key could not be written down');
  }
}

/** Of all who notice it, in any process, one tells; where Slack does not take it, whoever tries the key next. */
async function noteRefusal(
  { credentials, resolver, tell, clock, log }: KeyHealthDeps,
  credential: Credential,
  at: number,
): Promise<void> {
  const { teamId, version, connectedBy, organizationName: organization, refusedSince } = credential;
  await credentials.markRefused(teamId, version, at);
  if (!(await credentials.claimNotice(teamId, version, clock()))) return;
  const isListed = resolver.isListed(credential);
  const notice = keyRefusedMessage({ since: refusedSince ?? at, organization, isListed });
  const isTold = await tell({ teamId, userId: connectedBy }, notice);
  if (!isTold) await credentials.giveNoticeBack(teamId, version);
  log.warn({ teamId, isTold, isListed }, 'the key of a workspace is of no use any more');
}
