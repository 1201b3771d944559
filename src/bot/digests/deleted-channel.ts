/** Removes the digests of a deleted channel and notifies their owners. */
import type { Logger } from '../../shared/log/logger.ts';
import type { Subscription } from '../domain/subscription.ts';
import type { OutboxPosting } from '../outbox/ports.ts';
import type { AuditedChange } from '../store/audit-recorder.ts';
import type { Leases } from '../store/repositories/leases.ts';
import type { Outbox } from '../store/repositories/outbox.ts';
import type { Subscriptions } from '../store/repositories/subscriptions.ts';
import { digestEndedMessage } from '../views/notices/digest-notices.ts';

type ChannelId = { readonly teamId: string; readonly channelId: string };

export type DeletedChannelDeps = {
  readonly subscriptions: Pick<Subscriptions, 'find' | 'list'>;
  readonly outbox: Pick<Outbox, 'forgetThreadsIn'>;
  readonly posting: Pick<OutboxPosting, 'notifyUser'>;
  readonly audited: AuditedChange;
  readonly leases: Pick<Leases, 'take'>;
  readonly log: Logger;
};

/** May be called again for the same channel, by several processes at once. Rejects while the store does not answer. */
export type EndChannel = (channel: ChannelId) => Promise<void>;

export function createEndChannel(deps: DeletedChannelDeps): EndChannel {
  return async (channel) => {
    const { teamId, channelId } = channel;
    const all = await deps.subscriptions.list(teamId);
    for (const subscription of all.filter((each) => each.channelId === channelId)) await end(deps, subscription);
    await deps.outbox.forgetThreadsIn(channel);
  };
}

/** Longer than Slack takes for a notice. */
const leaseMs = 60_000;

/**
 * The owner is notified before the removal. If the process ends in between, the digest is removed by the next event, or
 * its next message fails, and the owner is notified again.
 */
async function end(deps: DeletedChannelDeps, { teamId, id, channelId, createdBy }: Subscription): Promise<void> {
  const lease = await deps.leases.take(teamId, `end digest ${id}`, leaseMs);
  if (!lease) return;
  try {
    // Another process has ended it if it is gone by now.
    if (!(await deps.subscriptions.find(teamId, id))) return;
    const isNotified = await deps.posting.notifyUser({ teamId, userId: createdBy }, digestEndedMessage({ channelId }));
    await deps.audited(async ({ subscriptions }, record) => {
      if (!(await subscriptions.remove(teamId, id))) return;
      const why = 'the channel was deleted';
      await record({ teamId, userId: null }, 'digest removed', { in: channelId, id, why });
    });
    deps.log.info({ teamId, subscriptionId: id, channelId, isNotified }, 'a digest ended with its channel');
  } finally {
    await lease.release();
  }
}
