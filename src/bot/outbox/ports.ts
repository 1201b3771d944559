/** Port of the outbox to Slack, without Slack types. The Slack side implements it. */
import type { Message } from '../views/blocks/message.ts';

export type PostTarget = { readonly teamId: string; readonly channelId: string; readonly threadTs?: string };

/** `not_sent`: certainly nothing was posted. `content`: a simpler message may pass. `unknown`: it may stand there. */
export type Sent =
  | { readonly kind: 'posted'; readonly ts: string }
  | {
      readonly kind: 'not_sent' | 'content' | 'permanent' | 'unknown';
      /** Slack's own word, or ours; safe to log. */
      readonly error: string;
      /** How long Slack asked to wait. */
      readonly retryAfterMs?: number;
    };

/** `words`: the text alone, for when the blocks were refused. `unmarked`: without the metadata by which it would be found. */
export type SendForm = 'whole' | 'words' | 'unmarked';

export type FoundMessage = { readonly ts: string; readonly opaqueId: string };

/** `unreadable`: for good, such as for want of a scope. `later`: not now, such as beyond a rate limit. */
export type Unread = {
  readonly kind: 'unreadable' | 'later';
  readonly error: string;
  readonly retryAfterMs?: number;
};

/** Epoch milliseconds, both ends within. */
export type TimeRange = { readonly from: number; readonly to: number };

export type Person = { readonly teamId: string; readonly userId: string };

/** Nothing here rejects. */
export type DigestPosting = {
  /** Exactly one call, given up after its deadline and never repeated. @param opaqueId goes into the message's metadata */
  readonly send: (to: PostTarget, message: Message, opaqueId: string, form?: SendForm) => Promise<Sent>;
  /** All that stands there of ours: in the channel, or in the thread. Every page is read, or none counts. */
  readonly find: (to: PostTarget, range: TimeRange) => Promise<readonly FoundMessage[] | Unread>;
  /** @returns whether it is gone */
  readonly remove: (to: PostTarget, ts: string) => Promise<boolean>;
  /** A direct message. @returns whether Slack took it */
  readonly notifyUser: (person: Person, message: Message) => Promise<boolean>;
};

/** What one occurrence posts. */
export type DigestMessages = {
  readonly root: Message;
  /** Below the root, in this order; a name stands for one reply for good. */
  readonly replies: readonly { readonly name: string; readonly message: Message }[];
  /** Why it could not look, in a word, where that is all it says. */
  readonly checkError?: string;
};
