/** How long a person, or Slack for them, waits before something is shown; only what a command itself delays is in the command. Slack gives up after 3 s. Milliseconds. */

export const waitingTimes = {
  /** For an acknowledgement that has to carry its content, such as a menu. */
  acknowledgeWithinMs: 2_000,
  /** An answer that is ready by then travels in the acknowledgement of its command; a later one follows it. */
  answerInAckWithinMs: 500,
  /** A form that is not ready by then opens with a request to wait, because its trigger expires. */
  loadingModalAfterMs: 300,
  /** First note of an answer that takes longer (“Still asking the query service”); people expect an answer within three seconds. */
  noteAfterMs: 2_000,
  /** A thread that is not written by then goes on, and the person gets a note. */
  openThreadWithinMs: 20_000,
};

export type WaitingTimes = Readonly<typeof waitingTimes>;

/** From the first note of an answer to the second. Slack takes about one message a second in a channel, and people need time to read it. */
export const noteEveryMs = 3_000;
/** Each further gap is longer by `noteEveryMs`, up to this. */
export const noteGapMaxMs = 15_000;
/** A Home that is not ready by then says “Still asking the query service”; a cached one comes sooner. */
export const homeNoteAfterMs = 2_500;
