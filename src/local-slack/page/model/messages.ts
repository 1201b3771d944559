/** The messages of a channel or thread: updates, notices from the page itself, and rows with days and reply counts. */
import { type PageMessage, slackbotId } from '../protocol.ts';
import { dayOf, type Reader } from '../text/date-format.ts';

export type Row = {
  readonly message: PageMessage;
  /** Set on the first message of a day. */
  readonly day: string | null;
  /** True if it closely follows a message of the same author: name and picture are omitted. */
  readonly isCompact: boolean;
  /** Without those that only this person sees, as in Slack. */
  readonly replies: readonly PageMessage[];
};

const compactWithinMs = 5 * 60_000;

/** @param messages of one channel, oldest first */
export function channelRows(messages: readonly PageMessage[], reader: Reader): readonly Row[] {
  return toRows(messages.filter(isRoot), messages, reader);
}

/** @returns the root and its replies; no rows if the root is not visible */
export function threadRows(messages: readonly PageMessage[], rootTs: string, reader: Reader): readonly Row[] {
  const thread = messages.filter(({ ts, threadTs }) => ts === rootTs || threadTs === rootTs);
  const rows = toRows(thread, [], reader);
  return rows.map((row, index) => ({ ...row, day: null, isCompact: index > 1 && row.isCompact }));
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
  return shown.map((message, index) => {
    const before = shown[index - 1];
    const day = dayOf(sentAt(message), reader);
    const isNewDay = day !== dayBefore;
    dayBefore = day;
    const isCompact = before !== undefined && !isNewDay && continues(before, message);
    return { message, day: isNewDay ? day : null, isCompact, replies: repliesOf.get(message.ts) ?? [] };
  });
}

function continues(before: PageMessage, message: PageMessage): boolean {
  const isSoon = sentAt(message) - sentAt(before) < compactWithinMs;
  return isSoon && before.user === message.user && !message.isEphemeral && !before.isEphemeral;
}

type Messages = readonly PageMessage[];

/** @returns the list with this message in order, without its older version */
export function withMessage(messages: Messages, message: PageMessage): Messages {
  const others = messages.filter(({ ts }) => ts !== message.ts);
  return [...others, message].sort((one, other) => Number(one.ts) - Number(other.ts));
}

/** Keeps the page's own notices, which the server does not have. */
export function withNoticesOf(known: Messages = [], read: Messages): Messages {
  return known.filter(isNotice).reduce<Messages>(withMessage, read);
}

/** Marks the page's own notices; no message from the server has this suffix. */
const noticeSuffix = '9999999';

function isNotice({ user, ts }: PageMessage): boolean {
  return user === slackbotId && ts.endsWith(noticeSuffix);
}

/** A notice from Slackbot to the person about a failure. @param now epoch milliseconds */
export function noticeMessage(
  target: Pick<PageMessage, 'channel' | 'threadTs'>,
  text: string,
  now: number,
): PageMessage {
  const ts = `${Math.floor(now / 1000)}.${String(now % 1000).padStart(3, '0')}${noticeSuffix}`;
  return { ...target, ts, user: slackbotId, text, blocks: [], files: [], isEphemeral: true, isEdited: false };
}
