/** Sends the next step to the person who installed the bot: owed since the installation, sent once, also after a crash. */
import type { Logger } from '../../../shared/log/logger.ts';
import type { Clock } from '../../../shared/time/clock.ts';
import { withLease } from '../../outbox/heartbeat.ts';
import { MessagePoster, type OpenDeps, posterDeps } from '../../outbox/message-poster.ts';
import { type OpenDelivery, rootName } from '../../store/outbox/delivery.ts';
import type { PendingDelivery } from '../../store/outbox/open-delivery.ts';
import type { Installation } from '../../store/repositories/installations.ts';
import type { Store } from '../../store/store.ts';
import { installedMessage } from '../../views/notices/workspace-notices.ts';
import type { Posting } from '../outbound/delivery/posting.ts';
import { describe } from '../outbound/web-api/errors.ts';
import type { TokenRefresh } from './token-refresh.ts';

export type WelcomeDeps = OpenDeps & {
  readonly store: Pick<Store, 'credentials' | 'installations' | 'outbox'>;
  readonly tokens: TokenRefresh;
  readonly posting: Pick<Posting, 'directChannel'>;
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

/** A later one would surprise. */
const owedMsMax = 24 * 60 * 60_000;

export function createWelcome(deps: WelcomeDeps): Welcome {
  const { outbox } = deps.store;
  const logged = (error: unknown) => deps.log.warn({ error: describe(error) }, 'welcome was not sent yet');
  const sendOwed = async (id?: string) => {
    for (const owed of await outbox.pending('welcome', id)) await send(deps, owed).catch(logged);
  };
  return {
    send: (id) => sendOwed(id).catch(logged),
    sendAll: () => sendOwed().catch(logged),
  };
}

async function send(deps: WelcomeDeps, { key, dueAt }: PendingDelivery): Promise<void> {
  const { store, tokens, posting, clock } = deps;
  const { teamId, subject: userId } = key;
  const [installation, current] = [await store.installations.find(teamId), await tokens.current(teamId)];
  const isWanted = installation && current.kind === 'token' && clock() - dueAt <= owedMsMax;
  const channelId = isWanted ? await posting.directChannel(current.botToken, userId) : '';
  if (channelId === undefined) return;
  const poster = posterDeps(deps);
  const claim = await store.outbox.open(key, { channelId, leaseMs: poster.timing.leaseMs });
  if (claim.kind !== 'mine') return;
  const work = isWanted ? () => post(deps, claim.delivery, installation) : async () => true;
  await withLease(poster, claim.delivery, work, (isDone) => isDone);
}

/** @returns true if it was sent, or never will be */
async function post(deps: WelcomeDeps, delivery: OpenDelivery, installation: Installation): Promise<boolean> {
  const { teamId } = delivery.key;
  const isConnected = (await deps.store.credentials.find(teamId))?.hasKey ?? false;
  const isOrganization = installation.isEnterpriseInstall && installation.enterpriseId === teamId;
  const message = installedMessage({ slashCommand: deps.slashCommand, isConnected, isOrganization });
  const poster = new MessagePoster(posterDeps(deps), delivery);
  if (!(await poster.add([rootName]))) return false;
  const sent = await poster.post(rootName, message, null);
  if (sent.kind === 'sent' || sent.kind === 'passed') return sent.kind === 'sent';
  deps.log.warn({ teamId, error: sent.error, class: sent.kind }, 'welcome was not sent');
  return sent.kind === 'refused' || sent.kind === 'uncertain';
}
