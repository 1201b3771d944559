/** Progress notes for a running answer: shows the latest note, at a rate that Slack allows, never after the answer. */
import type { PostTarget } from '../../../outbox/ports.ts';
import { defaultWait, type Wait } from '../../../outbox/timing.ts';
import type { Message } from '../../../views/blocks/message.ts';
import { noteEveryMs, noteGapMaxMs } from '../../waiting-times.ts';
import type { MessageTarget } from '../web-api/client.ts';
import type { Posting } from './posting.ts';

type NoteDisplay = {
  /** @param isShown true if a note was shown before @returns true if a note is shown now; never rejects */
  readonly show: (message: Message, isShown: boolean) => Promise<boolean>;
  readonly notesMax: number;
  readonly wait?: Wait | undefined;
};

export class Progress {
  readonly #display: NoteDisplay;
  #hasEnded = false;
  /** Ends the time between two notes. Made with the first one: aborting takes as long as half an answer from the cache. */
  #gaps: AbortController | undefined;
  #latest: Message | undefined;
  #notes = 0;
  #isShown = false;
  #showing: Promise<void> | undefined;

  constructor(display: NoteDisplay) {
    this.#display = display;
  }

  /** Fire and forget: a note that comes too early is dropped for a later one. */
  show(message: Message): void {
    if (this.#hasEnded || message.text === this.#latest?.text) return;
    this.#latest = message;
    this.#showing ??= this.#showLatest();
  }

  /** Shows no further note. @returns true if a note was shown */
  async end(): Promise<boolean> {
    this.#hasEnded = true;
    this.#gaps?.abort();
    await this.#showing;
    return this.#isShown;
  }

  async #showLatest(): Promise<void> {
    this.#gaps ??= new AbortController();
    const { signal } = this.#gaps;
    const { show, notesMax, wait = defaultWait } = this.#display;
    for (let shown: Message | undefined; this.#latest !== shown && this.#notes < notesMax && !signal.aborted; ) {
      shown = this.#latest;
      this.#notes += 1;
      if (shown && (await show(shown, this.#isShown))) this.#isShown = true;
      await wait(Math.min(noteGapMaxMs, noteEveryMs * this.#notes), signal).catch(() => undefined);
    }
    this.#showing = undefined;
  }
}

/** One message of the bot, posted and then edited. If it cannot be edited, it is posted anew. */
export class Note {
  readonly progress: Progress;
  readonly #posting: Pick<Posting, 'post' | 'update'>;
  readonly #at: MessageTarget & PostTarget;
  #ts: string | undefined;

  constructor(posting: Pick<Posting, 'post' | 'update'>, at: MessageTarget & PostTarget, wait?: Wait) {
    this.#posting = posting;
    this.#at = at;
    this.progress = new Progress({
      show: (message) => this.write(message),
      notesMax: Number.POSITIVE_INFINITY,
      wait,
    });
  }

  /** @returns false if it could not be posted */
  async write(message: Message): Promise<boolean> {
    if (this.#ts !== undefined && (await this.#posting.update(this.#at, this.#ts, message)).kind === 'done')
      return true;
    const sent = await this.#posting.post(this.#at, message);
    this.#ts = sent.kind === 'sent' ? sent.ts : undefined;
    return this.#ts !== undefined;
  }
}
