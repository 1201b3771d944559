/** The playground's sample digest, due within two minutes after the start. */
import { nextDue } from '../../bot/domain/schedule.ts';
import type { SubscriptionPlan } from '../../bot/domain/subscription.ts';
import type { Store } from '../../bot/store/store.ts';
import { deleteMessage, postUserMessage } from '../../local-slack/interactions/messages.ts';
import type { LocalSlack } from '../../local-slack/server/local-slack.ts';
import { visibleMessages, type Workspace } from '../../local-slack/state/workspace.ts';

export type SampleDigest = {
  readonly channelId: string;
  readonly channelName: string;
  /** Time of day in the first admin's time zone, such as `09:02`. */
  readonly time: string;
  /** IANA's name, such as `Europe/Berlin`. */
  readonly zone: string;
};

const channelName = 'ops-alerts';
const minuteMs = 60_000;
/**
 * Creates the digest at the first start and reschedules it at each later one. A paused digest stays paused.
 * @returns undefined if no digest is due
 */
export async function planSampleDigest(
  { subscriptions, outbox }: Pick<Store, 'subscriptions' | 'outbox'>,
  { teamId, botUserId, people, channels }: Workspace,
): Promise<SampleDigest | undefined> {
  const channelId = channels.find(({ name }) => name === channelName)?.id;
  const zone = people.find(({ isAdmin }) => isAdmin)?.timeZone;
  if (channelId === undefined || zone === undefined) return undefined;
  const now = await outbox.now();
  const time = new Date(soon(now)).toLocaleTimeString('en-GB', { timeZone: zone, timeStyle: 'short' });
  const plan: SubscriptionPlan = {
    channelId,
    schedule: { time, weekdays: [1, 2, 3, 4, 5, 6, 7], zone },
    workflows: { kind: 'all' },
    hasAllClear: true,
    onUncertain: 'hold',
  };
  const own = (await subscriptions.list(teamId)).find(({ createdBy }) => createdBy === botUserId);
  if (own?.pause) return undefined;
  const next = nextDue(plan.schedule, { at: now });
  if (own) await subscriptions.change(teamId, own.id, plan, next);
  else await subscriptions.create(teamId, plan, { userId: botUserId, at: now }, next);
  return { channelId, channelName, time, zone };
}

/** @returns the next whole minute that is far enough away, since a digest arrives up to 50 s after its time */
function soon(now: number): number {
  return (Math.floor(now / minuteMs) + 1) * minuteMs;
}

const announcement = 'I have set up a digest here';

/** Posts the admin's message about the digest, in place of those of earlier runs. */
export function announce({ channelId, time, zone }: SampleDigest, slack: LocalSlack, slashCommand: string): void {
  const workspace = slack.workspaces.first;
  const user = workspace.people.find(({ isAdmin }) => isAdmin)?.id ?? '';
  for (const { ts, text, user: author } of visibleMessages(workspace, channelId, user)) {
    if (author === user && text.startsWith(announcement)) deleteMessage({ user, channel: channelId, ts }, slack);
  }
  const text = `${announcement}: it comes at ${time} (${zone}), today and every day. \`${slashCommand} digest now\` posts one at once.`;
  postUserMessage({ user, channel: channelId, text }, slack);
}
