/** The messages of a channel or thread: updates, and rows with days and replies. */
import type { PageMessage } from '../protocol.ts';
import { dayOf, type Reader } from '../text/date-format.ts';

export type Row = {
  readonly message: PageMessage;
  /** Set on the first message of a day. */
  readonly day: string | null;
  /** Without those that only this person sees, as in Slack. */
  readonly replies: readonly PageMessage[];
};

/** @param messages of one channel, oldest first */
export function channelRows(messages: readonly PageMessage[], reader: Reader): readonly Row[] {
  return toRows(messages.filter(isRoot), messages, reader);
}

/** @returns the root and its replies; no rows if the root is not visible */
export function threadRows(messages: readonly PageMessage[], rootTs: string, reader: Reader): readonly Row[] {
  const thread = messages.filter(({ ts, threadTs }) => ts === rootTs || threadTs === rootTs);
  return toRows(thread, [], reader).map((row) => ({ ...row, day: null }));
}

/** @returns epoch milliseconds */
export function sentAt({ ts }: Pick<PageMessage, 'ts'>): number {
  return Number(ts) * 1000;
}

function isRoot({ ts, threadTs }: PageMessage): boolean {
  return threadTs === null || threadTs === ts;
}

function toRows(shown: readonly PageMessage[], all: readonly PageMessage[], reader: Reader): readonly Row[] {
  const repliesOf = Map.groupBy(
    all.filter((message) => !isRoot(message) && !message.isEphemeral),
    ({ threadTs }) => threadTs,
  );
  let dayBefore: string | null = null;
  return shown.map((message) => {
    const day = dayOf(sentAt(message), reader);
    const isNewDay = day !== dayBefore;
    dayBefore = day;
    return { message, day: isNewDay ? day : null, replies: repliesOf.get(message.ts) ?? [] };
  });
}

type Messages = readonly PageMessage[];

/** @returns the list with this message in order, without its older version */
export function withMessage(messages: Messages, message: PageMessage): Messages {
  const others = messages.filter(({ ts }) => ts !== message.ts);
  return [...others, message].sort((one, other) => Number(one.ts) - Number(other.ts));
}
