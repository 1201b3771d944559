/** Sends the next step to the person who installed the bot: stored as owed with the installation, sent once, also after a crash. */
import type { Logger } from '../../../shared/log/logger.ts';
import type { Clock } from '../../../shared/time/clock.ts';
import type { OwedWelcome } from '../../store/repositories/welcomes.ts';
import type { Store } from '../../store/store.ts';
import { installedMessage } from '../../views/notices/workspace-notices.ts';
import type { Posting } from '../outbound/delivery/posting.ts';
import type { MessageTarget } from '../outbound/web-api/client.ts';
import { describe } from '../outbound/web-api/errors.ts';
import type { FindPost } from '../outbound/web-api/find-post.ts';
import type { Mark } from '../outbound/web-api/history.ts';
import type { TokenRefresh } from './token-refresh.ts';

export type WelcomeDeps = {
  readonly store: Pick<Store, 'credentials' | 'installations' | 'leases' | 'welcomes'>;
  readonly tokens: Pick<TokenRefresh, 'current'>;
  readonly posting: Pick<Posting, 'directChannel' | 'post'>;
  readonly findPost: FindPost;
  readonly clock: Clock;
  readonly log: Logger;
  /** Includes the leading slash. */
  readonly slashCommand: string;
};

export type Welcome = {
  /** Sends what is owed in one installation. Never rejects. */
  readonly send: (id: string) => Promise<void>;
  /** Sends what earlier processes left, and what Slack did not take. Never rejects. */
  readonly sendAll: () => Promise<void>;
};

/** Longer than one attempt takes, a slow history included. */
const leaseMs = 5 * 60_000;
/** A later one would surprise. */
const owedMsMax = 24 * 60 * 60_000;

export function createWelcome(deps: WelcomeDeps): Welcome {
  const { store, log } = deps;
  const sendOnce = async (id: string) => {
    const lease = await store.leases.take(id, 'welcome', leaseMs);
    if (!lease) return;
    try {
      const owed = await store.welcomes.find(id);
      if (owed && (await isSettled(deps, id, owed))) await store.welcomes.settle(id, owed.dueAt);
    } finally {
      await lease.release();
    }
  };
  const send = (id: string) =>
    sendOnce(id).catch((error: unknown) =>
      log.warn({ teamId: id, error: describe(error) }, 'welcome was not sent yet'),
    );
  return {
    send,
    sendAll: async () => {
      const owed = await store.welcomes.list().catch((error: unknown) => {
        log.warn({ error: describe(error) }, 'the list of welcome messages still to be sent could not be read');
        return [];
      });
      for (const id of owed) await send(id);
    },
  };
}

/** @returns true if it was sent, or never will be */
async function isSettled(deps: WelcomeDeps, id: string, owed: OwedWelcome): Promise<boolean> {
  const { store, tokens, posting, clock, log } = deps;
  const [installation, current] = [await store.installations.find(id), await tokens.current(id)];
  if (!installation || current.kind !== 'current' || clock() - owed.dueAt > owedMsMax) return true;
  const { botToken } = current.tokens;
  const channelId = await posting.directChannel(botToken, installation.installedBy);
  if (channelId === undefined) return false;
  const target: MessageTarget = { botToken, channelId };
  const mark = { subject: `welcome ${owed.dueAt}`, part: 'welcome' };
  if (owed.startedAt !== null) {
    const found = await deps.findPost(target, mark, owed.startedAt);
    if (found.kind !== 'absent') return found.kind === 'posted';
  }
  return post(deps, { id, owed, target, mark, isOrganization: isOrganization(id, installation) }).then((sent) => {
    if (sent.kind === 'posted') return true;
    log.warn({ teamId: id, error: sent.error, class: sent.kind }, 'welcome was not sent');
    return sent.kind === 'permanent' || sent.kind === 'content';
  });
}

type Post = {
  readonly id: string;
  readonly owed: OwedWelcome;
  readonly target: MessageTarget;
  readonly mark: Mark;
  readonly isOrganization: boolean;
};

async function post({ store, posting, clock, slashCommand }: WelcomeDeps, { id, owed, target, mark, ...view }: Post) {
  const isConnected = (await store.credentials.find(id))?.hasKey ?? false;
  await store.welcomes.start(id, owed.dueAt, clock());
  return posting.post(target, installedMessage({ slashCommand, isConnected, ...view }), mark);
}

function isOrganization(
  id: string,
  {
    enterpriseId,
    isEnterpriseInstall,
  }: { readonly enterpriseId: string | null; readonly isEnterpriseInstall: boolean },
): boolean {
  return isEnterpriseInstall && enterpriseId === id;
}
