/** Times a person in the local Slack: types and reads, presses and reads a thread to its end. */

import type { SlackMessage } from '../../src/local-slack/state/history.ts';
import { channelId, personId } from '../../src/local-slack/state/seed.ts';
import type { SlackDriver } from '../../test/support/slack/driver.ts';

const user = personId('ada');
const channel = channelId('ops-alerts');

/** @returns the answer, in the acknowledgement or later, and the milliseconds until it could be read */
export async function typeAndRead(slack: SlackDriver, line: string) {
  const next = slack.nextMessage({ channel, viewer: user });
  const typedAt = performance.now();
  await slack.command({ user, channel, text: `/workflow ${line}` });
  const message = await next;
  return { message, afterMs: performance.now() - typedAt };
}

const lastReply = 'Compared with the last good run';

export type ThreadRead = {
  readonly rootAfterMs: number;
  /** The first reply: the failure and its cause. */
  readonly verdictAfterMs: number;
  readonly lastReplyAfterMs: number;
  /** Messages and files in the thread, without the root. */
  readonly replies: number;
};

/** Presses Investigate on a card, and waits for the last reply of the thread, or for the link to a thread that is there already. */
export async function pressAndRead(slack: SlackDriver, card: { readonly ts: string; readonly blocks: unknown }) {
  const actionId = /"action_id":"(cmd:open:execution [^"]+)"/.exec(JSON.stringify(card.blocks))?.[1];
  if (actionId === undefined) throw new Error('The card has no Investigate button.');
  const posted: { readonly isReply: boolean; readonly at: number }[] = [];
  const stop = slack.workspace.history.events.on(({ type, message }) => {
    if (type === 'posted' && message.viewer === null) {
      posted.push({ isReply: message.threadTs !== null && message.threadTs !== message.ts, at: performance.now() });
    }
  });
  const isLast = ({ isEphemeral, text }: SlackMessage) => isEphemeral || text.startsWith(lastReply);
  const whole = slack.nextMessage({ channel, viewer: user, matches: isLast });
  const pressedAt = performance.now();
  const result = await slack.press({ user, channel, ts: card.ts, actionId });
  if (!result.ok) throw new Error(`The button did nothing: ${result.error}`);
  await whole;
  stop();
  const replies = posted.filter(({ isReply }) => isReply).map(({ at }) => at - pressedAt);
  return {
    rootAfterMs: (posted.find(({ isReply }) => !isReply)?.at ?? Number.NaN) - pressedAt,
    verdictAfterMs: replies[0] ?? Number.NaN,
    lastReplyAfterMs: replies.at(-1) ?? Number.NaN,
    replies: replies.length,
  } satisfies ThreadRead;
}
