/** The messages of one workspace: bounded, with visibility per person, and an event for every change. */
import type { Clock } from '../../shared/time/clock.ts';
import type { PageMessage } from '../page/protocol.ts';
import { Emitter } from './emitter.ts';

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

type Change = Partial<Pick<SlackMessage, 'text' | 'blocks' | 'metadata' | 'files' | 'unfurls'>>;

export type HistoryEvent = { readonly type: 'posted' | 'changed' | 'removed'; readonly message: SlackMessage };

/** Limit the memory and the file of a bot that runs for a month. Beyond them the oldest messages are discarded. */
const messagesMax = 2000;
const unitsMax = 32 * 1_048_576;

export class History {
  readonly events = new Emitter<HistoryEvent>();
  /** The last `ts` as a number. */
  lastMicroseconds: number;
  readonly #clock: Clock;
  /** By key, oldest first. */
  readonly #messages: Map<string, SlackMessage>;
  /** Keys of messages that are not visible yet. */
  readonly #hidden = new Set<string>();
  #units: number;

  /** @param messages those of earlier runs; all later ones come after them */
  constructor(clock: Clock, messages: Map<string, SlackMessage>) {
    this.#clock = clock;
    this.#messages = messages;
    const earlier = [...messages.values()];
    this.#units = earlier.reduce((sum, message) => sum + unitsOf(message), 0);
    this.lastMicroseconds = Math.max(0, ...earlier.map(microsecondsOf));
  }

  /** @param visibleAfter hides the message until the promise settles; visible at once by default */
  post(draft: Draft, visibleAfter?: Promise<unknown>): SlackMessage {
    const content = { ...draftDefaults, ...draft };
    const message = { ...content, ts: this.#nextTs(), isEphemeral: content.viewer !== null, isEdited: false };
    this.#put(message);
    this.#hidden.add(keyOf(message));
    const show = () => {
      const current = this.#messages.get(keyOf(message));
      if (this.#hidden.delete(keyOf(message)) && current) this.events.emit({ type: 'posted', message: current });
    };
    if (visibleAfter === undefined) show();
    else void visibleAfter.catch(() => undefined).then(show);
    return message;
  }

  /** Replaces content of a message. As in Slack, only changed text or blocks of a public message mark it as edited. */
  change(message: SlackMessage, change: Change): SlackMessage {
    const isContent = change.files === undefined && change.unfurls === undefined;
    const isEdited = message.isEdited || (!message.isEphemeral && isContent);
    const changed = { ...message, ...change, isEdited };
    this.#put(changed);
    if (!this.#hidden.has(keyOf(message))) this.events.emit({ type: 'changed', message: changed });
    return changed;
  }

  remove(message: SlackMessage): void {
    const wasVisible = !this.#hidden.delete(keyOf(message));
    if (this.#discard(keyOf(message)) && wasVisible) this.events.emit({ type: 'removed', message });
  }

  find(channel: string, ts: string): SlackMessage | undefined {
    return this.#messages.get(keyOf({ channel, ts }));
  }

  /** The visible messages of a channel, oldest first. */
  list(channel: string): readonly SlackMessage[] {
    const isShown = (message: SlackMessage) => message.channel === channel && !this.#hidden.has(keyOf(message));
    return [...this.#messages.values()].filter(isShown);
  }

  /** @returns the `ts` of the thread's root, which may be deleted while replies remain; undefined if no thread is possible */
  threadRoot(channel: string, ts: string): string | undefined {
    const message = this.find(channel, ts);
    if (!message && this.list(channel).some(({ threadTs, viewer }) => threadTs === ts && viewer === null)) return ts;
    return message && !message.isEphemeral ? (message.threadTs ?? message.ts) : undefined;
  }

  #put(message: SlackMessage): void {
    const key = keyOf(message);
    const before = this.#messages.get(key);
    this.#units += unitsOf(message) - (before ? unitsOf(before) : 0);
    this.#messages.set(key, message);
    for (const oldest of this.#messages.keys()) {
      if (oldest === key || (this.#messages.size <= messagesMax && this.#units <= unitsMax)) return;
      this.#discard(oldest);
    }
  }

  #discard(key: string): boolean {
    const message = this.#messages.get(key);
    if (message) this.#units -= unitsOf(message);
    return this.#messages.delete(key);
  }

  /** Slack's `ts`: seconds with six decimals, unique and increasing even when the clock stops or steps back. */
  #nextTs(): string {
    const next = Math.max(this.#clock() * 1000, this.lastMicroseconds + 1);
    this.lastMicroseconds = next;
    return `${Math.floor(next / 1_000_000)}.${String(next % 1_000_000).padStart(6, '0')}`;
  }
}

const keyOf = ({ channel, ts }: Pick<SlackMessage, 'channel' | 'ts'>) => `${channel}:${ts}`;
export const microsecondsOf = ({ ts }: Pick<SlackMessage, 'ts'>) => Number(ts.replace('.', ''));
const unitsOf = ({ text, blocks }: SlackMessage) => text.length + JSON.stringify(blocks).length;
