/** What a channel and a thread have in common. */
import type { Model } from '../model/model.ts';
import type { Viewer } from '../model/viewer.ts';
import type { PageChannel, PageMessage, PageState } from '../protocol.ts';
import type { MessageHands } from './message-tools.ts';

export type Place = {
  readonly state: PageState;
  readonly viewer: Viewer;
  /** All of the channel's. */
  readonly messages: readonly PageMessage[];
  readonly hands: MessageHands;
  /** What was typed and sent, oldest first. */
  readonly sent: readonly string[];
  readonly drafts: Map<string, string>;
  readonly send: (text: string, threadTs: string | null) => void;
  /** How many commands are still being answered. */
  readonly waiting: number;
  /** Of the message to be shown, wherever it stands. */
  readonly targetTs: string | null;
  readonly stream: Model['stream'];
};

/** Whether the bot hears what is said there. */
export function hasBot({ memberIds }: PageChannel, { app }: PageState): boolean {
  return memberIds.includes(app.botUserId);
}
