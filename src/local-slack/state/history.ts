/** The messages of one workspace: bounded, with visibility per person, and an event for every change. */
import type { Clock } from '../../shared/time/clock.ts';
import type { PageMessage } from '../page/protocol.ts';
import { createEmitter, type Emitter } from './emitter.ts';
import type { Records } from './storage.ts';

export type SlackMessage = PageMessage & {
  /** The only person who sees it; null for everyone in the channel. */
  readonly viewer: string | null;
  /** The app's metadata; invisible to people. */
  readonly metadata: unknown;
};

/** A new message: public, outside threads, without blocks, files and metadata by default. */
export type Draft = Pick<SlackMessage, 'channel' | 'user' | 'text'> &
  Partial<Pick<SlackMessage, 'threadTs' | 'blocks' | 'viewer' | 'metadata' | 'files'>>;

const draftDefaults = { threadTs: null, blocks: [], viewer: null, metadata: null, files: [] } as const;

export type HistoryEvent =
  | { readonly type: 'posted' | 'changed'; readonly message: SlackMessage }
  | { readonly type: 'removed'; readonly message: SlackMessage };

export type History = {
  readonly events: Emitter<HistoryEvent>;
  /** @param visibleAfter hides the message until the promise settles; visible at once by default */
  readonly post: (draft: Draft, visibleAfter?: Promise<unknown>) => SlackMessage;
  /** Replaces content of a message. As in Slack, only changed text or blocks of a public message mark it as edited. */
  readonly change: (
    message: SlackMessage,
    change: Partial<Pick<SlackMessage, 'text' | 'blocks' | 'metadata' | 'files' | 'unfurls'>>,
  ) => SlackMessage;
  readonly remove: (message: SlackMessage) => void;
  readonly find: (channel: string, ts: string) => SlackMessage | undefined;
  /** Lists messages, oldest first. */
  readonly list: (channel: string) => readonly SlackMessage[];
};

/** Limit the memory and the file of a bot that runs for a month. */
const messagesMax = 2000;
const unitsMax = 32 * 1_048_576;

/** @param records keeps the messages, those of earlier runs included */
export function createHistory(clock: Clock, records: Records<SlackMessage>): History {
  const events = createEmitter<HistoryEvent>();
  const hidden = new Set<string>();
  const { messages, put, discard } = createMessages(records);
  const nextTs = createTimestamps(clock, [...messages.values()]);
  const show = (message: SlackMessage) => {
    const current = messages.get(keyOf(message));
    if (hidden.delete(keyOf(message)) && current) events.emit({ type: 'posted', message: current });
  };

  return {
    events,
    post: (draft, visibleAfter) => {
      const content = { ...draftDefaults, ...draft };
      const message = { ...content, ts: nextTs(), isEphemeral: content.viewer !== null, isEdited: false };
      put(message);
      hidden.add(keyOf(message));
      if (visibleAfter) void visibleAfter.catch(() => undefined).then(() => show(message));
      else show(message);
      return message;
    },
    change: (message, change) => {
      const isContent = change.files === undefined && change.unfurls === undefined;
      const isEdited = message.isEdited || (!message.isEphemeral && isContent);
      const changed = { ...message, ...change, isEdited };
      put(changed);
      if (!hidden.has(keyOf(message))) events.emit({ type: 'changed', message: changed });
      return changed;
    },
    remove: (message) => {
      const wasVisible = !hidden.delete(keyOf(message));
      if (discard(keyOf(message)) && wasVisible) events.emit({ type: 'removed', message });
    },
    find: (channel, ts) => messages.get(key(channel, ts)),
    list: (channel) =>
      [...messages.values()].filter((message) => message.channel === channel && !hidden.has(keyOf(message))),
  };
}

const key = (channel: string, ts: string) => `${channel}:${ts}`;
const keyOf = ({ channel, ts }: SlackMessage) => key(channel, ts);

/** The messages by key, oldest first, in memory and in their records. Beyond the limits the oldest are discarded. */
function createMessages(records: Records<SlackMessage>) {
  const messages = new Map(records.list().map((message) => [keyOf(message), message]));
  const unitsOf = ({ text, blocks }: SlackMessage) => text.length + JSON.stringify(blocks).length;
  let units = [...messages.values()].reduce((sum, message) => sum + unitsOf(message), 0);
  const discard = (id: string): boolean => {
    const message = messages.get(id);
    if (!message) return false;
    units -= unitsOf(message);
    records.remove(id);
    return messages.delete(id);
  };
  const put = (message: SlackMessage) => {
    const id = keyOf(message);
    const before = messages.get(id);
    units += unitsOf(message) - (before ? unitsOf(before) : 0);
    messages.set(id, message);
    records.put(id, message);
    for (const oldest of messages.keys()) {
      if (oldest === id || (messages.size <= messagesMax && units <= unitsMax)) return;
      discard(oldest);
    }
  };
  return { messages, put, discard };
}

/**
 * Slack's `ts`: seconds with six decimals, unique and increasing even when the clock stops or steps back.
 * @param earlier messages, after which all others come
 */
function createTimestamps(clock: Clock, earlier: readonly SlackMessage[]): () => string {
  let last = Math.max(0, ...earlier.map(({ ts }) => Number(ts.replace('.', ''))));
  return () => {
    last = Math.max(clock() * 1000, last + 1);
    return `${Math.floor(last / 1_000_000)}.${String(last % 1_000_000).padStart(6, '0')}`;
  };
}
