/** How long a person, or Slack for them, waits before something is shown. Slack gives up after 3 s. Milliseconds. */

export type WaitingTimes = {
  /** For an acknowledgement that has to carry its content, such as a menu. */
  readonly acknowledgeWithinMs: number;
  /** An answer that is ready by then travels in the acknowledgement of its command; a later one follows it. */
  readonly answerInAckWithinMs: number;
  /** A form that is not ready by then opens with a request to wait, because its trigger expires. */
  readonly loadingModalAfterMs: number;
  /** First note of an answer that takes longer (“Still asking the query service”); people expect an answer within three seconds. */
  readonly noteAfterMs: number;
  /** A person gets a note after this time; the thread is written further. */
  readonly openThreadWithinMs: number;
};

export const waitingTimes: WaitingTimes = {
  acknowledgeWithinMs: 2_000,
  answerInAckWithinMs: 500,
  loadingModalAfterMs: 300,
  noteAfterMs: 2_000,
  openThreadWithinMs: 20_000,
};

/** From one note of an answer to the next. */
export const noteEveryMs = 3_000;
/** A Home that is not ready by then says “Still asking the query service”; a cached one comes sooner. */
export const homeNoteAfterMs = 2_500;
