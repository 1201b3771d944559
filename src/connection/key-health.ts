/** Whether a stored key still works: tried again when it was refused, written down, and told once to whoever connected it. */
import type { Clock } from '../core/clock.ts';
import { AppError } from '../core/errors.ts';
import type { Logger } from '../core/log.ts';
import { createRecent } from '../core/recent.ts';
import type { QueryService } from '../query/service.ts';
import type { Credential, Credentials } from '../store/credentials.ts';
import { keyRefusedMessage } from '../views/key-refused.ts';
import type { Message } from '../views/kit/message.ts';
import type { Reach } from './reach.ts';

export type KeyHealthDeps = {
  readonly credentials: Pick<Credentials, 'markAccepted' | 'markRefused' | 'claimNotice'>;
  readonly reach: Pick<Reach, 'with' | 'stored'>;
  readonly query: Pick<QueryService, 'forWorkspace'>;
  /** Says something to one person, in direct messages. Never rejects. */
  readonly tell: (person: { readonly teamId: string; readonly userId: string }, message: Message) => Promise<boolean>;
  readonly clock: Clock;
  readonly log: Logger;
};

/** `unknown`: there was no answer that says so. */
export type Verdict = 'accepted' | 'refused' | 'unknown';

export type KeyHealth = {
  /** Asks the service, now. Never rejects */
  readonly check: (credential: Credential) => Promise<Verdict>;
  /** What came of an ordinary question: where it is news the key is tried once more, and that counts. Never throws, never waits */
  readonly noteVerdict: (credential: Credential, isAccepted: boolean) => void;
  /** Waits for what is under way. */
  readonly settled: () => Promise<void>;
};

/** A service that wavers makes no storm. */
const pauseMs = 60_000;
const workspacesMax = 10_000;

export function createKeyHealth(deps: KeyHealthDeps): KeyHealth {
  const recently = createRecent<true>({ clock: deps.clock, forMs: pauseMs, keysMax: workspacesMax });
  const underWay = new Set<Promise<unknown>>();
  const check = async (credential: Credential): Promise<Verdict> => {
    const verdict = await ask(deps, credential);
    try {
      await write(deps, credential, verdict);
    } catch (err) {
      deps.log.error({ teamId: credential.teamId, err }, 'state of a key could not be written down');
    }
    return verdict;
  };
  return {
    check,
    noteVerdict: (credential, isAccepted) => {
      const isNews = isAccepted === (credential.refusedSince !== null);
      const key = `${credential.version}:${isAccepted}`;
      if (!isNews || recently.get(key)) return;
      recently.set(key, true);
      const checking = check(credential).finally(() => underWay.delete(checking));
      underWay.add(checking);
    },
    settled: async () => {
      await Promise.all(underWay);
    },
  };
}

async function ask({ query, reach, log }: KeyHealthDeps, credential: Credential): Promise<Verdict> {
  try {
    const asking = query.forWorkspace(reach.with(credential), { isFresh: true, onWait: () => undefined });
    await asking.organization();
    return 'accepted';
  } catch (error) {
    if (error instanceof AppError && error.code === 'unauthorized') return 'refused';
    log.info({ teamId: credential.teamId, err: error }, 'a key could not be checked');
    return 'unknown';
  }
}

async function write(
  { credentials, reach, tell, clock, log }: KeyHealthDeps,
  { teamId, version, connectedBy }: Credential,
  verdict: Verdict,
): Promise<void> {
  const at = clock();
  if (verdict === 'unknown') return;
  if (verdict === 'accepted') await credentials.markAccepted(teamId, version, at);
  else await credentials.markRefused(teamId, version, at);
  reach.stored.forget(teamId);
  if (verdict === 'accepted' || !(await credentials.claimNotice(teamId, version, at))) return;
  const now = await reach.stored.of(teamId);
  const notice = keyRefusedMessage({ since: now?.refusedSince ?? at, organization: now?.organizationName ?? null });
  const isTold = await tell({ teamId, userId: connectedBy }, notice);
  log.warn({ teamId, isTold }, 'the query service refuses the key of a workspace');
}
