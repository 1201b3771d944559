/** The services that the digest commands work with. */
import type { Person } from '../../domain/person.ts';
import type { SubscriptionPlan } from '../../domain/subscription.ts';
import type { AuditedChange } from '../../store/audit-recorder.ts';
import type { Outbox } from '../../store/repositories/outbox.ts';
import type { Subscriptions } from '../../store/repositories/subscriptions.ts';
import type { Message } from '../../views/blocks/message.ts';
import type { ChosenWorkflowsOf } from '../lookup/chosen-workflows.ts';

export type DigestServices = {
  readonly subscriptions: Subscriptions;
  readonly outbox: Pick<Outbox, 'now' | 'page'>;
  /** Starts the next round of deliveries at once, so that a requested digest does not wait for it. */
  readonly wake: () => void;
  readonly channels: ChannelCalls;
  /** The workflows that plans chose one by one, as far as their names are known at once. */
  readonly chosen: ChosenWorkflowsOf;
  /** Builds the digest as it would be posted; null if there is nothing to post. @throws AppError if the query service cannot answer */
  readonly build: (teamId: string, plan: SubscriptionPlan, window: PreviewWindow) => Promise<PreviewMessages | null>;
  readonly audited: AuditedChange;
};

/** Calls to Slack about a channel, for one person. Never rejects. */
export type ChannelCalls = {
  /** Shows the message to this person alone, where a digest would be posted. */
  readonly showIn: (person: Person, channelId: string, message: Message) => Promise<ShownIn>;
  /** @returns the address of a message; undefined if Slack does not return one */
  readonly linkTo: (person: Person, channelId: string, ts: string) => Promise<string | undefined>;
  /** @returns the reason code if the audience of the channel prevents posts; undefined if nothing does */
  readonly withheldIn: (person: Person, channelId: string) => Promise<string | undefined>;
};

/** `error`: Slack's error code. */
type ShownIn = { readonly kind: 'shown' | 'unknown' } | { readonly kind: 'refused'; readonly error: string };

/** Epoch milliseconds. */
type PreviewWindow = { readonly from: number; readonly to: number };

/** The root message and its replies. */
export type PreviewMessages = {
  readonly root: Message;
  readonly replies: readonly { readonly name: string; readonly message: Message }[];
};
