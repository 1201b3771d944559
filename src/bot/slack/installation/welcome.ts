/** Sends the next step to the person who installed the bot: owed since the installation, sent once, also after a crash. */
import { withLease } from '../../outbox/heartbeat.ts';
import { MessagePoster, posterServices } from '../../outbox/message-poster.ts';
import type { DeliveryServices } from '../../outbox/results.ts';
import { type OpenDelivery, rootName } from '../../store/outbox/delivery.ts';
import type { PendingDelivery } from '../../store/outbox/open-delivery.ts';
import type { Installation } from '../../store/repositories/installations.ts';
import type { Store } from '../../store/store.ts';
import { installedMessage } from '../../views/notices/workspace-notices.ts';
import { describe } from '../outbound/web-api/errors.ts';
import type { SlackCalls } from './services.ts';
import type { TokenRefresh } from './token-refresh.ts';

/** A later one would surprise. */
const owedMsMax = 24 * 60 * 60_000;

/** No method rejects. */
export class Welcome {
  readonly #calls: SlackCalls;
  readonly #store: Store;
  readonly #tokens: TokenRefresh;
  readonly #poster: DeliveryServices;

  constructor(calls: SlackCalls, store: Store, tokens: TokenRefresh) {
    this.#calls = calls;
    this.#store = store;
    this.#tokens = tokens;
    this.#poster = posterServices(calls, store);
  }

  /** Sends what is owed in one installation; without an id, what earlier processes left and what Slack did not take. */
  async send(id?: string): Promise<void> {
    const logged = (error: unknown) =>
      this.#calls.runtime.log.warn({ error: describe(error) }, 'welcome was not sent yet');
    try {
      for (const owed of await this.#store.outbox.pending('welcome', id)) await this.#sendOne(owed).catch(logged);
    } catch (error) {
      logged(error);
    }
  }

  async #sendOne({ key, dueAt }: PendingDelivery): Promise<void> {
    const { posting, runtime } = this.#calls;
    const { teamId, subject: userId } = key;
    const installation = await this.#store.installations.find(teamId);
    const current = await this.#tokens.current(teamId);
    const isWanted = installation && current.kind === 'token' && runtime.clock() - dueAt <= owedMsMax;
    const channelId = isWanted ? await posting.directChannel(current.botToken, userId) : '';
    if (channelId === undefined) return;
    const claim = await this.#store.outbox.open(key, { channelId, leaseMs: this.#poster.timing.leaseMs });
    if (claim.kind !== 'mine') return;
    const work = isWanted ? () => this.#post(claim.delivery, installation) : async () => true;
    await withLease(this.#poster, claim.delivery, work, (isDone) => isDone);
  }

  /** @returns true if it was sent, or never will be */
  async #post(delivery: OpenDelivery, installation: Installation): Promise<boolean> {
    const { runtime, slashCommand } = this.#calls;
    const { teamId } = delivery.key;
    const isConnected = (await this.#store.credentials.find(teamId)) !== undefined;
    const isOrganization = installation.isEnterpriseInstall && installation.enterpriseId === teamId;
    const message = installedMessage({ slashCommand, isConnected, isOrganization });
    const poster = new MessagePoster(this.#poster, delivery);
    if (!(await poster.add([rootName]))) return false;
    const sent = await poster.post(rootName, message, null);
    if (sent.kind === 'sent' || sent.kind === 'passed') return sent.kind === 'sent';
    runtime.log.warn({ teamId, error: sent.error, class: sent.kind }, 'welcome was not sent');
    return sent.kind === 'refused' || sent.kind === 'uncertain';
  }
}
