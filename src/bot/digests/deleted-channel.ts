/** Removes the digests of a deleted channel and notifies their owners. */
import type { Logger } from '../../shared/log/logger.ts';
import type { Subscription } from '../domain/subscription.ts';
import type { OutboxPosting } from '../outbox/ports.ts';
import type { AuditLog } from '../store/audit-recorder.ts';
import type { Store } from '../store/store.ts';
import { digestEndedMessage } from '../views/notices/digest-notices.ts';

type ChannelId = { readonly teamId: string; readonly channelId: string };

type DeletedChannelServices = {
  readonly store: Store;
  readonly audit: AuditLog;
  readonly notifyUser: OutboxPosting['notifyUser'];
  readonly log: Logger;
};

/** May be called again for the same channel, by several processes at once. Rejects while the store does not answer. */
export async function endDigestsIn(channel: ChannelId, services: DeletedChannelServices): Promise<void> {
  const { store } = services;
  const all = await store.subscriptions.list(channel.teamId);
  for (const subscription of all.filter(({ channelId }) => channelId === channel.channelId)) {
    await end(subscription, services);
  }
  await store.outbox.forgetThreadsIn(channel);
}

/** Longer than Slack takes for a notice. */
const leaseMs = 60_000;

/**
 * The owner is notified before the removal. If the process ends in between, the digest is removed by the next event, or
 * its next message fails, and the owner is notified again.
 */
async function end(
  { teamId, id, channelId, createdBy }: Subscription,
  { store, audit, notifyUser, log }: DeletedChannelServices,
): Promise<void> {
  const lease = await store.leases.take(teamId, `end digest ${id}`, leaseMs);
  if (!lease) return;
  try {
    // Another process has ended it if it is gone by now.
    if (!(await store.subscriptions.find(teamId, id))) return;
    const isNotified = await notifyUser({ teamId, userId: createdBy }, digestEndedMessage({ channelId }));
    await audit.audited(async ({ subscriptions }, record) => {
      if (!(await subscriptions.remove(teamId, id))) return;
      const why = 'the channel was deleted';
      await record({ teamId, userId: null }, 'digest removed', { in: channelId, id, why });
    });
    log.info({ teamId, subscriptionId: id, channelId, isNotified }, 'a digest ended with its channel');
  } finally {
    await lease.release();
  }
}
