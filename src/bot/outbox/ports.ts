/** Port of the outbox to Slack, without Slack types. The Slack side implements it. */
import type { Person } from '../domain/person.ts';
import type { Failure } from '../domain/slack-errors.ts';
import type { Message } from '../views/blocks/message.ts';

export type PostTarget = { readonly teamId: string; readonly channelId: string; readonly threadTs?: string };

export type Sent = { readonly kind: 'posted'; readonly ts: string } | Failure;

/**
 * `lists`: without tables, plans and charts. `text`: the text alone, after Slack refused the blocks. `unmarked`: as
 * `lists`, without the metadata by which a message is found.
 */
export type MessageVariant = 'whole' | 'lists' | 'text' | 'unmarked';

export type FoundIn = readonly FoundMessage[] | ReplyCount | Unread;

export type FoundMessage = { readonly ts: string; readonly opaqueId: string };

/** `unreadable`: never, such as without a scope. `later`: not now, such as beyond a rate limit. */
export type Unread = {
  readonly kind: 'unreadable' | 'later';
  readonly error: string;
  readonly retryAfterMs?: number;
};

/** Slack does not show the replies of a thread, only their number and the last one's `ts`. */
export type ReplyCount = { readonly kind: 'counted'; readonly count: number; readonly lastTs: string };

/** Epoch milliseconds, both ends included. */
export type TimeRange = { readonly from: number; readonly to: number };

/** No method rejects. */
export type OutboxPosting = {
  /** Exactly one call with a deadline, never repeated. @param opaqueId goes into the message's metadata */
  readonly send: (to: PostTarget, message: Message, opaqueId: string, variant?: MessageVariant) => Promise<Sent>;
  /**
   * Finds the bot's own messages in the channel, or in the thread. Reads every page, or returns none.
   * @param waitMsMax limit for all waits that Slack's rate needs
   */
  readonly find: (to: PostTarget, range: TimeRange, waitMsMax: number) => Promise<FoundIn>;
  /** @returns whether the message is gone */
  readonly remove: (to: PostTarget, ts: string) => Promise<boolean>;
  /** A direct message. @returns whether Slack took it */
  readonly notifyUser: (person: Person, message: Message) => Promise<boolean>;
};

/** The messages of one occurrence. */
export type DigestMessages = {
  readonly root: Message;
  /** In the thread of the root, in this order. The name of a reply never changes. */
  readonly replies: readonly { readonly name: string; readonly message: Message }[];
  /** Why the digest says that it could not check, in a word. */
  readonly checkError?: string;
};
