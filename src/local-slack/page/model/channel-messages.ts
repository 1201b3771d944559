/** The messages of one channel as a person sees them: in order, with the notices that only the page knows of. */
import type { PageMessage } from '../protocol.ts';
import { slackbotId } from './viewer.ts';

type Messages = readonly PageMessage[];

/** @returns the same with this one in its place, instead of an older form of it */
export function withMessage(messages: Messages, message: PageMessage): Messages {
  const others = messages.filter(({ ts }) => ts !== message.ts);
  return [...others, message].sort((one, other) => Number(one.ts) - Number(other.ts));
}

/** What the page itself said as Slackbot is nowhere but there, and stays. */
export function withNoticesOf(known: Messages = [], read: Messages): Messages {
  return known.filter(isNotice).reduce<Messages>(withMessage, read);
}

/** Marks the page's own notices: no message of a server has it. */
const noticeSuffix = '9999999';

function isNotice({ user, ts }: PageMessage): boolean {
  return user === slackbotId && ts.endsWith(noticeSuffix);
}

/** What Slackbot says to one person when something did not work. @param now epoch milliseconds */
export function noticeMessage(
  place: Pick<PageMessage, 'channel' | 'threadTs'>,
  text: string,
  now: number,
): PageMessage {
  const ts = `${Math.floor(now / 1000)}.${String(now % 1000).padStart(3, '0')}${noticeSuffix}`;
  return { ...place, ts, user: slackbotId, text, blocks: [], files: [], isEphemeral: true, isEdited: false };
}
