/** Progress notes for a running answer: shows the latest note, at a rate that Slack allows, never after the answer. */
import type { PostTarget } from '../../../outbox/ports.ts';
import { defaultWait, type Wait } from '../../../outbox/timing.ts';
import type { Message } from '../../../views/blocks/message.ts';
import type { MessageTarget } from '../web-api/client.ts';
import type { Posting } from './posting.ts';

export type Progress = {
  /** Fire and forget: a note that comes too early is dropped for a later one. */
  readonly show: (message: Message) => void;
  /** Shows no further note. @returns true if a note was shown that the answer replaces */
  readonly end: () => Promise<boolean>;
};

export type ProgressWay = {
  /** @param isShown true if a note was shown before @returns true if a note is shown now; never rejects */
  readonly carry: (message: Message, isShown: boolean) => Promise<boolean>;
  readonly notesMax: number;
  readonly wait?: Wait | undefined;
};

/** Slack takes about one message a second in a channel, and people need time to read a note. */
const gapFirstMs = 3_000;
const gapMaxMs = 15_000;

export function createProgress({ carry, notesMax, wait = defaultWait }: ProgressWay): Progress {
  let ending: AbortController | undefined;
  let hasEnded = false;
  let latest: Message | undefined;
  let notes = 0;
  let isShown = false;
  let showing: Promise<void> | undefined;

  const showLatest = async (signal: AbortSignal) => {
    for (let shown: Message | undefined; latest !== shown && notes < notesMax && !signal.aborted; ) {
      shown = latest;
      notes += 1;
      if (shown && (await carry(shown, isShown))) isShown = true;
      await wait(Math.min(gapMaxMs, gapFirstMs * notes), signal).catch(() => undefined);
    }
    showing = undefined;
  };
  return {
    show: (message) => {
      if (hasEnded || message.text === latest?.text) return;
      latest = message;
      ending ??= new AbortController();
      showing ??= showLatest(ending.signal);
    },
    end: async () => {
      hasEnded = true;
      ending?.abort();
      await showing;
      return isShown;
    },
  };
}

/** One message of the bot, posted and then edited. If it cannot be edited, it is posted anew. */
export function createNote(posting: Pick<Posting, 'post' | 'update'>, at: MessageTarget & PostTarget) {
  let ts: string | undefined;
  return {
    /** @returns false if it could not be posted */
    write: async (message: Message): Promise<boolean> => {
      if (ts !== undefined && (await posting.update(at, ts, message)).kind === 'done') return true;
      const sent = await posting.post(at, message);
      ts = sent.kind === 'sent' ? sent.ts : undefined;
      return ts !== undefined;
    },
  };
}
